import type { Act } from '../policy/caller.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { isLocked, isOcraToken, isUsable, lastUse, type Token, type TokenSecrets } from '../tokens/token.ts';
import type { Clock, Random } from '../kernel/clock.ts';
import { Reported } from '../kernel/bounded-work.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { Vault } from '../keys/vault.ts';
import { buildRequestUrl } from '../ocra/qrtan-url.ts';
import type { Issuer } from '../ocra/issuer.ts';
import { ShownQuestions } from '../ocra/question.ts';
import { type ChallengeOfToken, expiryOf, type NewChallenge } from './challenge.ts';
import type { ChallengeIssueStore } from './challenge-issue-store.ts';
import { type OcraSettings, readOcraSettings } from '../configuration/settings.ts';
import { valuesForToken } from '../policy/read-policy.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import { requireOcraKey } from './token-key.ts';
import { parseOcraSuite } from '../ocra/suite.ts';
import { mayHoldResponse, type ProvidedResponse, type ResponseChecker } from './response-check.ts';

/** A challenge that was issued, and the URL by which an app reads it. */
export interface IssuedChallenge {
  readonly serial: string;
  readonly transactionId: string;
  /** RFC 6287 Q. */
  readonly question: string;
  /** The display data, as the client sent it. */
  readonly data: string;
  /** `lseqr://req?…`, the content of the QR code. */
  readonly url: string;
  /** The address that the app sends the response to; empty without a policy. */
  readonly callbackUrl: string;
}

/** A challenge for a token as it was read, and what must still hold of the token when the challenge is stored. */
type IssueRequest = Pick<NewChallenge, 'data' | 'signIn' | 'owner' | 'realms' | 'isTriggered'>;

/**
 * The most open challenges of sign-ins of a token. More than may be begun: who knows a password must not end what the
 * token's owner has begun.
 */
const MAX_SIGN_IN_CHALLENGES = 200;

/** The most bytes that a QR code of any size holds (ISO/IEC 18004: version 40, level L, bytes). */
const QR_CODE_BYTES = 2953;
const DAY_MS = 86_400_000;

/**
 * Generates a transaction id.
 * @param isTriggered for a challenge to a PIN, whose id alone stands between an attacker and the response
 */
export type TransactionIds = (random: Random, isTriggered?: boolean) => string;

/** 20 hexadecimal digits: 80 random bits, which cannot be guessed. Of a challenge to a PIN 24. */
export const hexTransactionIds: TransactionIds = (random, isTriggered) =>
  random.bytes(isTriggered === true ? 12 : 10).toString('hex');

/**
 * 12 decimal digits, as LinOTP's clients know them. An attacker who guesses one still needs PIN and response. Of a
 * challenge to a PIN, where the response suffices, 17.
 */
export const decimalTransactionIds: TransactionIds = (random, isTriggered) => {
  const digits = `${sixDigits(random)}${sixDigits(random)}`;
  return isTriggered === true ? `${digits}${sixDigits(random).slice(1)}` : digits;
};

function sixDigits(random: Random): string {
  return random.below(1_000_000).toString().padStart(6, '0');
}

/** Issues challenges: of transactions, to PINs and in roll-outs. */
export class ChallengeFactory {
  readonly #deps;
  /** Realms without an address, of which the log was told. */
  readonly #warned: Reported;

  constructor(dependencies: {
    readonly issues: ChallengeIssueStore;
    readonly vault: Vault;
    readonly clock: Clock;
    readonly random: Random;
    readonly log: Log;
    readonly transactionIds: TransactionIds;
  }) {
    this.#deps = dependencies;
    this.#warned = new Reported(dependencies);
  }

