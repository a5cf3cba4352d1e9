/** The first letters of the first and the last name. The name itself is beside them. */
export const Initials = ({ name }: { name: string }) => {
  const words = name.split(/\s+/).filter((word) => /^\p{L}/u.test(word));
  const letters = [words[0], words.length > 1 ? words.at(-1) : ""].map((word) => word?.[0] ?? "").join("");
  return (
    <span class="initials" aria-hidden="true">
      {letters.toLocaleUpperCase("pt-BR")}
    </span>
  );
};
