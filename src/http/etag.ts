/** The entity tag of a text: the same text has the same tag, whoever asks (E6). */
export const tagOf = async (text: string): Promise<string> => {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(digest, 0, 18).toBase64({ alphabet: "base64url" });
};

/** Whether an `If-None-Match` header holds the tag, by weak comparison (RFC 9110, 13.1.2). */
export const matches = (header: string | undefined, tag: string): boolean => {
  if (header === undefined) return false;
  const opaque = (candidate: string) => candidate.trim().replace(/^W\//, "");
  return header.trim() === "*" || header.split(",").some((candidate) => opaque(candidate) === opaque(tag));
};
