import { ServiceError } from '../kernel/errors.ts';

/** @returns the value, a whole number from 1 to `most`. @throws ServiceError 'parameter.invalid' */
export function wholeWithin(value: number, what: string, most: number): number {
  if (!Number.isSafeInteger(value) || value < 1 || value > most) {
    throw new ServiceError('parameter.invalid', `The ${what} must be a whole number from 1 to ${most}`);
  }
  return value;
}
