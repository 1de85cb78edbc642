import {
  type OpenChallenge,
  openChallenge,
  respond,
  openActivation,
  startRollOut,
} from '../../../src/device/challenge.ts';
import type { DeviceToken, ReadyToken } from '../../../src/device/device-token.ts';
import { readCode } from '../../../src/device/read-code.ts';
import { encodeActivationCode } from '../../../src/ocra/key-derivation.ts';
import { call, callWithDetail } from '../api/call.ts';

/** No page of this device sends a response by itself, so that codes without an address are read, too. */
const POLICY = { requireCallback: false };
const ACTIVATION_BYTES = 10;

/** The owner of a virtual token. */
export interface VirtualOwner {
  /** Empty: nobody. */
  readonly user: string;
  /** Empty: the default realm. */
  readonly realm: string;
}

/** The texts that the server stores with a virtual token. */
export interface EnrolmentTexts {
  readonly description: string;
  /** Shown by the device in phase 2. */
  readonly message: string;
}

/**
 * Enrols a virtual token by both phases, up to its first challenge, which the person confirms. The keys are in the
 * result only.
 * @throws ServerFailure; ServiceError for a code that the device refuses
 */
export async function enrolVirtualToken(
  { user, realm }: VirtualOwner,
  { description, message }: EnrolmentTexts,
): Promise<OpenChallenge> {
  const owner = { ...(user !== '' && { user }), ...(realm !== '' && { realm }) };
  const phase1 = await callWithDetail('/admin/init', {
    type: 'ocra',
    genkey: '1',
    sharedsecret: '1',
    description,
    ...owner,
  });
  const token = startToken(importOf(phase1.detail));
  const activationcode = encodeActivationCode(crypto.getRandomValues(new Uint8Array(ACTIVATION_BYTES)));
  const phase2 = await callWithDetail('/admin/init', {
    type: 'ocra',
    genkey: '1',
    serial: token.serial,
    activationcode,
    message,
    ...owner,
  });
  const code = importOf(phase2.detail);
  const url = readCode(code);
  if (url.kind !== 'nonce') {
    throw new Error('the server has sent another code than that of phase 2');
  }
  return openActivation([token], url, code, activationcode, POLICY);
}

/**
 * Reads the code of a challenge, as the camera of an app does.
 * @throws ServiceError 'qrtan-url.invalid' if it is signed for another token
 */
export function readChallenge(token: ReadyToken, code: string): OpenChallenge {
  const url = readCode(code);
  if (url.kind !== 'req') {
    throw new Error('this is no code of a challenge');
  }
  return openChallenge([token], url, code, POLICY);
}

/** Computes the response that the person has confirmed. @returns it, and the token with its next counter */
export function confirmChallenge(challenge: OpenChallenge): {
  readonly token: ReadyToken;
  readonly response: string;
} {
  return respond(challenge, { now: new Date() });
}

/**
 * Sends a response.
 * @returns the answer of the server
 * @throws ServerFailure
 */
export function sendResponse(
  transactionid: string,
  pass: string,
): Promise<{ readonly failcount: number; readonly result: boolean }> {
  return call('/ocra/check_t', { transactionid, pass });
}

function startToken(code: string): DeviceToken {
  const url = readCode(code);
  if (url.kind !== 'init') {
    throw new Error('the server has sent another code than that of phase 1');
  }
  return startRollOut([], url).token;
}

function importOf(detail: object | undefined): string {
  if (detail === undefined || !('app_import' in detail) || typeof detail.app_import !== 'string') {
    throw new Error('the server has sent no code');
  }
  return detail.app_import;
}
