import type { Act } from '../policy/caller.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Token } from '../tokens/token.ts';
import type { Clock, Random } from '../kernel/clock.ts';
import { Reported } from '../kernel/bounded-work.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { ShownQuestions } from '../ocra/question.ts';
import type { NewChallenge } from './challenge.ts';
import { valuesForToken } from '../policy/policy-value.ts';

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

/** Common parts of all challenges, of transactions and of roll-outs. */
export class ChallengeFactory {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Log;
  readonly #transactionIds: TransactionIds;
  /** Tokens without an address, of which the log was told. */
  readonly #warned: Reported;

  constructor(dependencies: { clock: Clock; random: Random; log: Log; transactionIds: TransactionIds }) {
    this.#clock = dependencies.clock;
    this.#random = dependencies.random;
    this.#log = dependencies.log;
    this.#transactionIds = dependencies.transactionIds;
    this.#warned = new Reported(dependencies);
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
    const at = this.#clock.now();
    const urls = valuesForToken(configuration.policies, 'qrtanurl', token, { client, at });
    if (urls.length > 1) {
      throw new ServiceError(
        'challenge.url-ambiguous',
        `The policies name ${urls.length} different values of qrtanurl for the realms of the token '${token.serial}'`,
        { urls, realms: token.realms },
      );
    }
    if (urls[0] === undefined && token.type === 'ocra2' && this.#warned.isNew(token.serial, DAY_MS)) {
      this.#log.warn(
        'no active policy of scope authentication with the action qrtanurl covers this token: apps will refuse its QR codes',
        { requestId, serial: token.serial, realms: token.realms.join(', ') },
      );
    }
    return urls[0] ?? '';
  }

  /**
   * Makes a challenge under a transaction id of its own.
   * @param questions those that may be shown; all have one length, and so have the URLs
   * @param store stores it, as `ChallengeStore.issue`
   * @param isTriggered true for a challenge to a PIN
   * @returns the challenge as it was stored
   * @throws ServiceError 'challenge.too-long', before anything is stored
   */
  async issue(
    questions: ShownQuestions,
    urlOf: (transactionId: string, question: string) => string,
    store: (
      drawn: Pick<NewChallenge, 'transactionId' | 'question' | 'questions' | 'issuedAt'>,
    ) => Promise<string | undefined>,
    isTriggered = false,
  ): Promise<{ readonly transactionId: string; readonly question: string; readonly url: string }> {
    for (let attempt = 0; attempt < 8; attempt += 1) {
      const transactionId = this.#transactionIds(this.#random, isTriggered);
      const issuedAt = this.#clock.now();
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
