const PATHS = {
  inicio: "M4 11.5 12 5l8 6.5V20h-5.5v-5h-5v5H4z",
  unidades: "M4 20V9l4-4h8l4 4v11zM9.5 20v-6h5v6M4 9h16",
  equipe: "M12 11.5a3.75 3.75 0 1 0 0-7.5 3.75 3.75 0 0 0 0 7.5zM4.5 20c.5-4 3.5-6 7.5-6s7 2 7.5 6",
  financeiro: "M3.5 6.5h17v12h-17zM3.5 10.5h17M7 15h3",
  mais: "M6 12h.01M12 12h.01M18 12h.01",
  seta: "m9.5 6 6 6-6 6",
  fechar: "m6 6 12 12M18 6 6 18",
  baixar: "M12 4v11m0 0 4.5-4.5M12 15l-4.5-4.5M5 19.5h14",
  voltar: "m14.5 6-6 6 6 6",
  cadeado: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
} as const;

export type IconName = keyof typeof PATHS;

/** A drawing of 24 by 24 units in the colour of the text. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);
