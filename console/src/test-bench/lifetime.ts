const DEFAULT_SECONDS = 1_200;
const UNITS = { d: 86_400, h: 3_600, m: 60, s: 1 } as const;
const FORM = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s?)?$/i;

/**
 * @param setting the value of `OcraChallengeTimeout`: seconds, or a duration such as `20M` and `1D2H3M4S`; null: not set
 * @returns the seconds for which a challenge takes responses; undefined for another form
 */
export function lifetimeSeconds(setting: unknown): number | undefined {
  if (setting === null || setting === '') {
    return DEFAULT_SECONDS;
  }
  const [, days, hours, minutes, seconds] = FORM.exec(typeof setting === 'string' ? setting : '-') ?? [];
  const parts = [days, hours, minutes, seconds];
  if (parts.every((part) => part === undefined)) {
    return undefined;
  }
  const [d, h, m, s] = parts.map((part) => Number(part ?? 0));
  return (d ?? 0) * UNITS.d + (h ?? 0) * UNITS.h + (m ?? 0) * UNITS.m + (s ?? 0);
}

/** @returns `19:05`, with hours in front where there are any */
export function shownDuration(seconds: number): string {
  const parts = [Math.floor(seconds / UNITS.h), Math.floor(seconds / UNITS.m) % 60, seconds % 60];
  const [hours = 0, minutes = 0, rest = 0] = parts;
  const two = (value: number): string => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
