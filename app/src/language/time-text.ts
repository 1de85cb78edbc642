import { type Language, localeOf } from './language.ts';

/**
 * @param at milliseconds since 1970
 * @returns day and time by the clock of the device
 */
export function timeText(language: Language, at: number): string {
  return new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(at),
  );
}
