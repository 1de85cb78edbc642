import type { AccessControl } from '../policy/access-control.ts';
import { actOf, type Caller } from '../policy/caller.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import {
  isOcraToken,
  isOtpToken,
  isOwnedBy,
  isVisible,
  type Token,
  type TokenStateChange,
  unknownSerial,
} from '../tokens/token.ts';
import type { Vault } from '../keys/vault.ts';
import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { type OcraSettings, readOcraSettings } from '../configuration/settings.ts';
import type { ChallengeStore } from './challenge-store.ts';
import { requireTokenKey, responseInputs, timeWindowOf } from './token-key.ts';
import { type ConsecutiveResponses, resynchronise } from './resynchronisation.ts';
import type { TokenChoice, TokenReference } from './token-choice.ts';

interface ResynchronisationRequest extends TokenReference {
  readonly otp1: string;
  readonly otp2: string;
  /**
   * The question of `otp1`. Left out together with `challenge2`: the question of the token's last challenge but one.
   */
  readonly challenge1?: string | undefined;
  /** The question of `otp2`. Left out together with `challenge1`: the question of the token's last challenge. */
  readonly challenge2?: string | undefined;
}

/** Resynchronises tokens whose counter or clock has moved away from the server's. */
export class ResynchronisationService {
  readonly #deps;

  constructor(dependencies: {
    readonly configuration: Pick<ConfigurationStore, 'current'>;
    readonly access: AccessControl;
    readonly tokens: TokenChoice;
    readonly challenges: Pick<ChallengeStore, 'changeByQuestions'>;
    readonly vault: Vault;
    readonly clock: Clock;
  }) {
    this.#deps = dependencies;
  }

  /**
   * Resynchronises one token. The fail counter stays as it is: unlocking is a separate right.
   * @returns true if the two responses were found ahead and the token is in step again
   * @throws ServiceError 'right.missing', 'parameter.missing', 'user.unknown', 'token.unknown', 'token.ambiguous',
   *   'token.not-ocra', 'token.not-ready', 'token.state', 'data-input.invalid'
   */
  async resync(caller: Caller, request: ResynchronisationRequest): Promise<boolean> {
    const configuration = await this.#deps.configuration.current();
    const grant = this.#deps.access.authorize(configuration, caller, { scope: 'admin', action: 'resync' });
    const { serial, owner } = await this.#deps.tokens.only(configuration, request, {
      ...grant,
      includes: (token) => isVisible(token, grant),
      isMeant: (token) => isOcraToken(token) || isOtpToken(token),
    });
    const isUsers = (request.user ?? '') !== '';
    const settings = readOcraSettings(configuration.settings);
    const done = await this.#deps.challenges.changeByQuestions(
      serial,
      (token, questions) => {
        // The token may have left the administrator's realms, or its user, since it was read.
        if (!isVisible(token, grant) || (isUsers && (owner === null || !isOwnedBy(token, owner)))) {
          throw unknownSerial(serial);
        }
        return this.#decide(settings, token, toConsecutiveResponses(request, isOtpToken(token), questions));
      },
      actOf(caller, 'token/resync'),
    );
    if (done === undefined) {
      throw unknownSerial(serial);
    }
    return done;
  }

  #decide(settings: OcraSettings, token: Token, responses: ConsecutiveResponses): TokenStateChange | null {
    if (token.rollout === 'phase1') {
      throw new ServiceError(
        'token.not-ready',
        `The roll-out of the token '${token.serial}' is not finished`,
      );
    }
    const { vault, clock } = this.#deps;
    const opened = requireTokenKey(vault, token);
    const inputs = responseInputs(vault, opened, settings, token, clock.now());
    const timeWindow = timeWindowOf(opened.suite, settings, token);
    return resynchronise(inputs, { timeWindow }, token, responses);
  }
}

function toConsecutiveResponses(
  { otp1, otp2, challenge1 = '', challenge2 = '' }: ResynchronisationRequest,
  isOtp: boolean,
  [last = '', before = '']: readonly string[],
): ConsecutiveResponses {
  if (isOtp) {
    return { first: { question: '', response: otp1 }, second: { question: '', response: otp2 } };
  }
  const [first, second] = challenge1 === '' && challenge2 === '' ? [before, last] : [challenge1, challenge2];
  if (first === '' || second === '') {
    throw new ServiceError(
      'parameter.missing',
      'Two challenges are needed: put them to the token first, or name their questions by challenge1 and challenge2.',
      { parameters: ['challenge1', 'challenge2'] },
    );
  }
  return { first: { question: first, response: otp1 }, second: { question: second, response: otp2 } };
}
