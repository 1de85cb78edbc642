import { LdapFault } from './ldap-fault.ts';

/** Lets a few at a time work, and the others wait for their turn, but not for ever. */
export class LdapSlots {
  #free: number;
  readonly #patience: number;
  readonly #waiting = new Set<() => void>();

  /** @param patience milliseconds */
  constructor({ slots, patience }: { slots: number; patience: number }) {
    this.#free = slots;
    this.#patience = patience;
  }

  /** @throws LdapFault 'busy' when no turn came in time */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) {
      this.#free -= 1;
    } else {
      await this.#turn();
    }
    try {
      return await work();
    } finally {
      this.#passOn();
    }
  }

  /** The slot goes from hand to hand: nobody who comes now overtakes. */
  #passOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
    } else {
      next();
    }
  }

  async #turn(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const take = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(take);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(take);
        reject(new LdapFault('busy', 'too many questions wait for the directory'));
      }, this.#patience);
      this.#waiting.add(take);
    });
  }
}
