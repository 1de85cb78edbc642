import { parseDuration } from './duration.ts';
import { isServiceError } from './errors.ts';

/** PostgreSQL and JavaScript write later years in different ways. */
const LATEST = Date.UTC(9999, 11, 31);
const DATE = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?$/;

/**
 * @param text a date (`2027-01-31`, its beginning in UTC), a time (`2027-01-31T12:00:00Z`) or a duration from now (`90D`)
 * @returns undefined for any other text
 */
export function parseExpiry(text: string, now: Date): Date | undefined {
  const date = readExpiry(text, now);
  return date !== undefined && date.getTime() <= LATEST ? date : undefined;
}

function readExpiry(text: string, now: Date): Date | undefined {
  if (DATE.test(text)) {
    const date = new Date(text);
    const day = text.slice(0, 10);
    // JavaScript reads 30 February as 2 March.
    return !Number.isNaN(date.getTime()) && new Date(day).toISOString().startsWith(day) ? date : undefined;
  }
  try {
    return new Date(now.getTime() + parseDuration(text) * 1000);
  } catch (error) {
    if (isServiceError(error, 'duration.invalid')) {
      return undefined;
    }
    throw error;
  }
}
