import { type Act, serverCaller } from '../policy/caller.ts';
import type { PasskeyService } from './passkey-service.ts';
import type { SecondFactor } from './administrator.ts';
import type { PasskeyOptions } from './passkey.ts';
import type { ProvenFactor, RequestedFactor } from './session.ts';
import type { Clock } from '../kernel/clock.ts';
import { type ErrorCode, isServiceError, ServiceError } from '../kernel/errors.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import { isFactorToken, isLocked, isOcraToken, isReserved, isUsable, type Token } from '../tokens/token.ts';
import type { ChallengeService } from '../challenges/challenge-service.ts';
import type { SignInResponseService } from '../validation/sign-in-response-service.ts';

type RequestedToken = Extract<RequestedFactor, { kind: 'token' }>;

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

/**
 * The challenge for the person: the content of a QR code, or the options of `navigator.credentials.get`. `code`: there is
 * none, as an authenticator app shows the response (HOTP, TOTP) by itself.
 */
export type ShownFactor =
  | { readonly kind: 'token'; readonly transactionId: string; readonly url: string }
  | { readonly kind: 'code' }
  | { readonly kind: 'passkey'; readonly options: PasskeyOptions };

/** The proof of the second step. Neither: the app may have answered at /ocra/check_t itself. */
export interface SecondProof {
  readonly response?: string | undefined;
  /** The assertion of a passkey: JSON, as browsers make it. */
  readonly credential?: string | undefined;
}

/**
 * Requests and verifies second factors: OCRA tokens of this server, whose challenges live as any other, its tokens of
 * HOTP and TOTP, whose responses are passes without a PIN, and passkeys.
 */
export class SecondStep {
  readonly #deps;

  constructor(dependencies: {
    readonly ocra: Pick<ChallengeService, 'requestChallenge' | 'checkTransaction' | 'status'>;
    readonly responses: SignInResponseService;
    readonly tokenStore: Pick<TokenStore, 'findBySerial'>;
    readonly passkeys: Pick<PasskeyService, 'request' | 'verify'>;
    readonly clock: Clock;
  }) {
    this.#deps = dependencies;
  }

  /**
   * @param text displayed by the app of a token
   * @throws ServiceError 'second-factor.unusable' where the token cannot answer: removed, disabled, locked, …
   */
  async request(
    administrator: string,
    factor: SecondFactor,
    text: string,
    act: Act,
  ): Promise<{ readonly requested: RequestedFactor; readonly shown: ShownFactor }> {
    if (factor.kind === 'passkey') {
      const { options, challenge } = await this.#deps.passkeys.request(administrator);
      return { requested: { kind: 'passkey', challenge }, shown: { kind: 'passkey', options } };
    }
    const token = await this.#answering(factor);
    if (token === undefined) {
      throw unusable(act.actor);
    }
    if (!isOcraToken(token)) {
      return { requested: factor, shown: { kind: 'code' } };
    }
    const { transactionId, url } = await this.#issue(token, text, act);
    return { requested: { ...factor, transactionId }, shown: { kind: 'token', transactionId, url } };
  }

  /**
   * @returns undefined for a wrong proof: the challenge of a passkey must then end; `waiting` while the app has not
   *   answered; `over` where it cannot any more
   */
  async verify(
    administrator: string,
    requested: RequestedFactor,
    { response, credential }: SecondProof,
    act: Act,
  ): Promise<ProvenFactor | 'waiting' | 'over' | undefined> {
    const { ocra, responses, passkeys } = this.#deps;
    if (requested.kind === 'passkey') {
      const used =
        credential === undefined
          ? undefined
          : await passkeys.verify(administrator, requested.challenge, credential);
      return used && { factor: { kind: 'passkey' }, used };
    }
    const { serial, tokenId, transactionId } = requested;
    const proven = { factor: { kind: 'token', serial, tokenId } } as const;
    const { client, requestId, action } = act;
    const unnamed = { client, requestId, action };
    if (transactionId === undefined) {
      const isRight =
        response !== undefined &&
        (await responses.check({ serial, tokenId }, response, { ...unnamed, actor: '' }));
      return isRight ? proven : this.#codeState(requested, response);
    }
    if (response !== undefined) {
      const { result } = await ocra.checkTransaction(unnamed, { transactionId, pass: response });
      return result ? proven : undefined;
    }
    const state = await this.#state(transactionId, act);
    return state === 'answered' ? proven : state;
  }

  /** @returns the token, unless it can answer nothing now */
  async #answering({
    serial,
    tokenId,
  }: Pick<RequestedToken, 'serial' | 'tokenId'>): Promise<Token | undefined> {
    const token = await this.#deps.tokenStore.findBySerial(serial);
    const isMeant = token?.id === tokenId && token !== undefined && isFactorToken(token);
    return isMeant && isUsable(token, this.#deps.clock.now()) && !isLocked(token) ? token : undefined;
  }

  /** @param wrong a response that was wrong, and may have been the last one that is taken */
  async #codeState(
    requested: RequestedToken,
    wrong: string | undefined,
  ): Promise<'waiting' | 'over' | undefined> {
    const token = await this.#answering(requested);
    if (token === undefined || isReserved(token)) {
      return 'over';
    }
    return wrong === undefined ? 'waiting' : undefined;
  }

  async #issue(
    { serial }: Token,
    text: string,
    act: Act,
  ): Promise<{ readonly transactionId: string; readonly url: string }> {
    const { ocra } = this.#deps;
    try {
      return await ocra.requestChallenge(serverCaller(act), { serial, data: text, signIn: true });
    } catch (error) {
      throw isServiceError(error) && UNUSABLE.includes(error.code) ? unusable(act.actor, error) : error;
    }
  }

  /** @returns `answered` after a right response, `over` where none is accepted, also of a locked token */
  async #state(transactionId: string, act: Act): Promise<'waiting' | 'answered' | 'over'> {
    const { ocra, clock } = this.#deps;
    const [entry] = await ocra.status(serverCaller(act), { transactionId });
    if (entry?.active !== true) {
      return 'over';
    }
    if (entry.validTan) {
      return 'answered';
    }
    const { dropped, locked, expiresAt } = entry;
    return dropped || locked || clock.now() >= expiresAt ? 'over' : 'waiting';
  }
}

function unusable(account: string, cause?: Error): ServiceError {
  return new ServiceError(
    'second-factor.unusable',
    'The second factor cannot be used. An operator can set another one: tankeeper second-factor',
    { account, ...(cause !== undefined && { cause, detail: cause.message }) },
  );
}
