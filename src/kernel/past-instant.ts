import { parseDuration } from './duration.ts';
import { isServiceError, ServiceError } from './errors.ts';

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
  if (PLAIN.test(text)) {
    return undefined;
  }
  try {
    return new Date(now.getTime() - parseDuration(text) * 1000);
  } catch (error) {
    if (isServiceError(error, 'duration.invalid')) {
      return undefined;
    }
    throw error;
  }
}
