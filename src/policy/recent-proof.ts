import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { AccessControl } from './access-control.ts';
import type { Caller } from './caller.ts';
import type { PolicyBase } from './granting.ts';

/** The state that tells whether a login is confirmed. */
export interface ConfirmedLogins {
  readonly confirmations: { isConfirmed(login: Buffer, now: Date): Promise<boolean> };
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
  if (proof?.kind !== 'login') {
    throw new ServiceError(
      'confirmation.required',
      'This takes a password: sign in with a browser. API tokens and sessions are not enough',
    );
  }
  if (!(await confirmations.isConfirmed(proof.hash, clock.now()))) {
    throw new ServiceError('confirmation.required', 'Confirm first that it is you: /admin/confirmation');
  }
}

/**
 * Asserts that the caller may weaken a token with which an administrator signs in (`weakensFactor`), or remove it:
 * all who may enrol tokens could else answer for that administrator.
 * @throws ServiceError 'right.missing' without system:write, 'confirmation.required'
 */
export async function assertMayChangeFactor(
  caller: Caller,
  deps: ConfirmedLogins & {
    readonly access: Pick<AccessControl, 'authorize'>;
    readonly configuration: { current(): Promise<PolicyBase> };
  },
): Promise<void> {
  deps.access.authorize(await deps.configuration.current(), caller, { scope: 'system', action: 'write' });
  await assertConfirmed(caller, deps);
}
