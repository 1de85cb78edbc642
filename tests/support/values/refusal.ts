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

/** @returns the ServiceError with which a promise is refused; anything else fails the test */
export async function eventualRefusal(attempt: Promise<unknown>): Promise<AnyServiceError> {
  const outcome = await attempt.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('value' in outcome) {
    throw new Error('It was not refused.');
  }
  if (isServiceError(outcome.error)) {
    return outcome.error;
  }
  throw outcome.error;
}
