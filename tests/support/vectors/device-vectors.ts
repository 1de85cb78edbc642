import { inspectActivationCode } from '../../../src/device/activation-code-entry.ts';
import { openChallenge, respond, openActivation, startRollOut } from '../../../src/device/challenge.ts';
import type { DeviceToken } from '../../../src/device/device-token.ts';
import { inspectDisplayText } from '../../../src/device/display-text.ts';
import { readCode } from '../../../src/device/read-code.ts';
import { computeResponse } from '../../../src/ocra/compute.ts';
import { buildNonceUrl } from '../../../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { type CheckedRow, fromHex, ledgerText, rowsOf } from './checked-row.ts';
import type { ActivationCodeRow, KeyRow } from './roll-out-vectors.ts';
import type { UrlRow } from './url-vectors.ts';

const WITHOUT_CALLBACK = { requireCallback: false };
const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QA64');
const NOW = new Date(0);

/** Lets an app read the URLs of LinOTP: of first codes it keeps the secret, of challenges it computes the response. */
export function checkDevice(text: string): CheckedRow[] {
  return rowsOf<UrlRow>(text)
    .filter(({ kind }) => kind !== 'nonce')
    .map((row) => ({ name: row.data, holds: isReadByDevice(row) }));
}

/** Lets an app read second codes that are signed with LinOTP's keys: it must derive the same keys. */
export async function checkActivation(text: string): Promise<CheckedRow[]> {
  const rows = rowsOf<KeyRow>(text).filter(isDerivedByDevice);
  return Promise.all(
    rows.map(async (row) => ({ name: row.nonce, holds: (await activatedKey(row)) === row.ok })),
  );
}

/** Types activation codes, in small letters. */
export function checkTypedCodes(text: string): CheckedRow[] {
  return rowsOf<ActivationCodeRow>(text)
    .filter(({ acode_hex: bytes }) => bytes !== '')
    .map(({ with_checksum: code }) => {
      const entry = inspectActivationCode(code.toLowerCase());
      return { name: code, holds: entry.code === code && entry.checksum === 'right' };
    });
}

/** Takes display texts apart. The name of a row tells the result, which must be the same everywhere. */
export function checkDisplayTexts(text: string): CheckedRow[] {
  return rowsOf<{ readonly data: string; readonly suite: string }>(text).map(({ data, suite }) => {
    const { segments, reasons } = inspectDisplayText(data);
    return {
      name: `${suite} ${ledgerText(data)} => ${reasons.join()}`,
      holds: segments.map((segment) => segment.text).join('') === data,
    };
  });
}

function isReadByDevice(row: UrlRow): boolean {
  const url = readCode(`web+${row.data}`);
  if (row.kind === 'init') {
    return url.kind === 'init' && startRollOut([], url).token.sharedSecret === row.sharedsecret.toLowerCase();
  }
  const token: DeviceToken = {
    serial: 'T1',
    suite: row.suite,
    sharedSecret: '',
    counter: '0',
    key: row.key,
  };
  if (url.kind !== 'req') {
    return false;
  }
  const challenge = openChallenge([token], url, row.data, WITHOUT_CALLBACK);
  const suite = parseOcraSuite(row.suite);
  const expected = computeResponse(suite, fromHex(row.key), {
    question: row.challenge,
    counter: 0n,
    timeStep: 0n,
    pin: '1',
  });
  return (
    challenge.message === (row.message ?? '') &&
    respond(challenge, { now: NOW, pin: '1' }).response === expected
  );
}

/** Of the usual rounds, hash and length, with secrets of which a roll-out can be made. */
function isDerivedByDevice(row: KeyRow): boolean {
  const isUsual = row.iterations === undefined && row.digest === undefined && row.checksum === undefined;
  return (
    isUsual && row.ok !== undefined && row.len === 32 && row.sharedsecret.length >= 32 && row.nonce !== ''
  );
}

async function activatedKey({ sharedsecret, activationcode, nonce, ok = '' }: KeyRow): Promise<string> {
  const { token } = startRollOut([], {
    kind: 'init',
    sharedSecret: fromHex(sharedsecret),
    suite: SUITE.text,
    serial: 'T1',
  });
  const text = buildNonceUrl(SUITE, fromHex(ok), {
    message: undefined,
    callbackUrl: '',
    question: 'abc',
    transactionId: '1',
    serial: 'T1',
    nonce: fromHex(nonce),
  });
  const url = readCode(text);
  if (url.kind !== 'nonce') {
    return 'not read';
  }
  const challenge = await openActivation([token], url, text, activationcode, WITHOUT_CALLBACK);
  return challenge.token.key;
}
