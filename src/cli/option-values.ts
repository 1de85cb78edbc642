import { InvalidArgumentError } from 'commander';
import type { Clock } from '../kernel/clock.ts';
import { parseDuration } from '../kernel/duration.ts';
import { isServiceError } from '../kernel/errors.ts';
import { parsePastInstant } from '../kernel/past-instant.ts';

/** @returns the items of a comma list, trimmed, empty ones left out */
export function parseList(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** @returns a reader of whole numbers within bounds, for an option */
export function wholeNumberOption(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isNaN(value) || value < least || value > most) {
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    }
    return value;
  };
}

/**
 * Reads an expiry: a date (`2027-01-31`, `2027-01-31T12:00:00Z`) or a duration from now (`90D`, `12H`).
 * @returns the instant
 */
export function parseExpiry(text: string, now: Date): Date {
  if (/^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?$/.test(text)) {
    const date = new Date(text);
    if (!Number.isNaN(date.getTime()) && isCalendarDay(text.slice(0, 10))) {
      return date;
    }
  }
  try {
    return new Date(now.getTime() + parseDuration(text) * 1000);
  } catch (error) {
    if (!isServiceError(error, 'duration.invalid')) {
      throw error;
    }
    throw new InvalidArgumentError('It must be a date (2027-01-31) or a duration (90D, 12H).');
  }
}

/**
 * @returns a reader of a date, a time or a duration back from now, for an option
 * @param clock tells now
 */
export function pastInstantOption(clock: Clock): (text: string) => Date {
  return (text) => {
    try {
      return parsePastInstant(text, clock.now());
    } catch (error) {
      throw isServiceError(error) ? new InvalidArgumentError(`${error.message}.`) : error;
    }
  };
}

/** Refuses 30 February, which JavaScript reads as 2 March. */
function isCalendarDay(day: string): boolean {
  return new Date(day).toISOString().startsWith(day);
}