  /**
   * Issues a challenge that the token answers with the key that it has.
   * @throws ServiceError 'token.not-ready', 'challenge.too-long', 'challenge.url-ambiguous' and as
   *   `ChallengeIssueStore.issue`
   */
  async issue(
    configuration: Configuration,
    token: Token,
    { data, signIn, owner, realms, isTriggered }: IssueRequest,
    act: Act,
  ): Promise<IssuedChallenge> {
    const { issues, vault, random } = this.#deps;
    const { suite, key } = requireOcraKey(vault, token);
    const callbackUrl = this.callbackUrl(configuration, token, act);
    const { revision } = configuration;
    const settings = readOcraSettings(configuration.settings);
    const bound = { owner, realms, key: keySecrets(token), ...(isTriggered && { pin: token.secrets.pin }) };
    const issued = await this.draw(
      settings,
      new ShownQuestions(suite, signIn ? '' : data, random),
      (transactionId, question) =>
        buildRequestUrl(suite, key, { message: data, callbackUrl, question, transactionId }),
      (drawn) =>
        issues.issue(
          { ...drawn, ...bound, tokenId: token.id, data, signIn, isTriggered, seen: token, revision },
          signIn ? MAX_SIGN_IN_CHALLENGES : settings.maxChallenges,
          act,
        ),
      isTriggered,
    );
    return { serial: token.serial, data, callbackUrl, ...issued };
  }

  /**
   * @returns the URL by which an app reads a challenge that was issued, with the address that the policies name now
   * @throws ServiceError as `issue`
   */
  code(
    configuration: Configuration,
    { challenge, token }: ChallengeOfToken,
    asked: Pick<Act, 'client' | 'requestId'>,
  ): string {
    const { suite, key } = requireOcraKey(this.#deps.vault, token);
    const { data: message, question, transactionId } = challenge;
    const callbackUrl = this.callbackUrl(configuration, token, asked);
    return buildRequestUrl(suite, key, { message, callbackUrl, question, transactionId });
  }

  /**
   * The address that the app sends its response to: the value of the action `qrtanurl` in scope authentication for the
   * token's realms and the client. Without one an app refuses the code, so a warning is logged, once a day for the tokens
   * of these realms: those without an app need no address.
   * @throws ServiceError 'challenge.url-ambiguous' where policies give different ones
   */
  callbackUrl(
    configuration: Configuration,
    token: Pick<Token, 'serial' | 'realms' | 'owner'>,
    { client, requestId }: Pick<Act, 'client' | 'requestId'>,
  ): string {
    const at = this.#deps.clock.now();
    const urls = valuesForToken(configuration.policies, 'qrtanurl', token, { client, at });
    if (urls.length > 1) {
      throw new ServiceError(
        'challenge.url-ambiguous',
        `The policies name ${urls.length} different values of qrtanurl for the realms of the token '${token.serial}'`,
        { urls, realms: token.realms },
      );
    }
    const realms = token.realms.join(', ');
    if (urls[0] === undefined && this.#warned.isNew(realms, DAY_MS)) {
      this.#deps.log.warn(
        'no active policy of scope authentication with the action qrtanurl covers this token: apps will refuse its QR codes',
        { requestId, serial: token.serial, realms },
      );
    }
    return urls[0] ?? '';
  }

  /** @returns the issuer that the policies name for a token; none where they name several */
  issuer(
    { policies }: Configuration,
    token: Pick<Token, 'realms' | 'owner'>,
    { client }: Pick<Act, 'client'>,
  ): Issuer | undefined {
    const at = this.#deps.clock.now();
    const [name, logo = ''] = ['issuer', 'issuerlogo'].map((action) => {
      const values = valuesForToken(policies, action, token, { client, at });
      return values.length === 1 ? values[0] : undefined;
    });
    return name === undefined ? undefined : { name, logo };
  }

