import { hash } from 'node:crypto';
import type { AttemptLimit } from '../../limits/attempt-limit.ts';
import { composed } from '../../kernel/text.ts';
import { clientNetwork } from './networks.ts';
import type { LimitName, LimitReporter } from './limit-reporter.ts';

type Limit = Pick<AttemptLimit, 'wait' | 'count' | 'forgive'>;

/** The limits on wrong passwords. */
interface LoginLimits {
  /** By account, of each client for itself: nobody can lock others out. */
  readonly names: Limit;
  /** By client, for all accounts. */
  readonly clients: Limit;
}

/** A password to be verified. */
interface PasswordAttempt {
  readonly client: string;
  readonly account: string;
  readonly password: string;
}

/** A password of somebody whom an answer must not tell from nobody. */
interface NamedAttempt extends PasswordAttempt {
  /** The name of the person who is meant, whatever was written, or another one for what nobody is called. */
  readonly person: string;
}

/** Whose attempts are counted. */
type Counted = Omit<PasswordAttempt, 'password'>;

/** The wait that a client with too many passwords at once gets, in milliseconds. */
const RETRY_MS = 1_000;

/**
 * Limits wrong passwords by account and client, so that a client cannot lock others out of an account. Right passwords
 * are not counted. Names are counted as they are compared, so that unknown accounts behave like known ones.
 */
export class LoginGuard {
  readonly #deps;
  readonly #pending = new Map<string, Map<string, number>>();

  constructor(
    dependencies: LoginLimits & {
      readonly isExempt: (client: string) => boolean;
      readonly refusals: LimitReporter;
      /**
       * The most different passwords of one client that are verified at the same time; the same one may be given
       * repeatedly.
       */
      readonly atOnce: number;
    },
  ) {
    this.#deps = dependencies;
  }

  /**
   * Verifies a password within the limits. One that `recall` refuses is counted even if `verify` fails: otherwise a
   * client could try passwords without limit while the server is too busy to verify them.
   * @param verify yields undefined or false for a wrong password
   * @param recall yields the result of an earlier `verify` of the same password, `other` for another password than that
   *   one, undefined where nothing is remembered
   * @returns the result of `verify`
   * @throws ServiceError 'too-many-requests', or the error of `verify`
   */
  async attempt<Value>(
    attempt: PasswordAttempt,
    verify: () => Promise<Value>,
    recall: () => Value | 'other' | undefined = () => undefined,
  ): Promise<Value> {
    const keys = keysOf(attempt);
    const { network } = keys;
    this.#refuseAfter(network, this.#wait(keys, attempt.client));
    const leave = this.#enter(
      network,
      hash('sha256', `${composed(attempt.account)}\0${attempt.password}`, 'base64url'),
    );
    const count = async (): Promise<void> => {
      this.#refuseAfter(network, await this.#count(keys, attempt.client));
    };
    try {
      const recalled = recall();
      if (recalled !== undefined && recalled !== 'other') {
        return recalled;
      }
      const found = await verify().catch(async (error: unknown) => {
        await (recalled === 'other' ? count() : undefined);
        throw error;
      });
      if (found === undefined || found === false) {
        await count();
      }
      return found;
    } finally {
      leave();
    }
  }

  /**
   * As `attempt`, for a right password that only begins a sign-in. Each sign-in is counted, within the same limits, until it is
   * finished; apart from those, as the last one that may begin must be able to go on. Where only the limit of the person
   * is reached, a password is wrong: that several ways to write a login are counted together tells that it exists.
   * @param verify calls `count` once it has found the password right, before it begins anything
   */
  begin<Value>(
    { person, ...attempt }: NamedAttempt,
    verify: (count: () => Promise<void>) => Promise<Value | undefined>,
  ): Promise<Value | undefined> {
    const { client } = attempt;
    const own = keysOf({ client, account: person });
    const begun = keysOf(begunBy({ client, account: person }));
    const count = async (): Promise<void> => {
      this.#refuseAfter(begun.network, this.#wait(begun, client), 'begun-sign-ins');
      this.#refuseAfter(begun.network, await this.#count(begun, client), 'begun-sign-ins');
    };
    return this.attempt(attempt, async () => {
      const { names } = this.#deps;
      const found = names.wait(own.pair) > 0 ? undefined : await verify(count);
      if (found === undefined) {
        await names.count(own.pair);
      }
      return found;
    });
  }

  /** No longer counts a sign-in that was begun, by the name of the person. */
  async finish(attempt: Counted): Promise<void> {
    const { names, clients, isExempt } = this.#deps;
    const { network, pair } = keysOf(begunBy(attempt));
    await Promise.all([names.forgive(pair), isExempt(attempt.client) ? undefined : clients.forgive(network)]);
  }

  #wait({ network, pair }: Keys, client: string): number {
    const { names, clients, isExempt } = this.#deps;
    return Math.max(names.wait(pair), isExempt(client) ? 0 : clients.wait(network));
  }

  async #count({ network, pair }: Keys, client: string): Promise<number> {
    const { names, clients, isExempt } = this.#deps;
    const waits = await Promise.all([names.count(pair), isExempt(client) ? 0 : clients.count(network)]);
    return Math.max(...waits);
  }

  #refuseAfter(network: string, wait: number, limit: LimitName = 'login-failures'): void {
    if (wait > 0) {
      this.#deps.refusals.refuse(limit, network, wait);
    }
  }

  /** @returns a function that ends the attempt */
  #enter(network: string, credential: string): () => void {
    const mine = this.#pending.get(network) ?? new Map<string, number>();
    if (mine.size >= this.#deps.atOnce && !mine.has(credential)) {
      this.#deps.refusals.refuse('logins-at-once', network, RETRY_MS);
    }
    this.#pending.set(network, mine);
    mine.set(credential, (mine.get(credential) ?? 0) + 1);
    return () => {
      const left = (mine.get(credential) ?? 1) - 1;
      if (left > 0) {
        mine.set(credential, left);
        return;
      }
      mine.delete(credential);
      if (mine.size === 0) {
        this.#pending.delete(network);
      }
    };
  }
}

interface Keys {
  readonly network: string;
  /** The account and the network. */
  readonly pair: string;
}

/** The name under which sign-ins of the account are counted that are not finished. */
function begunBy({ client, account }: Counted): Counted {
  return { client, account: `begun ${account}` };
}

function keysOf({ client, account: named }: Counted): Keys {
  const network = clientNetwork(client);
  return { network, pair: `${network} ${hash('sha256', composed(named), 'base64url')}` };
}
