/** A regular expression for the hostname of a loopback URL, as browsers and tools write it. */
export const LOOPBACK = String.raw`(?:127\.0\.0\.1|\[::1\]|localhost)`;

const ONLY_LOOPBACK = new RegExp(`^${LOOPBACK}$`);

export const isLoopback = (hostname: string): boolean => ONLY_LOOPBACK.test(hostname);

const PRIVATE_IPV4 =
  /^(?:(?:10|127)(?:\.\d+){3}|(?:192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d+){2})$/;
const PRIVATE_IPV6 = /^\[f(?:[cd][\da-f]|e[89ab])[\da-f]:/;

/** Whether a URL's hostname is an address of a private network or of this link (RFC 1918, 3927, 4193, 4291). */
export const isPrivateAddress = (hostname: string): boolean =>
  PRIVATE_IPV4.test(hostname) || PRIVATE_IPV6.test(hostname);

/** Parses a URL that is written as a browser would write it, without user, password and fragment. */
export const parsePlainUrl = (text: string): URL | undefined => {
  const url = URL.parse(text);
  const isPlain = url !== null && (url.href === text || url.href === `${text}/`);
  return isPlain && !url.username && !url.password && !text.includes("#") ? url : undefined;
};
