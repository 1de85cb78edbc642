import type { Clock } from '../kernel/clock.ts';
import { type ErrorCode, isServiceError, ServiceError } from '../kernel/errors.ts';
import { type Act, serverCaller } from '../policy/caller.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import { isLocked, isOcraToken, isUsable } from '../tokens/token.ts';
import type { ChallengeService } from '../challenges/challenge-service.ts';

interface SecondFactorTokenDependencies {
  readonly ocra: Pick<ChallengeService, 'requestChallenge' | 'checkTransaction' | 'status'>;
  readonly tokens: Pick<TokenStore, 'findBySerial'>;
  readonly clock: Clock;
}

/** Faults of a token or of its policies, which only an operator can mend. */
const UNUSABLE: readonly ErrorCode[] = [
  'token.unknown',
  'token.not-ocra',
  'token.not-ready',
  'token.state',
  'challenge.too-long',
  'challenge.url-ambiguous',
  'challenge.no-question',
];

/** Challenges for the OCRA tokens with which administrators sign in. Their life is that of any other challenge. */
export class SecondFactorTokens {
  readonly #deps: SecondFactorTokenDependencies;

  constructor(dependencies: SecondFactorTokenDependencies) {
    this.#deps = dependencies;
  }

  /** @throws ServiceError 'second-factor.unusable' where the token cannot answer: removed, disabled, locked, … */
  async issue(
    serial: string,
    text: string,
    act: Act,
  ): Promise<{ readonly transactionId: string; readonly url: string }> {
    const token = await this.#deps.tokens.findBySerial(serial);
    if (token === undefined || !isUsable(token, this.#deps.clock.now()) || isLocked(token)) {
      throw unusable(act.actor);
    }
    try {
      const request = { serial, data: text, signIn: true } as const;
      return await this.#deps.ocra.requestChallenge(serverCaller(act), request);
    } catch (error) {
      throw isServiceError(error) && UNUSABLE.includes(error.code) ? unusable(act.actor, error) : error;
    }
  }

  /** @returns true if the response was accepted now */
  async check(transactionId: string, response: string, act: Act): Promise<boolean> {
    const { client, requestId, action } = act;
    const reference = { transactionId, pass: response };
    return (await this.#deps.ocra.checkTransaction({ client, requestId, action }, reference)).result;
  }

  /** @returns `answered` after a right response, `over` where none is accepted, also of a locked token */
  async state(transactionId: string, act: Act): Promise<'waiting' | 'answered' | 'over'> {
    const [entry] = await this.#deps.ocra.status(serverCaller(act), { transactionId });
    if (entry?.active !== true) {
      return 'over';
    }
    if (entry.validTan) {
      return 'answered';
    }
    const { dropped, locked, expiresAt } = entry;
    return dropped || locked || this.#deps.clock.now() >= expiresAt ? 'over' : 'waiting';
  }

  /** @returns true if there is such a token */
  async exists(serial: string): Promise<boolean> {
    const token = await this.#deps.tokens.findBySerial(serial);
    return token !== undefined && isOcraToken(token);
  }
}

function unusable(account: string, cause?: Error): ServiceError {
  return new ServiceError(
    'second-factor.unusable',
    'The second factor cannot be used. An operator can set another one: tankeeper admin second-factor',
    { account, ...(cause !== undefined && { cause, detail: cause.message }) },
  );
}
