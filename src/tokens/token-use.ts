import { ServiceError } from '../kernel/errors.ts';

/** The period in which a token is valid, and how often it may be used. */
export interface TokenUse {
  /** null: from the beginning. */
  readonly validFrom: Date | null;
  /** The first instant at which it is no longer valid; null: none. */
  readonly validUntil: Date | null;
  /** Responses, right and wrong, counted while a maximum is set. */
  readonly useCount: number;
  /** null: any number. */
  readonly maxUses: number | null;
  /** Accepted responses, counted while a maximum is set. */
  readonly successCount: number;
  readonly maxSuccesses: number | null;
}

/** The use of a new token: no bounds. */
export const UNBOUND_USE: TokenUse = {
  validFrom: null,
  validUntil: null,
  useCount: 0,
  maxUses: null,
  successCount: 0,
  maxSuccesses: null,
};

/** The largest value of the columns. */
export const MAX_USES = 2 ** 31 - 1;

/** @returns true if the token takes responses at `now`: it is switched on, in its period, and below its counts */
export function isUsable(
  { active, use }: { readonly active: boolean; readonly use: TokenUse },
  now: Date,
): boolean {
  return active && boundOf(use, now) === undefined;
}

/** Why a token takes no responses: before its period, after it, or with a count at its maximum. */
export type UseBound = 'early' | 'expired' | 'used-up';

/** @returns what keeps the token from taking responses at `now`; undefined: neither its period nor a count does */
export function boundOf(use: TokenUse, now: Date): UseBound | undefined {
  if (use.validUntil !== null && now >= use.validUntil) {
    return 'expired';
  }
  const isUsedUp =
    (use.maxUses !== null && use.useCount >= use.maxUses) ||
    (use.maxSuccesses !== null && use.successCount >= use.maxSuccesses);
  if (isUsedUp) {
    return 'used-up';
  }
  return use.validFrom !== null && now < use.validFrom ? 'early' : undefined;
}

/** @returns the counts after a response; empty while no maximum is set */
export function countedUse(
  { useCount, maxUses, successCount, maxSuccesses }: TokenUse,
  isAccepted: boolean,
): { readonly use?: Partial<TokenUse> } {
  if (maxUses === null && maxSuccesses === null) {
    return {};
  }
  return {
    use: {
      useCount: Math.min(useCount + 1, MAX_USES),
      successCount: Math.min(successCount + (isAccepted ? 1 : 0), MAX_USES),
    },
  };
}

/** Changes of period and counts as texts; an empty text removes a bound, or sets a count to 0. */
export type UseSettings = Readonly<Partial<Record<keyof TokenUse, string | undefined>>>;

/**
 * @param known the present use, with which the change must fit
 * @throws ServiceError 'parameter.invalid' that names the setting
 */
export function readUse(settings: UseSettings, known: TokenUse): Partial<TokenUse> {
  const { validFrom, validUntil } = settings;
  const change: Partial<TokenUse> = {
    ...(validFrom !== undefined && { validFrom: readMoment(validFrom, 'validityPeriodStart') }),
    ...(validUntil !== undefined && { validUntil: readMoment(validUntil, 'validityPeriodEnd') }),
    ...readCounts(settings),
  };
  const { validFrom: from, validUntil: until } = { ...known, ...change };
  if (from !== null && until !== null && from >= until) {
    throw invalid('validityPeriodEnd', 'is after validityPeriodStart');
  }
  return change;
}

function readCounts({ useCount, maxUses, successCount, maxSuccesses }: UseSettings): Partial<TokenUse> {
  return {
    ...(useCount !== undefined && { useCount: readCount(useCount, 'countAuth') }),
    ...(maxUses !== undefined && { maxUses: readCount(maxUses, 'countAuthMax') || null }),
    ...(successCount !== undefined && { successCount: readCount(successCount, 'countAuthSuccess') }),
    ...(maxSuccesses !== undefined && {
      maxSuccesses: readCount(maxSuccesses, 'countAuthSuccessMax') || null,
    }),
  };
}

function readCount(text: string, parameter: string): number {
  const number = text.trim() === '' ? 0 : Number(text);
  if (!/^\s*\d*\s*$/.test(text) || number > MAX_USES) {
    throw invalid(parameter, `is a whole number from 0 to ${MAX_USES}, or empty`);
  }
  return number;
}

/** In the server's local time zone, set by TZ, as LinOTP has it; or with a zone, as ISO 8601 has it. */
function readMoment(text: string, parameter: string): Date | null {
  if (text.trim() === '') {
    return null;
  }
  const at = readDayFirst(text) ?? readIso(text);
  if (at === undefined) {
    throw invalid(parameter, 'is a time such as 31/12/26 18:00 or 2026-12-31T18:00:00Z, or empty');
  }
  return at;
}

/** @returns year, month, day, hour and minute of `31/12/26 18:00`; undefined for another form */
export function partsOfDayFirst(text: string): readonly [number, number, number, number, number] | undefined {
  const form =
    /^(?<day>[0-3]?\d)\/(?<month>0?[1-9]|1[0-2])\/(?<year>\d{2}|[1-9]\d{3}) (?<hour>[01]?\d|2[0-3]):(?<minute>[0-5]\d)$/;
  const { groups } = form.exec(text.trim()) ?? {};
  if (groups === undefined) {
    return undefined;
  }
  const number = (name: string): number => Number(groups[name]);
  const year = number('year');
  return [year < 100 ? 2000 + year : year, number('month'), number('day'), number('hour'), number('minute')];
}

function readDayFirst(text: string): Date | undefined {
  const parts = partsOfDayFirst(text);
  if (parts === undefined) {
    return undefined;
  }
  const [year, month, day, hour, minute] = parts;
  const at = new Date(year, month - 1, day, hour, minute);
  return at.getDate() === day ? at : undefined;
}

function readIso(text: string): Date | undefined {
  const isIso = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text.trim());
  const at = new Date(isIso && isCalendarDay(text.trim().slice(0, 10)) ? text.trim() : Number.NaN);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

/** @returns true for a day of the calendar such as 2030-01-31: `Date` takes the 31st of each month */
export function isCalendarDay(day: string): boolean {
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
}

/** @returns `31/12/26 18:00`, in the server's local time zone */
export function writeDayFirst(at: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [at.getDate(), at.getMonth() + 1, at.getFullYear() % 100].map(two).join('/');
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

function invalid(parameter: string, rule: string): ServiceError {
  return new ServiceError('parameter.invalid', `The parameter '${parameter}' ${rule}`, { parameter });
}
