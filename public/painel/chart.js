// The value of visits by hour, day, week or month as a bar chart. A table on the page shows the same figures.
import uPlot from "uplot";
import { barName, counted, money, shortMoney, shortMonth, shortWeekday } from "./format.js";
import { h } from "./table.js";

/**
 * @typedef {import("./bars.js").Bars} Bars
 * @typedef {import("./bars.js").Bar} Bar
 * @typedef {(bar: Bar) => HTMLElement} LinkTo a link to the records of a bar
 */

const HEIGHT = 230;
const PRINT_SIZE = { width: 335, height: 104 };
/** The least distance between two amounts on the axis, in pixels: paper has room for two amounts. */
const [SPACE, PRINT_SPACE] = [44, 22];
/** The least distance between two labels, in pixels. */
const LABEL_WIDTH = { hora: 30, dia: 30, semana: 34, mes: 46 };

/** The current value of a CSS colour variable, for the canvas. @param {string} name */
const colour = (name) => {
  const { style } = document.body;
  style.accentColor = `var(${name})`;
  const { accentColor } = getComputedStyle(document.body);
  style.accentColor = "";
  return accentColor;
};

/** The label of a bar; empty if it has none. @param {Bars} bars @param {number} index */
const labelOf = ({ step, bars }, index) => {
  const bar = bars[index];
  if (!bar) return "";
  const name = shortMonth(bar.from).replace(".", "");
  const year = bar.from.slice(2, 4);
  if (step === "hora") return `${bar.hour}h`;
  if (step === "dia") return `${Number(bar.from.slice(8))}\n${shortWeekday(bar.from)}`;
  if (step === "mes") return bar.from.slice(5, 7) === "01" || bars.length > 24 ? `${name} ${year}` : name;
  const isNewMonth = index === 0 || bars[index - 1]?.from.slice(0, 7) !== bar.from.slice(0, 7);
  if (!isNewMonth) return "";
  return bar.from.slice(5, 7) === "01" || index === 0 ? `${name}\n${bar.from.slice(0, 4)}` : name;
};

/** The bars that have a label: as many as fit. @param {Bars} bars @param {number} width */
const labelled = (bars, width) => {
  const indexes = bars.bars.flatMap((_, index) => (labelOf(bars, index) ? [index] : []));
  const room = Math.max(1, Math.floor(width / LABEL_WIDTH[bars.step]));
  const every = Math.ceil(indexes.length / room);
  return indexes.filter((_, at) => at % every === 0);
};

/** @param {string} stroke @param {number} size of a bar */
const barSeries = (stroke, size) => {
  const paths = uPlot.paths.bars?.({ size: [size, 56], radius: [0.12, 0] });
  return { stroke, fill: stroke, width: 0, points: { show: false }, ...(paths && { paths }) };
};

/** @param {Bars} bars @param {boolean} isPrinted @param {(index: number | undefined) => void} onPoint @returns {Omit<uPlot.Options, "width" | "height">} */
const optionsOf = (bars, isPrinted, onPoint) => {
  const axis = { stroke: colour("--faint"), font: "12px system-ui, sans-serif", ticks: { show: false } };
  return {
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { time: false, range: [-0.6, Math.max(bars.bars.length - 0.4, 0.6)] },
      y: { range: (_, min, max) => [Math.min(min ?? 0, 0), Math.max((max ?? 0) * 1.05, 1)] },
    },
    axes: [
      {
        ...axis,
        size: 42,
        gap: 6,
        grid: { show: false },
        splits: (plot) => labelled(bars, plot.bbox.width / devicePixelRatio),
        values: (_, splits) => splits.map((index) => labelOf(bars, index)),
      },
      {
        ...axis,
        size: 66,
        gap: 4,
        space: isPrinted ? PRINT_SPACE : SPACE,
        grid: { stroke: colour("--hair"), width: 1 },
        values: (_, splits) => splits.map((reais) => shortMoney(reais)),
      },
    ],
    series: [{}, barSeries(colour("--past"), 0.9), barSeries(colour("--accent"), 0.56)],
    hooks: { setCursor: [({ cursor: { idx } }) => onPoint(idx ?? undefined)] },
  };
};

/**
 * A chart that follows the width of its frame, the colour scheme and the medium (screen or print).
 * @param {HTMLElement} frame
 * @param {HTMLElement} readout shows the figures of the bar that was touched last
 */
export const openChart = (frame, readout) => {
  /** @type {uPlot | undefined} */
  let plot;
  /** @type {{ bars: Bars, linkTo: LinkTo } | undefined} */
  let data;
  const printMedia = matchMedia("print");
  const currentSize = () => (printMedia.matches ? PRINT_SIZE : { width: frame.clientWidth, height: HEIGHT });

  const showBar = (/** @type {number | undefined} */ index) => {
    const bar = data?.bars.bars[index ?? -1];
    // The last bar stays, so that its link can be reached.
    if (!data || !bar) return;
    const before = bar.earlier === undefined ? "" : ` · antes ${money(bar.earlier)}`;
    const text = `${barName(bar, data.bars.step)}: ${money(bar.value)} · ${counted(bar.visits, "atendimento", "atendimentos")}${before}`;
    readout.replaceChildren(h("span", {}, text), data.linkTo(bar));
  };

  /** Selects a bar by touch. uPlot follows only the mouse. @param {PointerEvent} event */
  const touch = (event) => {
    if (event.pointerType === "mouse" || !plot) return;
    const { left } = plot.over.getBoundingClientRect();
    plot.setCursor({ left: event.clientX - left, top: 0 });
  };

  const draw = () => {
    plot?.destroy();
    plot = undefined;
    readout.replaceChildren();
    if (!data || data.bars.bars.length === 0) return;
    readout.replaceChildren("Escolha uma barra para ver os valores.");
    const { bars } = data.bars;
    /** @type {uPlot.AlignedData} */
    const series = [
      bars.map((_, index) => index),
      bars.map(({ earlier }) => earlier ?? null),
      bars.map(({ value }) => value),
    ];
    plot = new uPlot(
      { ...optionsOf(data.bars, printMedia.matches, showBar), ...currentSize() },
      series,
      frame,
    );
    plot.over.addEventListener("pointerdown", touch);
    plot.over.addEventListener("pointermove", touch);
    plot.over.addEventListener("click", () => {
      if (matchMedia("(hover: hover)").matches) readout.querySelector("a")?.click();
    });
  };

  new ResizeObserver(() => {
    if (plot && !printMedia.matches && plot.width !== frame.clientWidth) plot.setSize(currentSize());
  }).observe(frame);
  printMedia.addEventListener("change", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

  return {
    /** @param {Bars} bars @param {LinkTo} linkTo */
    show: (bars, linkTo) => {
      data = { bars, linkTo };
      draw();
    },
    clear: () => {
      data = undefined;
      draw();
    },
  };
};
