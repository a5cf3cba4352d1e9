// The revenue by day or month as a bar chart. A table on the page shows the same figures.
import uPlot from "uplot";
import { counted, money, month, shortDay, shortMoney, shortMonth } from "./format.js";

/** @typedef {import("../../src/v1/relatorios/schemas.ts").TransacoesPorPeriodo["data"]} Periods */

const HEIGHT = 240;
const PRINT_SIZE = { width: 690, height: 120 };

/** The current value of a CSS colour variable, for the canvas. @param {string} name */
const colour = (name) => {
  const { style } = document.body;
  style.accentColor = `var(${name})`;
  const { accentColor } = getComputedStyle(document.body);
  style.accentColor = "";
  return accentColor;
};

/** @param {Periods} periods @param {boolean} isByMonth */
const labelsOf = (periods, isByMonth) =>
  periods.map(({ inicio }) => {
    if (!isByMonth) return String(Number(inicio.slice(8)));
    const name = shortMonth(inicio).replace(".", "");
    return inicio.slice(5, 7) === "01" || periods.length > 24 ? `${name} ${inicio.slice(2, 4)}` : name;
  });

/**
 * @param {Periods} periods
 * @param {boolean} isByMonth
 * @param {HTMLElement} readout shows the figures under the pointer
 * @returns {ConstructorParameters<typeof uPlot>[0]}
 */
const optionsOf = (periods, isByMonth, readout) => {
  const labels = labelsOf(periods, isByMonth);
  const bars = uPlot.paths.bars?.({ size: [0.72, 56], radius: [0.12, 0] });
  const axis = { stroke: colour("--faint"), font: "12px system-ui, sans-serif", ticks: { show: false } };
  return {
    width: 0,
    height: 0,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { time: false, range: [-0.6, Math.max(periods.length - 0.4, 0.6)] },
      y: { range: (_, min, max) => [Math.min(min ?? 0, 0), Math.max((max ?? 0) * 1.05, 1)] },
    },
    axes: [
      {
        ...axis,
        size: 30,
        grid: { show: false },
        space: isByMonth ? 48 : 30,
        incrs: [1, 2, 3, 5, 7, 10, 12, 24, 60, 120, 240],
        values: (_, splits) => splits.map((index) => labels[index] ?? ""),
      },
      {
        ...axis,
        size: 78,
        grid: { stroke: colour("--hair"), width: 1 },
        values: (_, splits) => splits.map((reais) => shortMoney(reais)),
      },
    ],
    series: [
      {},
      {
        stroke: colour("--accent"),
        fill: colour("--accent"),
        width: 0,
        points: { show: false },
        ...(bars && { paths: bars }),
      },
    ],
    hooks: {
      setCursor: [
        ({ cursor: { idx } }) => {
          const one = periods[idx ?? -1];
          readout.textContent = one
            ? `${isByMonth ? month(one.inicio) : shortDay(one.inicio)}: ${money(one.valor_total)} · ${counted(one.total_transacoes, "atendimento", "atendimentos")}`
            : "";
        },
      ],
    },
  };
};

/**
 * A chart that follows the width of its frame, the colour scheme and the medium (screen or print).
 * @param {HTMLElement} frame
 * @param {HTMLElement} readout
 */
export const openChart = (frame, readout) => {
  /** @type {InstanceType<typeof uPlot> | undefined} */
  let plot;
  /** @type {{ periods: Periods, isByMonth: boolean } | undefined} */
  let data;
  const printMedia = matchMedia("print");
  const currentSize = () => (printMedia.matches ? PRINT_SIZE : { width: frame.clientWidth, height: HEIGHT });

  const draw = () => {
    plot?.destroy();
    plot = undefined;
    readout.textContent = "";
    if (!data || data.periods.length === 0) return;
    const { periods, isByMonth } = data;
    /** @type {[number[], number[]]} */
    const series = [periods.map((_, index) => index), periods.map(({ valor_total }) => valor_total)];
    plot = new uPlot({ ...optionsOf(periods, isByMonth, readout), ...currentSize() }, series, frame);
  };

  new ResizeObserver(() => {
    if (plot && !printMedia.matches && plot.width !== frame.clientWidth) plot.setSize(currentSize());
  }).observe(frame);
  printMedia.addEventListener("change", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

  return {
    /** @param {Periods} periods @param {boolean} isByMonth */
    show: (periods, isByMonth) => {
      data = { periods, isByMonth };
      draw();
    },
    clear: () => {
      data = undefined;
      draw();
    },
  };
};
