import { type Act, serverCaller } from '../policy/caller.ts';
import type { PasskeyService } from './passkey-service.ts';
import type { SecondFactor } from './administrator.ts';
import type { PasskeyOptions, UsedPasskey } from './passkey.ts';
import type { RequestedFactor } from './session.ts';
import type { Clock } from '../kernel/clock.ts';
import { type ErrorCode, isServiceError, ServiceError } from '../kernel/errors.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import { isLocked, isUsable } from '../tokens/token.ts';
import type { ChallengeService } from '../challenges/challenge-service.ts';

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

/** The challenge for the person: the content of a QR code, or the options of `navigator.credentials.get`. */
export type ShownFactor =
  | { readonly kind: 'token'; readonly transactionId: string; readonly url: string }
  | { readonly kind: 'passkey'; readonly options: PasskeyOptions };

/** The proof of the second step. Neither: the app may have answered at /ocra/check_t itself. */
export interface SecondProof {
  readonly response?: string | undefined;
  /** The assertion of a passkey: JSON, as browsers make it. */
  readonly credential?: string | undefined;
}

/** A second factor that was proven. */
export interface ProvenFactor {
  readonly factor: SecondFactor;
  /** For a passkey. */
  readonly used?: UsedPasskey | undefined;
}

/**
 * Requests and verifies second factors: OCRA tokens of this server, whose challenges live as any other, and passkeys.
 */
export class SecondStep {
  readonly #deps;

  constructor(dependencies: {
    readonly ocra: Pick<ChallengeService, 'requestChallenge' | 'checkTransaction' | 'status'>;
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
    const { serial, tokenId } = factor;
    const { transactionId, url } = await this.#issue(factor, text, act);
    return {
      requested: { kind: 'token', serial, tokenId, transactionId },
      shown: { kind: 'token', transactionId, url },
    };
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
    const { ocra, passkeys } = this.#deps;
    if (requested.kind === 'passkey') {
      const used =
        credential === undefined
          ? undefined
          : await passkeys.verify(administrator, requested.challenge, credential);
      return used && { factor: { kind: 'passkey' }, used };
    }
    const { serial, tokenId, transactionId } = requested;
    const proven = { factor: { kind: 'token', serial, tokenId } } as const;
    if (response !== undefined) {
      const { client, requestId, action } = act;
      const reference = { transactionId, pass: response };
      const { result } = await ocra.checkTransaction({ client, requestId, action }, reference);
      return result ? proven : undefined;
    }
    const state = await this.#state(transactionId, act);
    return state === 'answered' ? proven : state;
  }

  async #issue(
    { serial, tokenId }: Extract<SecondFactor, { kind: 'token' }>,
    text: string,
    act: Act,
  ): Promise<{ readonly transactionId: string; readonly url: string }> {
    const { ocra, tokenStore, clock } = this.#deps;
    const token = await tokenStore.findBySerial(serial);
    if (token === undefined || token.id !== tokenId || !isUsable(token, clock.now()) || isLocked(token)) {
      throw unusable(act.actor);
    }
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
