import { isServiceError, ServiceError } from './errors.ts';

/** Source of the time. Always an argument, so that tests fix it. */
export interface Clock {
  /** @returns the present instant */
  now(): Date;
  /** Milliseconds by which the machine's own clock is ahead of this one; undefined: this is the machine's. */
  readonly offset?: number;
}

/** Source of random bytes, also of browsers. */
export interface RandomBytes {
  /** @returns `size` random bytes, fit for keys */
  bytes(size: number): Uint8Array;
}

/** Source of random numbers. */
export interface RandomNumbers {
  /** @returns a whole number, uniformly from 0 up to and without `bound` */
  below(bound: number): number;
}

/** Source of randomness. Always an argument, so that tests fix it. */
export interface Random extends RandomBytes, RandomNumbers {
  bytes(size: number): Buffer;
}

export const systemClock: Clock = { now: () => new Date() };

/**
 * @param alphabet the characters to draw from
 * @returns `length` characters, each drawn uniformly
 */
export function randomText(random: RandomNumbers, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(random.below(alphabet.length))).join('');
}

const SECONDS: Readonly<Record<string, number>> = { D: 86_400, H: 3_600, M: 60, S: 1 };
const FORM = /^(?:(\d{1,9})D)?(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?$/;

/**
 * Reads a duration: plain seconds (`300`) or, in LinOTP's form, days, hours, minutes and seconds in this order, each at
 * most once (`1D2H3M4S`, `20M`); letters of either case, surrounding blanks ignored.
 * @returns whole seconds, zero or more
 * @throws ServiceError 'duration.invalid'
 */
export function parseDuration(text: string): number {
  const compact = text.trim().toUpperCase();
  if (/^\d{1,9}$/.test(compact)) {
    return Number(compact);
  }
  const parts = compact === '' ? null : FORM.exec(compact);
  if (parts === null) {
    throw new ServiceError(
      'duration.invalid',
      `Not a duration: '${text}'. Use seconds (300) or a form like 1D2H3M4S.`,
    );
  }
  return ['D', 'H', 'M', 'S'].reduce(
    (sum, unit, index) => sum + Number(parts[index + 1] ?? 0) * (SECONDS[unit] ?? 0),
    0,
  );
}

const ABSOLUTE = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;
const WEEKS = /^(\d{1,5})W$/i;
const WEEK_MS = 604_800_000;
/** Plain seconds would look like a year or a date without its dashes. */
const PLAIN = /^\d*$/;

/**
 * Reads an instant that is usually past: a date (`2026-11-20`, its beginning in UTC), a time (`2026-11-20T12:00:00Z`),
 * or a duration back from now (`30M`, `1H`, `2D`, `1W`, `1D12H`).
 * @param name of the parameter, for the error
 * @throws ServiceError 'parameter.invalid'
 */
export function parsePastInstant(text: string, now: Date, name = 'It'): Date {
  const trimmed = text.trim();
  const instant = absolute(trimmed) ?? relative(trimmed, now);
  // PostgreSQL and JavaScript write earlier years in different ways.
  if (instant === undefined || !(instant.getTime() >= 0)) {
    throw new ServiceError(
      'parameter.invalid',
      `${name} must be a date (2027-01-31), a time (2027-01-31T12:00:00Z) or a duration back from now (30M, 1H, 2D, 1W)`,
    );
  }
  return instant;
}

function absolute(text: string): Date | undefined {
  const day = ABSOLUTE.exec(text)?.[1];
  const date = new Date(day === undefined ? Number.NaN : text);
  return day !== undefined && !Number.isNaN(date.getTime()) && isCalendarDay(day) ? date : undefined;
}

/** Refuses 30 February, which JavaScript reads as 2 March. */
function isCalendarDay(day: string): boolean {
  return new Date(day).toISOString().startsWith(day);
}

function relative(text: string, now: Date): Date | undefined {
  const weeks = WEEKS.exec(text)?.[1];
  if (weeks !== undefined) {
    return new Date(now.getTime() - Number(weeks) * WEEK_MS);
  }
  return PLAIN.test(text) ? undefined : later(now, text, -1);
}

/** @returns the instant a duration later, or before; undefined if the text is none */
function later(now: Date, text: string, direction: 1 | -1): Date | undefined {
  try {
    return new Date(now.getTime() + direction * parseDuration(text) * 1000);
  } catch (error) {
    if (isServiceError(error, 'duration.invalid')) {
      return undefined;
    }
    throw error;
  }
}

/** PostgreSQL and JavaScript write later years in different ways. */
const LATEST = Date.UTC(9999, 11, 31);

/**
 * @param text a date (`2027-01-31`, its beginning in UTC), a time (`2027-01-31T12:00:00Z`) or a duration from now (`90D`)
 * @returns undefined for any other text
 */
export function parseExpiry(text: string, now: Date): Date | undefined {
  const date = absolute(text) ?? later(now, text, 1);
  return date !== undefined && date.getTime() <= LATEST ? date : undefined;
}
