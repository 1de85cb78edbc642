import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Caller } from '../policy/caller.ts';
import type { ConfirmationStore } from './confirmation-store.ts';

/** The state that tells whether a login is confirmed. */
interface ConfirmedLogins {
  readonly confirmations: Pick<ConfirmationStore, 'isConfirmed'>;
  readonly clock: Clock;
}

/**
 * Asserts that the person has proven a moment ago to be the one who signed in: a stolen session is not enough to make
 * credentials that outlive it. Operators at the machine itself pass, and a password that came with the request itself.
 * @throws ServiceError 'confirmation.required' also for API tokens and sessions of clients, which cannot be confirmed
 */
export async function assertConfirmed(
  { principal: { operator, proof } }: Caller,
  { confirmations, clock }: ConfirmedLogins,
): Promise<void> {
  if (operator || proof === 'password') {
    return;
  }
  if (typeof proof !== 'object') {
    throw new ServiceError(
      'confirmation.required',
      'This takes a password: sign in with a browser. API tokens and sessions are not enough',
    );
  }
  if (!(await confirmations.isConfirmed(proof.login, clock.now()))) {
    throw new ServiceError('confirmation.required', 'Confirm first that it is you: /admin/confirmation');
  }
}
