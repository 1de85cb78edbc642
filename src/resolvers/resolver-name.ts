import { plainName, requireForm } from '../kernel/text.ts';
import { plainResolverName } from '../policy/policy-users.ts';

/**
 * @returns the resolver's name, case kept, without the class that LinOTP's notation puts in front
 * @throws ServiceError 'parameter.invalid'
 */
export function readResolverName(text: string): string {
  return requireForm(
    plainResolverName(plainName(text)),
    /^[A-Za-z0-9_][A-Za-z0-9._-]{0,254}$/,
    'A resolver has 1 to 255 letters A to Z, digits, dots, dashes and underscores',
  );
}