  /**
   * Draws a challenge under a transaction id of its own.
   * @param questions those that may be shown; all have one length, and so have the URLs
   * @param store stores it, as `ChallengeIssueStore.issue`
   * @param isTriggered true for a challenge to a PIN
   * @returns the challenge as it was stored
   * @throws ServiceError 'challenge.too-long', before anything is stored
   */
  async draw(
    settings: OcraSettings,
    questions: ShownQuestions,
    urlOf: (transactionId: string, question: string) => string,
    store: (
      drawn: Pick<NewChallenge, 'transactionId' | 'question' | 'questions' | 'issuedAt' | 'expiresAt'>,
    ) => Promise<string | undefined>,
    isTriggered?: true,
  ): Promise<Pick<NewChallenge, 'transactionId' | 'question' | 'expiresAt'> & { readonly url: string }> {
    const { transactionIds, random, clock } = this.#deps;
    for (let attempt = 0; attempt < 8; attempt += 1) {
      const transactionId = transactionIds(random, isTriggered);
      const issuedAt = clock.now();
      const drawn = questions.draw();
      const url = urlOf(transactionId, drawn);
      assertFitsQrCode(url);
      const expiresAt = expiryOf(issuedAt, settings);
      const question = await store({ transactionId, question: drawn, questions, issuedAt, expiresAt });
      if (question !== undefined) {
        const issued = question === drawn ? url : urlOf(transactionId, question);
        return { transactionId, question, expiresAt, url: issued };
      }
    }
    throw new ServiceError('internal', 'No free transaction id was found');
  }
}

function assertFitsQrCode(url: string): void {
  if (Buffer.byteLength(url, 'utf8') > QR_CODE_BYTES) {
    throw new ServiceError(
      'challenge.too-long',
      `The data is too long for a QR code: the code's text would have ${Buffer.byteLength(url, 'utf8')} bytes, at most ${QR_CODE_BYTES} fit`,
    );
  }
}

/** A challenge that was issued to a PIN or password. */
export interface TriggeredChallenge extends IssuedChallenge {
  /** The type of the token: `ocra` or `ocra2`. */
  readonly tokenType: string;
  /** The words that ask a person for the response. */
  readonly prompt: string;
}

const PROMPT = 'Otp: ';

/** What a right PIN comes to where too many challenges have been issued to it, or its token has changed meanwhile. */
const NOT_ISSUED = 'not issued';

/**
 * The most challenges to a PIN, in multiples of those that may be open, within the lifetime of one: who knows a PIN
 * neither fills the database nor keeps its owner's own from being answered.
 */
const MOST = 10;

/**
 * Issues challenges to a PIN or password alone, without an administrator. A token takes part where the policy
 * `challenge_response` names its type, or where it is of the type ocra2, and only with a secret: where a policy asks for
 * none (`otppin=2`), anybody could have challenges issued. To a token without a PIN anybody can, by an empty one, where
 * `challenge_response` names its type.
 */
export class ChallengeTrigger {
  readonly #deps;

  constructor(dependencies: {
    readonly issues: ChallengeIssueStore;
    readonly factory: ChallengeFactory;
    readonly check: ResponseChecker;
    readonly tokenStore: Pick<TokenStore, 'findBySerial'>;
    readonly clock: Clock;
  }) {
    this.#deps = dependencies;
  }

  /** @returns those of the tokens that take part: the one used last first */
  candidates(
    configuration: Configuration,
    tokens: readonly Token[],
    { pass, client }: Pick<ProvidedResponse, 'pass' | 'client'>,
  ): readonly Token[] {
    const { check, clock } = this.#deps;
    const asks = { client, at: clock.now() };
    const isEmpty = (token: Token): boolean =>
      pass === '' && check.lacksPin(configuration, token, client) && isNamed(configuration, token, asks);
    return tokens
      .filter((token) => isUsable(token, asks.at) && !token.isSecondFactor && isComputing(token))
      .filter((token) => token.type === 'ocra2' || isNamed(configuration, token, asks))
      .filter((token) => check.secretOf(configuration, token, client) !== undefined || isEmpty(token))
      .sort((one, other) => lastUse(other) - lastUse(one));
  }

  /**
   * A directory may count wrong passwords, so that only one text is tried as password in a request.
   * @returns true if `pass` is first to be tried as a password with a response, where a challenge is open
   */
  mayBeResponse(
    configuration: Configuration,
    candidates: readonly Token[],
    provided: ProvidedResponse,
  ): boolean {
    const settings = readOcraSettings(configuration.settings);
    return candidates.some(
      (token) =>
        this.#deps.check.secretOf(configuration, token, provided.client) === 'password' &&
        mayHoldResponse(parseOcraSuite(token.algorithm ?? ''), provided.pass, settings),
    );
  }

