import { type AnyServiceError, isServiceError } from '../../../src/kernel/errors.ts';

/** @returns the ServiceError with which `attempt` is refused; anything else fails the test */
export function refusalOf(attempt: () => unknown): AnyServiceError {
  try {
    attempt();
  } catch (error) {
    if (isServiceError(error)) {
      return error;
    }
    throw error;
  }
  throw new Error('It was not refused.');
}
