import { useEffect, useState } from "preact/hooks";

const WIDE = matchMedia("(min-width: 75rem)");

/** Whether the window shows two columns of cards. Then the figures come first. */
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
