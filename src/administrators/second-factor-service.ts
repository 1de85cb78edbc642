import { isFactorToken, type Token } from '../tokens/token.ts';
import type { AdministratorStore } from './administrator-store.ts';
import type { Clock, Random } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { composed } from '../kernel/text.ts';
import { actOf, type Caller } from '../policy/caller.ts';
import { unknownAdministrator } from './administrator-service.ts';
import { assertPasskeys } from './passkey.ts';
import { assertConfirmed } from '../policy/recent-proof.ts';
import { attemptHash, newSession } from './session.ts';
import type { ConfirmationStore } from './confirmation-store.ts';
import type { SignInStore } from './sign-in-store.ts';

/** Seconds. */
const LINK_LIFETIME = 3_600;

/** Sets and removes second factors of administrators. Takes the right `system:write` and a confirmed login. */
export class SecondFactorService {
  readonly #deps;

  constructor(dependencies: {
    readonly administratorStore: Pick<AdministratorStore, 'setSecondFactor'>;
    readonly attempts: Pick<SignInStore, 'begin'>;
    /** The address of the server in browsers, without a slash at its end. */
    readonly publicUrl?: string | undefined;
    readonly clock: Clock;
    readonly random: Random;
    readonly confirmations: Pick<ConfirmationStore, 'isConfirmed'>;
  }) {
    this.#deps = dependencies;
  }

  /**
   * Binds a token to an administrator, with the key that it has, in place of another second factor. Ends all sessions.
   * @throws ServiceError 'administrator.unknown', 'token.unknown', 'token.state' before the end of its roll-out
   */
  async setToken(caller: Caller, administrator: string, serial: string): Promise<void> {
    await assertConfirmed(caller, this.#deps);
    await this.#set(caller, administrator, serial);
  }

  /**
   * Makes a link by which the administrator may register a passkey, within an hour and once. It stands for a second
   * factor, not for the password.
   * @returns the link, with its secret in the fragment, which no server sees
   * @throws ServiceError 'administrator.unknown', 'configuration.invalid' without a name in PUBLIC_URL
   */
  async passkeyLink(caller: Caller, administrator: string): Promise<{ link: string; expiresAt: Date }> {
    await assertConfirmed(caller, this.#deps);
    const { attempts, publicUrl, clock, random } = this.#deps;
    assertPasskeys(publicUrl);
    const secret = newSession(random);
    const expiresAt = new Date(clock.now().getTime() + LINK_LIFETIME * 1000);
    const act = actOf(caller, 'administrator/second-factor');
    const attempt = { hash: attemptHash(secret), content: { kind: 'link' }, expiresAt } as const;
    const owner = { administrator: composed(administrator) };
    if (!(await attempts.begin({ ...attempt, owner, client: act.client }, clock.now(), act))) {
      throw unknownAdministrator(administrator);
    }
    return { link: `${publicUrl}/console/#link=${secret}`, expiresAt };
  }

  /** Leaves the password alone. Ends all sessions. @throws ServiceError 'administrator.unknown' */
  async remove(caller: Caller, administrator: string): Promise<void> {
    await assertConfirmed(caller, this.#deps);
    await this.#set(caller, administrator, undefined);
  }

  async #set(caller: Caller, administrator: string, serial: string | undefined): Promise<void> {
    const act = actOf(caller, 'administrator/second-factor');
    const { administratorStore } = this.#deps;
    const assertFit = (token: Token | undefined): asserts token is Token => {
      assertFactor(token, serial ?? '');
    };
    if (!(await administratorStore.setSecondFactor(composed(administrator), serial, assertFit, act))) {
      throw unknownAdministrator(administrator);
    }
  }
}

function assertFactor(token: Token | undefined, serial: string): asserts token is Token {
  if (token === undefined || !isFactorToken(token)) {
    throw new ServiceError(
      'token.unknown',
      `There is no token of OCRA, HOTP or TOTP '${serial.slice(0, 128)}'`,
    );
  }
  if (token.rollout !== 'complete') {
    throw new ServiceError('token.state', `The roll-out of the token '${token.serial}' is not finished`);
  }
}
