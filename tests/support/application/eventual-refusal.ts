import { type AnyServiceError, isServiceError } from '../../../src/kernel/errors.ts';

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
