import type { TokenOrOwner } from '../challenges/challenge.ts';
import type { ResponseChecker } from '../challenges/response-check.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Vault } from '../keys/vault.ts';
import type { Act } from '../policy/caller.ts';
import {
  isOtpToken,
  isOwnedBy,
  isReserved,
  isUnproven,
  isUsable,
  type Token,
  type TokenStateChange,
} from '../tokens/token.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import type { OwnerId } from '../users/user.ts';
import type { PassChecker } from './pass-checker.ts';
import type { PassStore, SeenByPass } from './pass-store.ts';
import { decidePass, type PassDecision } from './pass.ts';

interface GivenResponse {
  readonly response: string;
  /** Which tokens take one. */
  readonly takes: (token: Token, now: Date) => boolean;
  /** What else changes of the token with a right one. */
  readonly completed?: (token: Token) => TokenStateChange;
}

/**
 * Checks responses of HOTP and TOTP at sign-ins, and the first one of a token that its owner enrols: alone, as the person
 * has given a password before.
 */
export class SignInResponseService {
  readonly #deps;

  constructor(dependencies: {
    readonly vault: Vault;
    readonly configuration: Pick<ConfigurationStore, 'current'>;
    readonly tokenStore: Pick<TokenStore, 'findBySerial'>;
    readonly check: Pick<ResponseChecker, 'prepare'>;
    readonly passCheck: PassChecker;
    readonly passes: PassStore;
    readonly clock: Clock;
  }) {
    this.#deps = dependencies;
  }

  /**
   * Accepts a response at most once, here or as a pass, over all servers. A wrong one counts as a pass does, but for a
   * token that is reserved (`isReserved`), which takes none.
   * @param token undefined id: the token is gone, or has another key
   * @throws ServiceError 'secret.unreadable'
   */
  async check(
    { serial, tokenId }: { readonly serial: string; readonly tokenId: string | undefined },
    response: string,
    act: Act,
  ): Promise<boolean> {
    const token = await this.#deps.tokenStore.findBySerial(serial);
    return token !== undefined && token.id === tokenId
      ? this.#settle(token, { serial }, { response, takes: takesResponse }, act)
      : false;
  }

  /**
   * Completes the enrolment of an unproven token by its first response, which serves for nothing else. A wrong one counts
   * for the token.
   * @returns false also where the token is not unproven, or not the owner's
   * @throws ServiceError 'secret.unreadable'
   */
  async prove(serial: string, owner: OwnerId, response: string, act: Act): Promise<boolean> {
    const token = await this.#deps.tokenStore.findBySerial(serial);
    if (token === undefined || !isOwnedBy(token, owner)) {
      return false;
    }
    const completed = (one: Token): TokenStateChange => this.#completion(one);
    return this.#settle(token, { owner }, { response, takes: isUnproven, completed }, act);
  }

  async #settle(
    token: Token,
    tokenOrOwner: TokenOrOwner,
    { response, takes, completed }: GivenResponse,
    act: Act,
  ): Promise<boolean> {
    const { configuration: store, check, passCheck, passes, clock } = this.#deps;
    const configuration = await store.current();
    const provided = check.prepare(response, act.client);
    const decideOn = async ({ tokens }: SeenByPass): Promise<PassDecision> => {
      const now = clock.now();
      const usable = tokens.filter((one) => takes(one, now));
      const reads = await passCheck.read(configuration, usable, provided);
      if (reads.length < usable.length) {
        throw new ServiceError('secret.unreadable', 'The secrets of the token cannot be read');
      }
      const tried = reads.map(({ pin, ...read }) => ({ ...read, isPin: pin === '', hasSecret: false }));
      const decided = decidePass({ tokens: tried, open: undefined, guessed: undefined, first: token }, now);
      if (decided.result && completed !== undefined) {
        const { subject, changes } = decided;
        return {
          ...decided,
          changes: changes.map((one) => ({ ...one, change: { ...one.change, ...completed(subject) } })),
        };
      }
      // What else was typed is not tried as a PIN or password.
      return tried.every(({ isPin }) => isPin)
        ? passCheck.explain(configuration, decided, tried, provided, true)
        : decided;
    };
    return (await passes.settle(tokenOrOwner, [token], decideOn, act)).result;
  }

  /** @returns the change by which an unproven token is one as all others */
  #completion({ serial, secrets: { sharedSecret } }: Token): TokenStateChange {
    const { vault } = this.#deps;
    const key = sharedSecret && vault.open(sharedSecret, 'shared-secret', serial);
    const secrets = { seed: key && vault.seal(key, 'seed', serial), sharedSecret: null };
    return { rollout: 'complete', active: true, secrets };
  }
}

function takesResponse(token: Token, now: Date): boolean {
  return isOtpToken(token) && token.rollout === 'complete' && isUsable(token, now) && !isReserved(token);
}
