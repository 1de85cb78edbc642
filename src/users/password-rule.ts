import { ServiceError } from '../kernel/errors.ts';

const MIN_LENGTH = 8;
/** Bytes; bounds the work of the slow hash. */
const MAX_LENGTH = 1024;

/**
 * @throws ServiceError 'parameter.invalid' when a new password is shorter than 8 characters or longer than 1024 bytes
 */
export function assertPassword(password: string): void {
  if (Array.from(password).length < MIN_LENGTH) {
    throw new ServiceError('parameter.invalid', `A password has at least ${MIN_LENGTH} characters`);
  }
  if (!isPasswordSized(password)) {
    throw new ServiceError('parameter.invalid', `A password has at most ${MAX_LENGTH} bytes`);
  }
}

/** @returns true if the password is short enough to be hashed */
export function isPasswordSized(password: string): boolean {
  return Buffer.byteLength(password, 'utf8') <= MAX_LENGTH;
}
