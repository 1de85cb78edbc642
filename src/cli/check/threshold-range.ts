import { InvalidArgumentError } from 'commander';

/** A range of the monitoring plugins' guidelines: a value outside of it raises an alert; after `@`, one inside. */
export interface ThresholdRange {
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
