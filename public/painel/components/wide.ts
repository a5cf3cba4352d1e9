import { useEffect, useState } from "preact/hooks";

const WIDE = matchMedia("(min-width: 75rem)");

/** Whether the cards stand in two columns: the figures are above them then, and below the first ones otherwise. */
export const useWide = (): boolean => {
  const [isWide, setWide] = useState(WIDE.matches);
  useEffect(() => {
    const update = () => setWide(WIDE.matches);
    update();
    WIDE.addEventListener("change", update);
    return () => WIDE.removeEventListener("change", update);
  }, []);
  return isWide;
};
