import type { Act } from '../policy/caller.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Token } from '../tokens/token.ts';
import type { Clock, Random } from '../kernel/clock.ts';
import { Reported } from '../kernel/bounded-work.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { Vault } from '../keys/vault.ts';
import { buildRequestUrl, type Issuer } from '../ocra/qrtan-url.ts';
import { ShownQuestions } from '../ocra/question.ts';
import type { NewChallenge } from './challenge.ts';
import type { ChallengeIssueStore } from './challenge-issue-store.ts';
import { readOcraSettings } from '../configuration/settings.ts';
import { valuesForToken } from '../policy/read-policy.ts';
import { keySecrets, requireTokenKey } from './token-key.ts';

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
interface IssueRequest extends Pick<NewChallenge, 'data' | 'signIn' | 'owner' | 'realms'> {
  /** True for a challenge to a PIN: the token must still have it, and be neither locked nor disabled. */
  readonly isTriggered?: true;
}

/** The most bytes that a QR code of any size holds (ISO/IEC 18004: version 40, level L, bytes). */
const QR_CODE_BYTES = 2953;
const DAY_MS = 86_400_000;

/**
 * Generates a transaction id.
 * @param isTriggered for a challenge to a PIN, which its id tells: see `isTriggered`
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

interface ChallengeFactoryDependencies {
  readonly issues: ChallengeIssueStore;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly transactionIds: TransactionIds;
}

/** Issues challenges: of transactions, to PINs and in roll-outs. */
export class ChallengeFactory {
  readonly #deps: ChallengeFactoryDependencies;
  /** Tokens without an address, of which the log was told. */
  readonly #warned: Reported;

  constructor(dependencies: ChallengeFactoryDependencies) {
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
    const { suite, key } = requireTokenKey(vault, token);
    const callbackUrl = this.callbackUrl(configuration, token, act);
    const { maxChallenges } = readOcraSettings(configuration.settings);
    const bound = { owner, realms, key: keySecrets(token), ...(isTriggered && { pin: token.secrets.pin }) };
    const issued = await this.draw(
      new ShownQuestions(suite, signIn ? '' : data, random),
      (transactionId, question) =>
        buildRequestUrl(suite, key, { message: data, callbackUrl, question, transactionId }),
      (drawn) =>
        issues.issue(
          { ...drawn, ...bound, tokenId: token.id, data, signIn, seen: token },
          maxChallenges,
          act,
        ),
      isTriggered,
    );
    return { serial: token.serial, data, callbackUrl, ...issued };
  }

  /**
   * The address that the app sends its response to: the value of the action `qrtanurl` in scope authentication for the
   * token's realms and the client. Without one the app of a QR-TAN token refuses the code, so a warning is logged, one a
   * token and day.
   * @throws ServiceError 'challenge.url-ambiguous' where policies give different ones
   */
  callbackUrl(
    configuration: Configuration,
    token: Pick<Token, 'serial' | 'type' | 'realms' | 'owner'>,
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
    if (urls[0] === undefined && token.type === 'ocra2' && this.#warned.isNew(token.serial, DAY_MS)) {
      this.#deps.log.warn(
        'no active policy of scope authentication with the action qrtanurl covers this token: apps will refuse its QR codes',
        { requestId, serial: token.serial, realms: token.realms.join(', ') },
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
    questions: ShownQuestions,
    urlOf: (transactionId: string, question: string) => string,
    store: (
      drawn: Pick<NewChallenge, 'transactionId' | 'question' | 'questions' | 'issuedAt'>,
    ) => Promise<string | undefined>,
    isTriggered?: true,
  ): Promise<{ readonly transactionId: string; readonly question: string; readonly url: string }> {
    const { transactionIds, random, clock } = this.#deps;
    for (let attempt = 0; attempt < 8; attempt += 1) {
      const transactionId = transactionIds(random, isTriggered);
      const issuedAt = clock.now();
      const drawn = questions.draw();
      const url = urlOf(transactionId, drawn);
      assertFitsQrCode(url);
      const question = await store({ transactionId, question: drawn, questions, issuedAt });
      if (question !== undefined) {
        return { transactionId, question, url: question === drawn ? url : urlOf(transactionId, question) };
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
