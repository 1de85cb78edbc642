import type { Measurement, Problem } from './plugin-result.ts';
import { parseThresholdRange, type ThresholdRange } from './threshold-range.ts';

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
