import { type Language, useLanguage } from './language.ts';

/** Numbers and times as the language writes them. */
export interface Format {
  number(value: number): string;
  /**
   * @param at ISO 8601, or null: never
   * @returns date and time in the browser's zone, which it names, with seconds
   */
  time(at: string | null): string;
  /** @returns `3 minutes ago`, `in 2 days` */
  ago(at: string, now?: Date): string;
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** @returns the formats of a language */
function formatIn(language: Language): Format {
  const numbers = new Intl.NumberFormat(language);
  const times = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'long' });
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  return {
    number: (value) => numbers.format(value),
    time: (at) => (at === null ? '–' : times.format(new Date(at))),
    ago: (at, now = new Date()) => {
      const seconds = (new Date(at).getTime() - now.getTime()) / 1000;
      const [unit, length] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
      return relative.format(Math.trunc(seconds / length), unit);
    },
  };
}

/** @returns the formats of the console's language */
export function useFormat(): Format {
  return formatIn(useLanguage());
}
