/** The bytes of a name's letters without case and accents. */
const letters = (name: string) => Buffer.from(name.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase());

/** The order of a list by name: by the letters, then as stored (L1). Null is last. */
export const compareNames = ({ nome: a }: { nome: string | null }, { nome: b }: { nome: string | null }) =>
  a === null || b === null
    ? Number(a === null) - Number(b === null)
    : Buffer.compare(letters(a), letters(b)) || Buffer.compare(Buffer.from(a), Buffer.from(b));
