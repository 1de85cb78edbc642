import { safeText } from '../../kernel/text.ts';
import { raisesAlert, type ThresholdRange } from './threshold-range.ts';

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
export interface Measurement {
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
