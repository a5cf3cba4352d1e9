// What the charts share: their size, their axes, and the point that the user looks at.
import type { JSX, TargetedKeyboardEvent, TargetedPointerEvent } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { shortMoney } from "../format.ts";
import type { Point } from "../series.ts";

const HEIGHT = 200;
const MARGINS = { top: 20, right: 10, bottom: 24, left: 44 };

/** Round numbers from the lowest to the highest value, about four steps apart. */
const marksOf = (low: number, high: number): number[] => {
  const rough = (high - low || 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, index) => (first + index) * step);
};

/** The width of an element in pixels, also after it has changed. */
const useWidth = () => {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(320);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const measure = () => setWidth(element.clientWidth || 320);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { frame, width };
};

export interface Scales {
  /** The middle of a step. */
  x(index: number): number;
  y(value: number): number;
  /** The width of a step. */
  step: number;
  bottom: number;
}

/** The width of a bar that has its step alone. */
export const barWidth = ({ step }: Scales): number => Math.max(2, Math.min(28, step * 0.62));

const scalesOf = (width: number, count: number, low: number, high: number): Scales => {
  const inner = width - MARGINS.left - MARGINS.right;
  const bottom = HEIGHT - MARGINS.bottom;
  const step = inner / Math.max(1, count);
  const span = high - low || 1;
  return {
    step,
    bottom,
    x: (index) => MARGINS.left + (index + 0.5) * step,
    y: (value) => bottom - ((value - low) / span) * (bottom - MARGINS.top),
  };
};

/** Left and right, home and end move the point; so does a finger or a mouse. */
const useCursor = (count: number, start: number, { x, step }: Scales) => {
  const [chosen, choose] = useState<number | undefined>();
  const at = Math.min(chosen ?? start, count - 1);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const moves: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: count - 1 };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    choose(Math.max(0, Math.min(count - 1, next)));
  };
  const onPointer = (event: TargetedPointerEvent<HTMLElement>) => {
    if (event.pointerType === "touch" && event.type === "pointerleave") return;
    if (event.type === "pointerleave") return choose(undefined);
    const offset = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const nearest = Math.round((offset - x(0)) / (step || 1));
    choose(Math.max(0, Math.min(count - 1, nearest)));
  };
  return {
    at,
    handlers: { onKeyDown, onPointerDown: onPointer, onPointerMove: onPointer, onPointerLeave: onPointer },
  };
};

interface FrameProps {
  title: string;
  points: readonly Point[];
  /** Values that must fit beside those of the points. */
  more?: readonly number[];
  /** The sentence for a point: shown above the chart, and spoken. */
  textOf: (index: number) => string;
  /** The point that is shown first. */
  start: number;
  draw: (scales: Scales, at: number) => JSX.Element;
}

/** The frame of a chart: axes, and one point that keys, touch and mouse move. */
export const ChartFrame = ({ title, points, more = [], textOf, start, draw }: FrameProps) => {
  const { frame, width } = useWidth();
  const values = [...points.flatMap(({ value, earlier }) => [value ?? 0, earlier ?? 0]), ...more, 0];
  const marks = marksOf(Math.min(...values), Math.max(...values));
  const [low, high] = [Math.min(...values, ...marks), Math.max(...values, ...marks, 1)];
  const scales = scalesOf(width, points.length, low, high);
  const { at, handlers } = useCursor(points.length, start, scales);
  const text = textOf(at);
  return (
    <figure class="chart">
      <p class="readout" aria-hidden="true">
        {text}
      </p>
      <div
        ref={frame}
        class="plot"
        role="slider"
        tabIndex={0}
        aria-label={title}
        aria-valuemin={1}
        aria-valuemax={points.length}
        aria-valuenow={at + 1}
        aria-valuetext={text}
        {...handlers}
      >
        <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} aria-hidden="true">
          {marks.map((mark) => (
            <g key={mark} class="grid">
              <line x1={MARGINS.left} x2={width - MARGINS.right} y1={scales.y(mark)} y2={scales.y(mark)} />
              <text x={MARGINS.left - 6} y={scales.y(mark) + 4} text-anchor="end">
                {shortMoney(mark).replace("R$", "").trim()}
              </text>
            </g>
          ))}
          {draw(scales, at)}
          {points.map(({ tick }, index) =>
            tick === "" ? null : (
              <text key={index} x={scales.x(index)} y={HEIGHT - 6} text-anchor="middle">
                {tick}
              </text>
            ),
          )}
        </svg>
      </div>
    </figure>
  );
};
