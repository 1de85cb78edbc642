import type { Clock } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { normalizeActivationCode } from '../../ocra/activation-code.ts';
import { computeResponse } from '../../ocra/compute.ts';
import { timeStepAt } from '../../ocra/data-input.ts';
import { deriveTokenKey } from '../../ocra/key-derivation.ts';
import { verifyQrTanSignature } from '../../ocra/qrtan-signature.ts';
import { parseQrTanUrl, type QrTanUrl } from '../../ocra/qrtan-url.ts';
import { type OcraSuite, parseOcraSuite } from '../../ocra/suite.ts';
import { type DeviceState, type DeviceToken, findToken, putToken } from './device-state.ts';

/** The prompts of the app, each called only when needed. */
export interface DeviceQuestions {
  /** @param kept the code that the device made itself, if any */
  activationCode(kept: string | null): Promise<string>;
  /** Prompts for the PIN of suites with P. */
  ocraPin(serial: string): Promise<string>;
}

/** The result of a scan. */
export type DeviceAnswer =
  | {
      readonly kind: 'init';
      readonly serial: string;
      readonly suite: string;
      /** The device had a token of that serial, which is replaced. */
      readonly replaced: boolean;
    }
  | {
      readonly kind: 'nonce' | 'req';
      readonly serial: string;
      readonly message: string;
      readonly question: string;
      readonly transactionId: string;
      readonly callbackUrl: string;
      /** The response that the user types, or that the app sends to `callbackUrl`. */
      readonly response: string;
    };

export interface DeviceScan {
  readonly state: DeviceState;
  readonly answer: DeviceAnswer;
}

type InitUrl = Extract<QrTanUrl, { kind: 'init' }>;
type NonceUrl = Extract<QrTanUrl, { kind: 'nonce' }>;
type RequestUrl = Extract<QrTanUrl, { kind: 'req' }>;
type UsableToken = DeviceToken & { readonly key: string };

/**
 * A QR-TAN app without a phone: state in, state out. Like the real one, it refuses a challenge whose signature is not
 * its token's, and one without a destination for the response.
 */
export class VirtualDevice {
  readonly #clock: Clock;

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock;
  }

  /**
   * @param text the text of the QR code
   * @returns the app's screen, and its state afterwards
   * @throws ServiceError 'qrtan-url.invalid' for a code that the app refuses, 'activation-code.invalid',
   *   'data-input.invalid', 'suite.invalid'
   */
  async scan(state: DeviceState, text: string, questions: DeviceQuestions): Promise<DeviceScan> {
    const url = parseQrTanUrl(text.trim());
    switch (url.kind) {
      case 'init':
        return keepSharedSecret(state, url);
      case 'nonce':
        return this.#activate(state, url, text.trim(), questions);
      case 'req':
        return this.#respond(state, url, text.trim(), questions);
    }
  }

  async #activate(
    state: DeviceState,
    url: NonceUrl,
    text: string,
    questions: DeviceQuestions,
  ): Promise<DeviceScan> {
    assertCallback(url);
    const found = url.serial === undefined ? undefined : findToken(state, url.serial);
    if (found === undefined) {
      throw refused(
        `the device has no token ${url.serial ?? ''}: scan the code of the first roll-out phase first`,
      );
    }
    const suite = parseOcraSuite(found.suite);
    const code = normalizeActivationCode(await questions.activationCode(state.activationCode));
    const key = await deriveTokenKey({
      sharedSecret: Buffer.from(found.sharedSecret, 'hex'),
      activationCode: code.replaceAll('-', ''),
      nonce: url.nonce,
    });
    if (!verifyQrTanSignature(suite, key, text)) {
      throw refused('its signature is wrong: another activation code, or not from your server');
    }
    const keyText = Buffer.from(key).toString('hex');
    // Rescanning the same code must not reset the counter: its responses may have been used.
    const counter = keyText === found.key ? found.counter : '0';
    return this.#answer(state, url, { ...found, key: keyText, counter }, suite, questions);
  }

  /** The code of a challenge does not name its token: the token is found by the signature. */
  async #respond(
    state: DeviceState,
    url: RequestUrl,
    text: string,
    questions: DeviceQuestions,
  ): Promise<DeviceScan> {
    assertCallback(url);
    const usable = state.tokens.filter((token): token is UsableToken => token.key !== null);
    for (const token of usable) {
      const suite = parseOcraSuite(token.suite);
      if (verifyQrTanSignature(suite, Buffer.from(token.key, 'hex'), text)) {
        return this.#answer(state, url, token, suite, questions);
      }
    }
    throw refused('its signature is of none of the tokens on this device');
  }

  async #answer(
    state: DeviceState,
    url: NonceUrl | RequestUrl,
    token: UsableToken,
    suite: OcraSuite,
    questions: DeviceQuestions,
  ): Promise<DeviceScan> {
    const counter = BigInt(token.counter);
    const response = computeResponse(suite, Buffer.from(token.key, 'hex'), {
      question: url.question,
      counter,
      timeStep: timeStepAt(suite, this.#clock.now()),
      pin: suite.pin === undefined ? undefined : await questions.ocraPin(token.serial),
    });
    const next = suite.counter ? counter + 1n : counter;
    return {
      state: putToken(state, { ...token, counter: next.toString() }),
      answer: {
        kind: url.kind,
        serial: token.serial,
        message: url.message ?? '',
        question: url.question,
        transactionId: url.transactionId,
        callbackUrl: url.callbackUrl,
        response,
      },
    };
  }
}

function keepSharedSecret(state: DeviceState, url: InitUrl): DeviceScan {
  if (url.serial === undefined || url.serial === '') {
    throw refused('it names no serial');
  }
  const suite = parseOcraSuite(url.suite).text;
  if (url.sharedSecret.length === 0) {
    throw refused('its shared secret is empty');
  }
  const sharedSecret = Buffer.from(url.sharedSecret).toString('hex');
  const before = findToken(state, url.serial);
  if (before?.sharedSecret === sharedSecret && before.suite === suite) {
    return { state, answer: { kind: 'init', serial: before.serial, suite, replaced: false } };
  }
  return {
    state: putToken(state, { serial: url.serial, suite, sharedSecret, key: null, counter: '0' }),
    answer: { kind: 'init', serial: url.serial, suite, replaced: before !== undefined },
  };
}

function assertCallback({ callbackUrl }: NonceUrl | RequestUrl): void {
  if (callbackUrl === '') {
    throw refused("no callback URL; the server's policy qrtanurl is missing");
  }
}

function refused(why: string): ServiceError {
  return new ServiceError('qrtan-url.invalid', `wrong QR code: ${why}`);
}
