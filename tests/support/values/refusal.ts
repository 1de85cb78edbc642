import { ServiceError } from '../../../src/kernel/errors.ts';

/** @returns the ServiceError with which `attempt` is refused; anything else fails the test */
export function refusalOf(attempt: () => unknown): ServiceError {
  try {
    attempt();
  } catch (error) {
    if (error instanceof ServiceError) {
      return error;
    }
    throw error;
  }
  throw new Error('It was not refused.');
}
