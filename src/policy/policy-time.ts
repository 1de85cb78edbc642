import { ServiceError } from '../kernel/errors.ts';

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly of: (at: Date) => number;
}

const FIELDS: readonly Field[] = [
  { name: 'minute', min: 0, max: 59, of: (at) => at.getMinutes() },
  { name: 'hour', min: 0, max: 23, of: (at) => at.getHours() },
  { name: 'day', min: 1, max: 31, of: (at) => at.getDate() },
  { name: 'month', min: 1, max: 12, of: (at) => at.getMonth() + 1 },
  { name: 'weekday', min: 0, max: 7, of: (at) => at.getDay() },
  { name: 'year', min: 1970, max: 9999, of: (at) => at.getFullYear() },
];

/** From `from` to `to` in steps of `step`. */
interface FieldRange {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/**
 * Reads the times of a policy: `minute hour day month weekday year`, each as cron writes it: `*`, `8`, `8-17`, `1,3,5`,
 * `8-17/2`, or `*` with a step. Weekday 0 and 7 are Sunday. All six fields must match (unlike in cron, also day and
 * weekday). `;` separates several such times. They are in the server's local time zone, set by TZ.
 * @returns a function that is true while the policy holds; an empty text means always
 * @throws ServiceError 'policy.invalid' that quotes the time and names the field
 */
export function readTimes(text: string): (at: Date) => boolean {
  const times = text
    .split(';')
    .map((time) => time.trim())
    .filter((time) => time !== '')
    .map(readTime);
  return (at) => times.length === 0 || times.some((fits) => fits(at));
}

function readTime(text: string): (at: Date) => boolean {
  const parts = text.split(/\s+/);
  if (parts.length !== FIELDS.length) {
    throw invalid(text, `it needs ${FIELDS.length} fields: minute hour day month weekday year`);
  }
  const fields = FIELDS.map((field, index) => ({
    field,
    ranges: readRanges(field, parts[index] ?? '', text),
  }));
  return (at) => fields.every(({ field, ranges }) => isWithin(field, ranges, at));
}

function readRanges(field: Field, part: string, time: string): readonly FieldRange[] {
  return part.split(',').map((item) => {
    const range = readRange(field, item);
    if (range === undefined) {
      throw invalid(time, `'${item}' is no ${field.name} from ${field.min} to ${field.max}`);
    }
    return range;
  });
}

/** A single value with a step goes on to the end, as in cron. */
function readRange({ min, max }: Field, item: string): FieldRange | undefined {
  const form = /^(?:\*|(\d{1,4})(?:-(\d{1,4}))?)(?:\/(\d{1,4}))?$/.exec(item);
  if (form === null) {
    return undefined;
  }
  const [, first, last, steps] = form;
  const from = Number(first ?? min);
  const to = Number(last ?? (steps === undefined ? (first ?? max) : max));
  const step = Number(steps ?? 1);
  return isOrdered([min, from, to, max]) && step >= 1 ? { from, to, step } : undefined;
}

function isOrdered(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || (numbers[index - 1] ?? 0) <= number);
}

function isWithin(field: Field, ranges: readonly FieldRange[], at: Date): boolean {
  const value = field.of(at);
  const values = field.name === 'weekday' && value === 0 ? [0, 7] : [value];
  return ranges.some(({ from, to, step }) =>
    values.some((one) => from <= one && one <= to && (one - from) % step === 0),
  );
}

function invalid(time: string, reason: string): ServiceError {
  return new ServiceError('policy.invalid', `'${time}' is not a time: ${reason}`);
}
