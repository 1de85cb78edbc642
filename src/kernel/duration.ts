import { ServiceError } from './errors.ts';

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
