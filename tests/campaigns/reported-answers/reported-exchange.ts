import { computeResponse } from '../../../src/ocra/compute.ts';
import { deriveTokenKey } from '../../../src/ocra/key-derivation.ts';
import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import type { ClientAnswer, ReportedClient } from './reported-client.ts';
import type { CheckAnswer, Outcome, ReportedLedger } from './reported-ledger.ts';

/** A token, as known to its owner's device. */
export interface DeviceToken {
  readonly serial: string;
  readonly suite: string;
  readonly key: Buffer;
}

/** A challenge, as known to a portal. */
export interface OpenChallenge {
  readonly transactionId: string;
  readonly question: string;
}

/** The parameters of check_t. */
export interface ResponseToSend {
  readonly serial: string;
  readonly transactionId: string;
  readonly response: string;
  readonly right: boolean;
}

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const ACTIVATION_CODE = 'GEZDGNBVGY3TQOJQ01';

/** @returns the response of a device whose counter is at `counter` */
export function deviceResponse(
  { suite, key }: DeviceToken,
  { question }: OpenChallenge,
  counter: bigint,
): string {
  return computeResponse(parseOcraSuite(suite), key, { question, counter });
}

/** @returns another response of the same length */
export function otherResponse(response: string): string {
  return response.replace(/.$/, (last) => String((Number(last) + 1) % 10));
}

/** Enrols a token with the portal's key. @returns undefined if the portal got no confirmation */
export async function enrolPlain(
  ledger: ReportedLedger,
  client: ReportedClient,
  server: string,
  { serial, key }: { serial: string; key: Buffer },
): Promise<DeviceToken | undefined> {
  const begun = ledger.moment();
  const answer = await client.post(server, '/admin/init', {
    type: 'ocra',
    serial,
    otpkey: key.toString('hex'),
    ocrasuite: SUITE,
  });
  ledger.noteEnrolment(begun, { serial, step: 'plain', outcome: outcomeOf(ledger, '/admin/init', answer) });
  return answer.outcome === 'reported' ? { serial, suite: SUITE, key } : undefined;
}

/** The result of phase 1 of the roll-out, for the device. */
export interface FirstPhase {
  readonly serial: string;
  readonly suite: string;
  readonly sharedSecret: Uint8Array;
}

/** Phase 1 of the roll-out. */
export async function beginRollout(
  ledger: ReportedLedger,
  client: ReportedClient,
  server: string,
  serial: string,
): Promise<FirstPhase | undefined> {
  const begun = ledger.moment();
  const answer = await client.post(server, '/admin/init', {
    type: 'ocra',
    genkey: '1',
    sharedsecret: '1',
    serial,
  });
  ledger.noteEnrolment(begun, { serial, step: 'phase1', outcome: outcomeOf(ledger, '/admin/init', answer) });
  const url = answer.outcome === 'reported' ? parseQrTanUrl(String(answer.detail.app_import)) : undefined;
  return url?.kind === 'init' ? { serial, suite: url.suite, sharedSecret: url.sharedSecret } : undefined;
}

/** Phase 2 of the roll-out, with the first challenge. May be repeated until the first right response. */
export async function continueRollout(
  ledger: ReportedLedger,
  client: ReportedClient,
  server: string,
  { serial, suite, sharedSecret }: FirstPhase,
): Promise<{ token: DeviceToken; challenge: OpenChallenge } | undefined> {
  const begun = ledger.moment();
  const answer = await client.post(server, '/admin/init', {
    type: 'ocra',
    genkey: '1',
    serial,
    activationcode: ACTIVATION_CODE,
    message: 'Welcome',
  });
  const outcome = outcomeOf(ledger, '/admin/init', answer);
  const url = answer.outcome === 'reported' ? parseQrTanUrl(String(answer.detail.app_import)) : undefined;
  const { question, transactionId } = url?.kind === 'nonce' ? url : {};
  ledger.noteEnrolment(begun, { serial, step: 'phase2', outcome });
  ledger.noteChallenge(begun, { serial, outcome, transactionId, question });
  if (url?.kind !== 'nonce') {
    return undefined;
  }
  const key = Buffer.from(
    await deriveTokenKey({ sharedSecret, activationCode: ACTIVATION_CODE, nonce: url.nonce }),
  );
  return {
    token: { serial, suite, key },
    challenge: { transactionId: url.transactionId, question: url.question },
  };
}

/** Requests a challenge. */
export async function requestChallenge(
  ledger: ReportedLedger,
  client: ReportedClient,
  server: string,
  serial: string,
): Promise<OpenChallenge | undefined> {
  const begun = ledger.moment();
  const answer = await client.post(server, '/ocra/request', { serial, data: '' });
  const outcome = outcomeOf(ledger, '/ocra/request', answer);
  const url = answer.outcome === 'reported' ? parseQrTanUrl(String(answer.detail.data)) : undefined;
  const { question, transactionId } = url?.kind === 'req' ? url : {};
  ledger.noteChallenge(begun, { serial, outcome, transactionId, question });
  return question === undefined || transactionId === undefined ? undefined : { transactionId, question };
}

/** Sends a response. */
export async function sendResponse(
  ledger: ReportedLedger,
  client: ReportedClient,
  server: string,
  { serial, transactionId, response, right }: ResponseToSend,
): Promise<{ readonly outcome: Outcome; readonly answer: CheckAnswer | undefined }> {
  const begun = ledger.moment();
  const sentAt = performance.now();
  const reported = await client.post(server, '/ocra/check_t', {
    transactionid: transactionId,
    pass: response,
  });
  const outcome = outcomeOf(ledger, '/ocra/check_t', reported);
  const { failcount, result } = (reported.outcome === 'reported' ? reported.value : {}) as {
    failcount?: number;
    result?: boolean;
  };
  const answer =
    failcount === undefined || result === undefined ? undefined : { accepted: result, failCount: failcount };
  const { requestId } = reported;
  ledger.noteResponse(begun, {
    serial,
    transactionId,
    response,
    right,
    server,
    requestId,
    outcome,
    answer,
    sentAt,
  });
  return { outcome, answer };
}

/** Requests the status of a transaction. @returns true if it was reported as accepted */
export async function askStatus(
  ledger: ReportedLedger,
  client: ReportedClient,
  server: string,
  { serial, transactionId }: { serial: string; transactionId: string },
): Promise<boolean | undefined> {
  const begun = ledger.moment();
  const reported = await client.post(server, '/ocra/checkstatus', { transactionid: transactionId });
  if (outcomeOf(ledger, '/ocra/checkstatus', reported) !== 'reported' || reported.outcome !== 'reported') {
    return undefined;
  }
  const [entry] = reported.value as { valid_tan: boolean; failcount: number }[];
  if (entry === undefined) {
    ledger.noteStrange({ path: '/ocra/checkstatus', text: `nothing of ${transactionId}` });
    return undefined;
  }
  ledger.noteStatus(begun, { serial, transactionId, validTan: entry.valid_tan, failCount: entry.failcount });
  return entry.valid_tan;
}

function outcomeOf(ledger: ReportedLedger, path: string, answer: ClientAnswer): Outcome {
  if (answer.outcome === 'strange') {
    ledger.noteStrange({ path, text: answer.why });
    return 'unknown';
  }
  return answer.outcome;
}
