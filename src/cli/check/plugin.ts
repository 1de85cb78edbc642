import { InvalidArgumentError } from 'commander';
import { safeText } from '../../kernel/text.ts';

/** The states of monitoring plugins, and their exit codes. */
export const PLUGIN_STATES = { OK: 0, WARNING: 1, CRITICAL: 2, UNKNOWN: 3 } as const;

export type PluginState = keyof typeof PLUGIN_STATES;

/** The end of a check: the exit code of its state, as the line is printed. */
export class PluginExit extends Error {
  override readonly name = 'PluginExit';
  readonly exitCode: number;

  constructor(state: PluginState) {
    super(state);
    this.exitCode = PLUGIN_STATES[state];
  }
}

/** A measured value, for performance data. */
interface Measurement {
  readonly label: string;
  readonly value: number;
  /** Seconds, or nothing. */
  readonly unit: '' | 's';
  readonly warning?: ThresholdRange | undefined;
  readonly critical?: ThresholdRange | undefined;
}

/** A state that does not come from a threshold. */
export interface Problem {
  readonly state: Exclude<PluginState, 'OK'>;
  readonly text: string;
}

/** The states, the worst last: a check that could not be made hides no found problem. */
const ORDER: readonly PluginState[] = ['OK', 'UNKNOWN', 'WARNING', 'CRITICAL'];

/** @returns the state and the line: `TANKEEPER OK - … | 'label'=value[UOM];warn;crit;min;max …` */
export function pluginResult(
  summary: string,
  measurements: readonly Measurement[],
  problems: readonly Problem[],
): { readonly state: PluginState; readonly line: string } {
  const all = [...problems, ...measurements.flatMap(problemOf)].sort(
    (one, other) => ORDER.indexOf(other.state) - ORDER.indexOf(one.state),
  );
  const state = all[0]?.state ?? 'OK';
  const text = all.length === 0 ? summary : all.map((problem) => problem.text).join(', ');
  const performance = measurements.map(performanceOf).join(' ');
  return { state, line: pluginLine(state, text) + (performance === '' ? '' : ` | ${performance}`) };
}

/** @returns the line without performance data */
export function pluginLine(state: PluginState, text: string): string {
  // A bar would begin performance data.
  return `TANKEEPER ${state} - ${safeText(text).replaceAll('|', '/')}`;
}

function problemOf({ label, value, unit, warning, critical }: Measurement): readonly Problem[] {
  const text = (range: ThresholdRange): string => `${label} is ${roundText(value)}${unit} (${range.text})`;
  if (critical !== undefined && raisesAlert(critical, value)) {
    return [{ state: 'CRITICAL', text: text(critical) }];
  }
  return warning !== undefined && raisesAlert(warning, value)
    ? [{ state: 'WARNING', text: text(warning) }]
    : [];
}

function performanceOf({ label, value, unit, warning, critical }: Measurement): string {
  return `'${label}'=${roundText(value)}${unit};${warning?.text ?? ''};${critical?.text ?? ''};;`;
}

function roundText(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

interface ReadingSpec {
  readonly unit: Measurement['unit'];
  readonly warning?: string;
  readonly critical?: string;
}

/** The measurements of a check, with its default thresholds. */
const READINGS = {
  response: { unit: 's', warning: '2', critical: '8' },
  database: { unit: 's', warning: '1', critical: '5' },
  licence_days: { unit: '', warning: '30:', critical: '7:' },
  tokens: { unit: '' },
  active_tokens: { unit: '' },
  locked_tokens: { unit: '' },
  active_users: { unit: '' },
  open_challenges: { unit: '' },
  housekeeping_age: { unit: 's', warning: '3600', critical: '86400' },
  housekeeping_backlog: { unit: '', warning: '100000' },
  backup_age: { unit: 's' },
} as const satisfies Readonly<Record<string, ReadingSpec>>;

export type ReadingName = keyof typeof READINGS;

export const READING_NAMES = Object.keys(READINGS) as readonly ReadingName[];

/** The values that a check has read; a missing one is not known there. */
export interface Readings {
  readonly values: Readonly<Partial<Record<ReadingName, number>>>;
  readonly problems: readonly Problem[];
}

/** Ranges by the name of the reading. */
export type Thresholds = Readonly<Partial<Record<ReadingName, ThresholdRange>>>;

/** @returns the measurements, with the given thresholds or else the default ones */
export function measurementsOf(
  { values }: Readings,
  warning: Thresholds,
  critical: Thresholds,
): readonly Measurement[] {
  return READING_NAMES.flatMap((label) => {
    const value = values[label];
    const spec: ReadingSpec = READINGS[label];
    return value === undefined
      ? []
      : [
          {
            label,
            value,
            unit: spec.unit,
            warning: warning[label] ?? optionalRange(spec.warning),
            critical: critical[label] ?? optionalRange(spec.critical),
          },
        ];
  });
}

function optionalRange(text: string | undefined): ThresholdRange | undefined {
  return text === undefined ? undefined : parseThresholdRange(text);
}

/** A range of the monitoring plugins' guidelines: a value outside of it raises an alert; after `@`, one inside. */
interface ThresholdRange {
  /** The text as it was given, for performance data. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly isInside: boolean;
}

const RANGE = /^(@)?(?:(~|-?\d+(?:\.\d+)?)?:)?(-?\d+(?:\.\d+)?)?$/;

/**
 * Reads a range: `10` is 0 to 10, `10:` from 10, `~:10` up to 10, `10:20`, `@10:20`.
 * @see https://www.monitoring-plugins.org/doc/guidelines.html#THRESHOLDFORMAT
 */
export function parseThresholdRange(text: string): ThresholdRange {
  const found = RANGE.exec(text);
  const [, at, from, to] = found ?? [];
  const start = from === '~' ? -Infinity : Number(from ?? 0);
  const end = to === undefined ? Infinity : Number(to);
  if (found === null || (from === undefined && to === undefined) || start > end) {
    throw new InvalidArgumentError(
      'It must be a range such as 10, 10:, ~:10, 10:20 or @10:20, with the smaller number first.',
    );
  }
  return { text, start, end, isInside: at !== undefined };
}

/** @returns true if the value raises an alert */
export function raisesAlert({ start, end, isInside }: ThresholdRange, value: number): boolean {
  const isWithin = value >= start && value <= end;
  return isInside ? isWithin : !isWithin;
}
