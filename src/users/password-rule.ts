import { ServiceError } from '../kernel/errors.ts';

const SHORTEST = 8;
/** Bytes: a slow hash of something endless would be a way to keep the server busy. */
const MAX_LENGTH = 1024;

/**
 * @throws ServiceError 'parameter.invalid' when a new password is shorter than 8 characters or longer than 1024 bytes
 */
export function assertPassword(password: string): void {
  if (Array.from(password).length < SHORTEST) {
    throw new ServiceError('parameter.invalid', `A password has at least ${SHORTEST} characters`);
  }
  if (!isPasswordSized(password)) {
    throw new ServiceError('parameter.invalid', `A password has at most ${MAX_LENGTH} bytes`);
  }
}

/** @returns whether it may be hashed at all */
export function isPasswordSized(password: string): boolean {
  return Buffer.byteLength(password, 'utf8') <= MAX_LENGTH;
}
