import { ServiceError } from '../kernel/errors.ts';

/** @returns the refusal of the removal of the only administrator */
export function lastAdministrator(): ServiceError {
  return new ServiceError('administrator.invalid', 'The last administrator cannot be removed');
}
