import { useComputedColorScheme } from '@mantine/core';
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart as ChartJs,
  type ChartConfiguration,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from 'chart.js';
import { type ReactNode, useEffect, useRef } from 'react';
import classes from './overview.module.css';

ChartJs.register(
  BarController,
  BarElement,
  CategoryScale,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
);

/** Colours that differ in brightness, too. */
const COLOURS = {
  green: { light: '#2b8a3e', dark: '#69db7c' },
  red: { light: '#c92a2a', dark: '#ff8787' },
  yellow: { light: '#e8a400', dark: '#ffe066' },
  violet: { light: '#5f3dc4', dark: '#b197fc' },
  grey: { light: '#868e96', dark: '#adb5bd' },
  blue: { light: '#1864ab', dark: '#74c0fc' },
} as const;

/** One row of numbers in a chart. */
export interface Series {
  readonly name: string;
  readonly colour: keyof typeof COLOURS;
  /** Null: a gap. */
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  readonly kind: 'bar' | 'line';
  /** Default: vertical bars. */
  readonly isHorizontal?: boolean;
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  /** Above the chart. */
  readonly caption: string;
  /** What the chart shows, for those who do not see it; a table beside it has the numbers. */
  readonly description: string;
}

/** A chart that moves to new numbers without an animation. */
export function Chart(props: ChartProps): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const chart = useRef<ChartJs>(undefined);
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    if (canvas.current !== null && chart.current === undefined) {
      chart.current = new ChartJs(canvas.current, configurationOf(props, scheme));
    } else if (chart.current !== undefined) {
      const { data, options } = configurationOf(props, scheme);
      chart.current.data = data;
      chart.current.options = options ?? {};
      chart.current.update('none');
    }
  });
  useEffect(
    () => () => {
      chart.current?.destroy();
      chart.current = undefined;
    },
    [],
  );
  return (
    <figure className={classes.figureBox}>
      <figcaption>{props.caption}</figcaption>
      <div className={classes.chart}>
        <canvas ref={canvas} role="img" aria-label={props.description} />
      </div>
    </figure>
  );
}

function configurationOf(
  { kind, labels, series, isHorizontal = false }: ChartProps,
  scheme: 'light' | 'dark',
): ChartConfiguration {
  const text = scheme === 'light' ? '#343a40' : '#ced4da';
  const grid = { color: scheme === 'light' ? '#e9ecef' : '#424242' };
  const ticks = { color: text, maxRotation: 0, autoSkipPadding: 16, precision: 0 };
  const isStacked = kind === 'bar';
  const scale = { stacked: isStacked, grid, ticks, beginAtZero: true };
  return {
    type: kind,
    data: {
      labels: [...labels],
      datasets: series.map(({ name, colour, values }) => ({
        label: name,
        data: [...values],
        backgroundColor: COLOURS[colour][scheme],
        borderColor: COLOURS[colour][scheme],
        ...(kind === 'line' && { pointRadius: 2, borderWidth: 2, spanGaps: false }),
      })),
    },
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      indexAxis: isHorizontal ? 'y' : 'x',
      interaction: { mode: 'index', intersect: false, axis: isHorizontal ? 'y' : 'x' },
      // Each of the few names is shown, in place of every other one.
      scales: { x: scale, y: { ...scale, ticks: { ...ticks, autoSkip: !isHorizontal } } },
      plugins: { legend: { position: 'bottom', labels: { color: text, boxWidth: 12 } } },
    },
  };
}
