import { fitting } from '../kernel/plain-text.ts';

/**
 * @returns the realm's name as it is kept: trimmed, lower-case
 * @throws ServiceError 'parameter.invalid'
 */
export function readRealmName(text: string): string {
  const name = text.trim().toLowerCase();
  return fitting(
    name,
    /^[a-z0-9_][a-z0-9._-]{0,254}$/,
    'A realm has 1 to 255 letters a to z, digits, dots, dashes and underscores',
  );
}
