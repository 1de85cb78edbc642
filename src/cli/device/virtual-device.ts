import { CliFailure } from '../cli-failure.ts';
import type { CommandContext } from '../command-context.ts';
import { changeDeviceFile, type DeviceState } from './device-file.ts';
import {
  decline,
  type OpenChallenge,
  openChallenge,
  respond,
  awaitedToken,
  openActivation,
  startRollOut,
} from '../../device/challenge.ts';
import { type DeviceToken, findToken, putToken, removeToken } from '../../device/device-token.ts';
import { readCode } from '../../device/read-code.ts';
import type { Clock, Random } from '../../kernel/clock.ts';
import { safeText } from '../../kernel/text.ts';
import { randomActivationCode } from '../../ocra/key-derivation.ts';
import type { DeclineKind } from '../../ocra/decline.ts';

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

/** A challenge that the device declines. */
export interface DeviceDecline extends Pick<OpenChallenge, 'message' | 'transactionId' | 'callbackUrl'> {
  readonly serial: string;
  /** What the app sends to `callbackUrl`. */
  readonly decline: string;
}

interface DeviceScan {
  readonly state: DeviceState;
  readonly answer: DeviceAnswer;
}

/**
 * Reads a code as a QR-TAN app does, without a phone: state in, state out. Like the real one, it refuses a challenge
 * whose signature is not its token's, and one without a destination for the response.
 * @param text the text of the QR code
 * @returns the app's screen, and its state afterwards
 * @throws ServiceError 'qrtan-url.invalid' for a code that the app refuses, 'activation-code.invalid',
 *   'data-input.invalid', 'suite.invalid', 'token.counter-exhausted'
 */
export async function readByApp(
  clock: Clock,
  state: DeviceState,
  text: string,
  questions: DeviceQuestions,
): Promise<DeviceScan> {
  const url = readCode(text);
  if (url.kind === 'init') {
    const { token, replaced } = startRollOut(state.tokens, url);
    const { serial, suite } = token;
    return { state: withToken(state, token), answer: { kind: 'init', serial, suite, replaced } };
  }
  if (url.kind === 'nonce') {
    // Before the question for the activation code.
    awaitedToken(state.tokens, url);
  }
  const challenge =
    url.kind === 'nonce'
      ? await openActivation(state.tokens, url, text, await questions.activationCode(state.activationCode))
      : openChallenge(state.tokens, url, text);
  const { kind, message, question, transactionId, callbackUrl, needsPin } = challenge;
  const { serial } = challenge.token;
  const pin = needsPin ? await questions.ocraPin(serial) : undefined;
  const { token, response } = respond(challenge, { now: clock.now(), pin });
  return {
    state: withToken(state, token),
    answer: { kind, serial, message, question, transactionId, callbackUrl, response },
  };
}

/**
 * Declines a challenge as the app does; the device stays as it is.
 * @throws ServiceError 'qrtan-url.invalid' for a code that the app refuses; CliFailure for one of a roll-out
 */
export function declineCode({ tokens }: DeviceState, text: string, kind: DeclineKind): DeviceDecline {
  const url = readCode(text);
  if (url.kind !== 'req') {
    throw new CliFailure(`only a challenge (lseqr://req) can be declined, and this is lseqr://${url.kind}`);
  }
  const challenge = openChallenge(tokens, url, text);
  const { message, transactionId, callbackUrl, token } = challenge;
  return { serial: token.serial, message, transactionId, callbackUrl, decline: decline(challenge, kind) };
}

function withToken(state: DeviceState, token: DeviceToken): DeviceState {
  return { ...state, tokens: putToken(state.tokens, token) };
}

/**
 * Lets the virtual device read a code.
 * @param file the file of its state
 * @returns its display
 * @throws ServiceError 'qrtan-url.invalid' for a code that it refuses
 */
export function readByDevice(
  { dependencies: { clock } }: CommandContext,
  file: string,
  text: string,
  questions: DeviceQuestions,
): Promise<DeviceAnswer> {
  return changeDeviceFile(file, async (before) => {
    const { state, answer } = await readByApp(clock, before, text, questions);
    return { state, result: answer };
  });
}

/** @returns the lines that the device shows for a challenge */
export function deviceScreen(answer: DeviceAnswer): string {
  return answer.kind === 'init'
    ? `The virtual device has read the code: ${safeText(answer.serial)} is on it.`
    : `The virtual device shows:\n  message   ${safeText(answer.message)}\n  response  ${answer.response}`;
}

/** Removes a token from the device. @throws CliFailure if it has no such token */
export async function forgetToken(file: string, serial: string): Promise<void> {
  await changeDeviceFile(file, (state) => {
    if (findToken(state.tokens, serial) === undefined) {
      throw new CliFailure(`the device has no token ${serial}`);
    }
    return Promise.resolve({
      state: { ...state, tokens: removeToken(state.tokens, serial) },
      result: undefined,
    });
  });
}

/** @returns a new activation code, which the device keeps for the second roll-out phase */
export function makeActivationCode(file: string, random: Random): Promise<string> {
  const activationCode = randomActivationCode(random);
  return changeDeviceFile(file, (state) =>
    Promise.resolve({ state: { ...state, activationCode }, result: activationCode }),
  );
}
