import { actOf, type Caller } from '../policy/caller.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { CountCheck, CountVerification } from './ports.ts';

/** What the service works with. */
export interface CountDependencies {
  readonly verification: CountVerification;
}

/** Holds the counts that the database keeps against the tokens and users themselves. For operators at the machine. */
export class CountService {
  readonly #verification: CountVerification;

  constructor({ verification }: CountDependencies) {
    this.#verification = verification;
  }

  /** Counts anew and changes nothing. @throws ServiceError 'right.missing' for anybody but an operator */
  async verify(caller: Caller): Promise<CountCheck> {
    assertOperator(caller);
    return await this.#verification.verify();
  }

  /**
   * Counts anew and sets right what has drifted.
   * @returns what was wrong
   * @throws ServiceError 'right.missing' for anybody but an operator
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
