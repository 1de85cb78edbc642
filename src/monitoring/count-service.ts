import { actOf, type Caller } from '../policy/caller.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { CountVerificationStore } from './token-count-store.ts';
import type { CountCheck } from './token-counts.ts';

/** Dependencies of the service. */
export interface CountDependencies {
  readonly verification: CountVerificationStore;
}

/** Compares the counts in the database with the tokens and users themselves. For operators at the machine. */
export class CountService {
  readonly #verification: CountVerificationStore;

  constructor({ verification }: CountDependencies) {
    this.#verification = verification;
  }

  /**
   * Counts anew and changes nothing.
   * @throws ServiceError 'right.missing' for a caller who is no operator
   */
  async verify(caller: Caller): Promise<CountCheck> {
    assertOperator(caller);
    return await this.#verification.verify();
  }

  /**
   * Counts anew and corrects the counts that have drifted.
   * @returns the counts that were wrong
   * @throws ServiceError 'right.missing' for a caller who is no operator
   */
  async mend(caller: Caller): Promise<CountCheck> {
    assertOperator(caller);
    return await this.#verification.mend(actOf(caller, 'count/mend'));
  }
}

function assertOperator({ principal }: Caller): void {
  if (!principal.operator) {
    throw new ServiceError('right.missing', 'Counts are verified at the machine itself only');
  }
}
