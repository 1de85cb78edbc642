import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import UPlot from 'uplot';
import classes from './overview.module.css';
import { stacked } from './stacked-series.ts';

/** Colours that differ in brightness, too. The style sheet has the same ones. */
const COLOURS = {
  green: { light: '#2b8a3e', dark: '#69db7c' },
  red: { light: '#c92a2a', dark: '#ff8787' },
  yellow: { light: '#e8a400', dark: '#ffe066' },
  violet: { light: '#5f3dc4', dark: '#b197fc' },
  grey: { light: '#868e96', dark: '#adb5bd' },
  blue: { light: '#1864ab', dark: '#74c0fc' },
} as const;

const TEXT = { light: '#343a40', dark: '#ced4da' };
const GRID = { light: '#e9ecef', dark: '#424242' };
/** Pixels. */
const HEIGHT = 240;

/** One row of numbers in a chart. */
export interface Series {
  readonly name: string;
  readonly colour: keyof typeof COLOURS;
  /** Null: a gap. */
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  /** `bar`: the values of all series stand upon one another. */
  readonly kind: 'bar' | 'line';
  /** One for each value. */
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  /** Above the chart. */
  readonly caption: string;
  /** The content of the chart, for those who do not see it; a table beside it has the numbers. */
  readonly description: string;
}

/** A chart that moves to new numbers without an animation. */
export function Chart(props: ChartProps): ReactNode {
  const { caption, description, kind, labels, series } = props;
  const place = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  const rows = kind === 'bar' ? stacked(series) : series;
  const drawn = useRef<UPlot>(undefined);
  const shown = useRef(labels);
  shown.current = labels;
  const looks = JSON.stringify([kind, scheme, rows.map(({ name, colour }) => [name, colour])]);
  useEffect(() => {
    const box = place.current;
    if (box === null) {
      return undefined;
    }
    const [, , drawnSeries] = JSON.parse(looks) as [string, string, readonly [string, Series['colour']][]];
    const chart = new UPlot(
      optionsOf({ kind, scheme, series: drawnSeries, width: box.clientWidth, labels: shown }),
      [[]],
      box,
    );
    drawn.current = chart;
    const observer = new ResizeObserver(() => {
      chart.setSize({ width: box.clientWidth, height: HEIGHT });
    });
    observer.observe(box);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [looks, kind, scheme]);
  useEffect(() => {
    drawn.current?.setData([labels.map((_label, place) => place), ...rows.map(({ values }) => [...values])]);
  });
  return (
    <figure className={classes.figureBox}>
      <figcaption>{caption}</figcaption>
      <div className={classes.chart} ref={place} role="img" aria-label={description} />
      <ul className={classes.legend}>
        {series.map(({ name, colour }) => (
          <li key={name} data-colour={colour}>
            {name}
          </li>
        ))}
      </ul>
    </figure>
  );
}

interface ChartStyle {
  readonly kind: ChartProps['kind'];
  readonly scheme: 'light' | 'dark';
  readonly series: readonly (readonly [name: string, colour: Series['colour']])[];
  /** Pixels. */
  readonly width: number;
  /** The present ones: they move on each minute. */
  readonly labels: { readonly current: readonly string[] };
}

function optionsOf({ kind, scheme, series, width, labels }: ChartStyle): UPlot.Options {
  const axis = { stroke: TEXT[scheme], grid: { stroke: GRID[scheme], width: 1 }, ticks: { show: false } };
  const bars = UPlot.paths.bars?.({ size: [0.8] });
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: false }, y: { range: (_chart, _low, high) => [0, Math.max(1, high * 1.05)] } },
    axes: [
      { ...axis, values: (_chart, places) => places.map((place) => labels.current[place] ?? '') },
      { ...axis, size: 60 },
    ],
    series: [
      {},
      ...series.map(([label, colour]): UPlot.Series => {
        const stroke = COLOURS[colour][scheme];
        return kind === 'bar' && bars !== undefined
          ? { label, fill: stroke, width: 0, paths: bars, points: { show: false } }
          : { label, stroke, width: 2, points: { show: true, size: 5 } };
      }),
    ],
  };
}