  /**
   * Issues a challenge to the first token that is not locked and whose secret `provided.pass` is. Changes no counter.
   * @returns undefined: there is none
   * @throws ServiceError 'challenge.too-long', 'challenge.url-ambiguous', 'challenge.no-question',
   *   'resolver.unavailable', 'key.unavailable'
   */
  async issue(
    act: Act,
    configuration: Configuration,
    candidates: readonly Token[],
    provided: ProvidedResponse,
    data: string,
  ): Promise<TriggeredChallenge | typeof NOT_ISSUED | undefined> {
    const meant: Token[] = [];
    for (const token of candidates) {
      // Of each, so that the time does not tell which one it is, or that it is locked.
      if ((await this.#isSecret(configuration, token, provided)) && !isLocked(token)) {
        meant.push(token);
      }
    }
    const [token] = meant;
    if (token === undefined) {
      return undefined;
    }
    if (await this.#isFlooded(configuration, token)) {
      return NOT_ISSUED;
    }
    try {
      return await this.#issueTo(act, configuration, token, data);
    } catch (error) {
      if (!isServiceError(error, 'token.state') && !isServiceError(error, 'token.unknown')) {
        throw error;
      }
      // Changed meanwhile: disabled, with another owner, key or PIN, or locked, when a right one is as a wrong one.
      return (await this.#isLockedNow(token)) ? undefined : NOT_ISSUED;
    }
  }

  async #isSecret(configuration: Configuration, token: Token, provided: ProvidedResponse): Promise<boolean> {
    try {
      const { pass, client } = provided;
      return pass === ''
        ? this.#deps.check.lacksPin(configuration, token, client)
        : await this.#deps.check.isSecret(configuration, token, provided);
    } catch (error) {
      if (isServiceError(error, 'secret.unreadable')) {
        return false;
      }
      throw error;
    }
  }

  async #isLockedNow({ serial }: Token): Promise<boolean> {
    const token = await this.#deps.tokenStore.findBySerial(serial);
    return token !== undefined && isLocked(token);
  }

  async #isFlooded({ settings }: Configuration, { id }: Token): Promise<boolean> {
    const { maxChallenges, challengeTimeout } = readOcraSettings(settings);
    const since = new Date(Math.max(0, this.#deps.clock.now().getTime() - challengeTimeout * 1000));
    return (await this.#deps.issues.countTriggered(id, since)) >= MOST * maxChallenges;
  }

  async #issueTo(
    act: Act,
    configuration: Configuration,
    token: Token,
    data: string,
  ): Promise<TriggeredChallenge> {
    const request = { data, owner: token.owner ?? undefined, isTriggered: true } as const;
    const issued = await this.#deps.factory.issue(configuration, token, request, act);
    return { ...issued, tokenType: token.type, prompt: PROMPT };
  }
}

function isComputing(token: Token): boolean {
  const hasKey = token.secrets.seed !== null && token.algorithm !== null;
  // A roll-out is completed by the text that its enrolment named, not by one that somebody with the PIN may choose.
  const isReady = isOcraToken(token) && token.rollout === 'complete' && hasKey;
  return isReady && parseOcraSuite(token.algorithm).session === undefined;
}

function isNamed(
  { policies }: Configuration,
  token: Token,
  asks: { readonly client: string; readonly at: Date },
): boolean {
  const types = valuesForToken(policies, 'challenge_response', token, asks).flatMap((value) =>
    value.toLowerCase().trim().split(/\s+/),
  );
  return types.includes('*') || types.includes(token.type);
}

/** @returns the current secrets of the token, whose change gives it another key */
function keySecrets({
  rollout,
  secrets: { seed, sharedSecret },
}: Token): Pick<TokenSecrets, 'seed'> & Partial<Pick<TokenSecrets, 'sharedSecret'>> {
  return { seed, ...(rollout === 'phase1' && { sharedSecret }) };
}
