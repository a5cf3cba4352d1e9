import { distance } from "fastest-levenshtein";

/** A value that exists, and the name of what it is the id of, if it has one. */
export interface Candidate {
  value: string;
  name: string | null;
}

const folded = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** 0 for equal texts, less than 1 if one contains the other, else 1 plus the edit distance. */
const distanceOf = (wanted: string, text: string): number => {
  if (text === wanted) return 0;
  if (text === "" || wanted === "") return 1 + wanted.length + text.length;
  return text.includes(wanted) || wanted.includes(text) ? 0.5 : 1 + distance(wanted, text);
};

/** The candidates by how near their value or name is to the text, without case and accents; equal ones by value. */
export const nearest = (text: string, candidates: Candidate[], count: number): Candidate[] => {
  const wanted = folded(text);
  const ranked = candidates.map((candidate) => {
    const texts = [candidate.value, ...(candidate.name === null ? [] : [candidate.name])];
    return { candidate, distance: Math.min(...texts.map((one) => distanceOf(wanted, folded(one)))) };
  });
  const byValue = (a: Candidate, b: Candidate) => (a.value < b.value ? -1 : 1);
  return ranked
    .sort((a, b) => a.distance - b.distance || byValue(a.candidate, b.candidate))
    .slice(0, count)
    .map(({ candidate }) => candidate);
};
