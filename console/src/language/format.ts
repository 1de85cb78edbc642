import { createContext, useContext } from 'react';
import { localeOf, useLanguage } from './language.ts';

/** The zone in which times are shown and typed: that of the browser, or UTC. */
export type Zone = 'local' | 'UTC';

export const ZoneContext = createContext<Zone>('local');

/** Numbers and times as the language writes them in the browser's region, in the chosen zone. */
export interface Format {
  number(value: number): string;
  /**
   * @param at ISO 8601, or null: never
   * @returns date and time with seconds and the name of the zone
   */
  time(at: string | null): string;
  /** @returns hours and minutes, for the scale of a chart */
  minute(at: string): string;
  /** @returns `3 minutes ago`, `in 2 days` */
  ago(at: string, now?: Date): string;
  /**
   * @param typed what the field holds: the zone has another name on a day of summer than on one of winter
   * @returns the name of a field of times, with the zone in which they are typed: `From (UTC)`
   */
  readonly typedIn: (label: string, typed: string) => string;
  /** @returns the time as `<input type="datetime-local">` has it; empty: never */
  readonly toTyped: (at: string | null) => string;
  /** @returns ISO 8601 of what was typed there; empty: nothing; what is no time, such as a year of five digits, as it is */
  readonly ofTyped: (text: string) => string;
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** @returns the formats of a locale and a zone */
export function formatIn(locale: string, zone: Zone): Format {
  const at: Intl.DateTimeFormatOptions = zone === 'UTC' ? { timeZone: 'UTC' } : {};
  const numbers = new Intl.NumberFormat(locale);
  const times = new Intl.DateTimeFormat(locale, { ...at, dateStyle: 'medium', timeStyle: 'long' });
  const minutes = new Intl.DateTimeFormat(locale, { ...at, hour: '2-digit', minute: '2-digit' });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  return {
    number: (value) => numbers.format(value),
    time: (time) => (time === null ? '–' : times.format(new Date(time))),
    minute: (time) => minutes.format(new Date(time)),
    ago: (time, now = new Date()) => {
      const seconds = (new Date(time).getTime() - now.getTime()) / 1000;
      const [unit, length] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
      return relative.format(Math.trunc(seconds / length), unit);
    },
    typedIn: (label, typed) => {
      const instant = new Date(typed);
      const day = Number.isNaN(instant.getTime()) ? new Date() : instant;
      const name = times.formatToParts(day).find(({ type }) => type === 'timeZoneName')?.value;
      return `${label} (${name ?? zone})`;
    },
    toTyped: (time) => {
      if (time === null) {
        return '';
      }
      const instant = new Date(time);
      const offset = zone === 'UTC' ? 0 : instant.getTimezoneOffset() * 60_000;
      return new Date(instant.getTime() - offset).toISOString().slice(0, 19);
    },
    ofTyped: (text) => {
      const instant = new Date(zone === 'UTC' ? `${text}Z` : text);
      return Number.isNaN(instant.getTime()) ? text : instant.toISOString();
    },
  };
}

/** @returns the formats of the console's language and zone */
export function useFormat(): Format {
  return formatIn(localeOf(useLanguage()), useContext(ZoneContext));
}
