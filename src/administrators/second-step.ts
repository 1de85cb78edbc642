import type { Act } from '../policy/caller.ts';
import type { PasskeyService } from './passkey-service.ts';
import type { SecondFactor } from './administrator.ts';
import type { PasskeyOptions, UsedPasskey } from './passkey.ts';
import type { RequestedFactor } from './session.ts';
import type { SecondFactorTokens } from './second-factor-tokens.ts';

interface SecondStepDependencies {
  readonly tokens: Pick<SecondFactorTokens, 'issue' | 'check' | 'state'>;
  readonly passkeys: Pick<PasskeyService, 'request' | 'verify'>;
}

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

/** Requests and verifies second factors: OCRA tokens of this server, and passkeys. */
export class SecondStep {
  readonly #deps: SecondStepDependencies;

  constructor(dependencies: SecondStepDependencies) {
    this.#deps = dependencies;
  }

  /**
   * @param text displayed by the app of a token
   * @throws ServiceError 'second-factor.unusable'
   */
  async request(
    administrator: string,
    factor: SecondFactor,
    text: string,
    act: Act,
  ): Promise<{ readonly requested: RequestedFactor; readonly shown: ShownFactor }> {
    const { tokens, passkeys } = this.#deps;
    if (factor.kind === 'passkey') {
      const { options, challenge } = await passkeys.request(administrator);
      return { requested: { kind: 'passkey', challenge }, shown: { kind: 'passkey', options } };
    }
    const { serial } = factor;
    const { transactionId, url } = await tokens.issue(serial, text, act);
    return {
      requested: { kind: 'token', serial, transactionId },
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
    const { tokens, passkeys } = this.#deps;
    if (requested.kind === 'passkey') {
      const used =
        credential === undefined
          ? undefined
          : await passkeys.verify(administrator, requested.challenge, credential);
      return used && { factor: { kind: 'passkey' }, used };
    }
    const { serial, transactionId } = requested;
    const proven = { factor: { kind: 'token', serial } } as const;
    if (response !== undefined) {
      return (await tokens.check(transactionId, response, act)) ? proven : undefined;
    }
    const state = await tokens.state(transactionId, act);
    return state === 'answered' ? proven : state;
  }
}
