import { fitting } from '../kernel/plain-text.ts';

/**
 * @returns the login of a managed user, trimmed, case kept
 * @throws ServiceError 'parameter.invalid'
 */
export function readLogin(text: string): string {
  return fitting(
    text.trim(),
    /^[^\p{Cc}\p{Cf}\p{Cs},:*!]{1,255}$/u,
    'A login has 1 to 255 characters, none of , : * ! and none that is invisible',
  );
}
