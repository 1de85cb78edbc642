import { inspectActivationCode } from '../../../src/device/activation-code-entry.ts';
import { openActivation, openChallenge, respond, startRollOut } from '../../../src/device/challenge.ts';
import type { DeviceToken } from '../../../src/device/device-token.ts';
import { inspectDisplayText } from '../../../src/device/display-text.ts';
import { readCode } from '../../../src/device/read-code.ts';
import type { RandomNumbers } from '../../../src/kernel/clock.ts';
import { isServiceError } from '../../../src/kernel/errors.ts';
import {
  type DataInputs,
  type Question,
  computeResponse,
  encodeDataInput,
  timeStepAt,
} from '../../../src/ocra/compute.ts';
import { bytesFromHex, decodeHex, encodeHex } from '../../../src/ocra/hex.ts';
import {
  decodeActivationCode,
  decodeBase32,
  deriveTokenKey,
  encodeActivationCode,
  encodeBase32,
  normalizeActivationCode,
} from '../../../src/ocra/key-derivation.ts';
import {
  buildInitUrl,
  buildNonceUrl,
  buildRequestUrl,
  parseQrTanUrl,
  qrTanSignature,
  verifyQrTanSignature,
} from '../../../src/ocra/qrtan-url.ts';
import { questionFromData } from '../../../src/ocra/question.ts';
import { type HashName, type OcraSuite, hashLength, parseOcraSuite } from '../../../src/ocra/suite.ts';
import { verifyResponse } from '../../../src/ocra/verify.ts';
import {
  mutualClientQuestion,
  mutualServerQuestion,
  oneWayQuestion,
  questionFromHash,
  signatureQuestion,
} from '../values/modes.ts';

/** A row of a vector file, its name in the ledger, and its result. */
export interface CheckedRow {
  readonly name: string;
  readonly holds: boolean;
}

/** @returns text as the ledger writes it: in ASCII, other characters as \uXXXX */
function ledgerText(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * @returns the result of `attempt`, or undefined if it is refused with a ServiceError; any other error is a fault and
 * passes through
 */
async function unlessRefused<Value>(attempt: () => Value | Promise<Value>): Promise<Value | undefined> {
  try {
    return await attempt();
  } catch (error) {
    if (isServiceError(error)) {
      return undefined;
    }
    throw error;
  }
}

/** @returns the bytes of a vector; throws if it is not hexadecimal */
function fromHex(text: string): Uint8Array {
  const bytes = decodeHex(text);
  if (bytes === undefined) {
    throw new Error(`not hexadecimal: ${text}`);
  }
  return bytes;
}

/*
 * The runners in this folder import nothing of Node and of Jest: Jest and a browser compute the same vectors with the
 * same code.
 */

/** A number beyond 2^53 as the value of a key. JSON.parse would round it, so it is read as text. */
const LONG_INTEGER = /("[^"\\]*": )(-?\d{16,})(?=[,}\]\s])/g;

/** @returns the JSON text read, with integers of sixteen digits or more as text, exactly */
export function parseExactly(json: string): unknown {
  return JSON.parse(json.replace(LONG_INTEGER, '$1"$2"'));
}

/** @returns the rows of a file with one JSON object a line */
export function rowsOf<Row>(text: string): Row[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseExactly(line) as Row);
}

interface Rfc6287Row {
  readonly suite: string;
  readonly keyHex: string;
  readonly question: string;
  readonly counter?: number;
  readonly pinSha1Hex?: string;
  readonly timeSteps?: number;
  readonly response: string;
}

/** The vectors tell the hash of it. */
const PIN = '1234';

/** Computes each response of RFC 6287, Appendix C, and verifies it. */
function checkRfc6287(text: string): CheckedRow[] {
  const { vectors } = parseExactly(text) as { readonly vectors: readonly Rfc6287Row[] };
  return vectors.map((vector) => {
    const { suite, key, ...inputs } = readRfc6287(vector);
    const now = new Date((vector.timeSteps ?? 0) * 60_000);
    return {
      name: `${vector.suite} ${vector.question} ${vector.response}`,
      holds:
        computeResponse(suite, key, inputs) === vector.response &&
        verifyResponse({ suite, key, ...withoutTime(inputs), response: vector.response, now }) !== undefined,
    };
  });
}

/** Appendix C names its questions after the mode: CLI and SRV for mutual, SIG for signatures. */
function questionOf(suite: OcraSuite, question: string): Question {
  const [first, second] = [question.slice(0, 8), question.slice(8)];
  switch (question.slice(0, 3)) {
    case 'CLI':
      return mutualServerQuestion(first, second);
    case 'SRV':
      return mutualClientQuestion(second, first);
    case 'SIG':
      return signatureQuestion(suite, question);
    default:
      return oneWayQuestion(question);
  }
}

function readRfc6287(vector: Rfc6287Row) {
  const suite = parseOcraSuite(vector.suite);
  return {
    suite,
    key: fromHex(vector.keyHex),
    question: questionOf(suite, vector.question),
    pin: vector.pinSha1Hex === undefined ? undefined : PIN,
    counter: vector.counter === undefined ? undefined : BigInt(vector.counter),
    timeStep: vector.timeSteps === undefined ? undefined : BigInt(vector.timeSteps),
  };
}

function withoutTime({ question, pin, counter }: Omit<ReturnType<typeof readRfc6287>, 'suite' | 'key'>) {
  return { question, pin, counter };
}

/** Numbers beyond 2^53 come as text; `T` is in seconds, `T_precomputed` in steps. */
interface ResponseRow {
  readonly suite: string;
  readonly key: string;
  readonly params: {
    readonly Q?: string | null;
    readonly C?: number | string | null;
    readonly P?: string | null;
    readonly S?: string | null;
    readonly T?: number | string | null;
    readonly T_precomputed?: number | string;
  };
  readonly ok?: { readonly data_input_hex: string; readonly message_hex: string; readonly otp: string };
  readonly error?: { readonly message: string };
}

/** Computes data inputs and responses again. */
function checkResponses(text: string): Promise<CheckedRow[]> {
  return Promise.all(rowsOf<ResponseRow>(text).map(checkResponse));
}

async function checkResponse(row: ResponseRow): Promise<CheckedRow> {
  const suite = parseOcraSuite(row.suite);
  const inputs = inputsOf(suite, row);
  const computed = await unlessRefused(() => ({
    message_hex: encodeHex(encodeDataInput(suite, inputs)),
    otp: computeResponse(suite, fromHex(row.key), inputs),
  }));
  const holds = computed?.otp === row.ok?.otp && computed?.message_hex === row.ok?.message_hex;
  return { name: nameOf(row), holds };
}

/** A whole number, in whatever form the row has it; else undefined, as if it were not given. */
function whole(value: number | string | null | undefined): bigint | undefined {
  return /^\d+$/.test(String(value)) ? BigInt(String(value)) : undefined;
}

function inputsOf(suite: OcraSuite, { params }: ResponseRow): DataInputs {
  const seconds = whole(params.T);
  return {
    question: params.Q ?? '',
    counter: whole(params.C),
    pin: params.P ?? undefined,
    session: params.S ?? undefined,
    timeStep:
      seconds === undefined
        ? whole(params.T_precomputed)
        : timeStepAt(suite, new Date(Number(seconds) * 1_000)),
  };
}

function nameOf(row: ResponseRow): string {
  const params = Object.entries(row.params).map(([name, value]) =>
    name === 'S' ? `S=${fullness(parseOcraSuite(row.suite), row)}` : `${name}=${ledgerText(value)}`,
  );
  return [row.suite, ...params, '=>', row.ok?.otp ?? row.error?.message].join(' ');
}

function fullness(suite: OcraSuite, { params }: ResponseRow): string {
  if (params.S === undefined || params.S === null || params.S === '') {
    return 'empty';
  }
  return params.S.length === suite.session?.length ? 'full' : 'partial';
}

interface QuestionRow {
  readonly suite: string;
  readonly data: string;
  readonly typ_used_by_challenge: 'raw' | 'random';
  readonly raw: { readonly ok: string };
  readonly random: { readonly ok: string };
  readonly hash_of_utf8: { readonly ok: string };
}

/** Makes questions again. */
function checkQuestions(text: string): CheckedRow[] {
  return rowsOf<QuestionRow>(text).map((row) => {
    const suite = parseOcraSuite(row.suite);
    return {
      name: `${row.suite} ${ledgerText(row.data)}`,
      holds:
        questionFromData(suite, row.data, counting()) === row[row.typ_used_by_challenge].ok &&
        questionFromData(suite, undefined, counting()) === row.random.ok &&
        questionFromHash(suite, row.data) === row.hash_of_utf8.ok,
    };
  });
}

/** Draws 0, 1, 2 … in turn, as was done when the rows were computed. */
function counting(): RandomNumbers {
  let next = 0;
  return { below: (bound) => next++ % bound };
}

/** A suite, and its parts or LinOTP's refusal. */
export interface SuiteRow {
  readonly suite: string;
  readonly ok?: {
    readonly C: 'C' | null;
    readonly P: number | null;
    readonly Q: readonly [string, number] | null;
    readonly S: number | null;
    readonly T: number | null;
    readonly hash_digest_size: number;
    readonly truncation: number;
  };
  readonly error?: { readonly message: string };
}

/** Reads suites again. */
function checkSuites(text: string): Promise<CheckedRow[]> {
  return Promise.all(
    rowsOf<SuiteRow>(text).map(async ({ suite, ok }) => {
      const parsed = await unlessRefused(() => asRecorded(parseOcraSuite(suite)));
      return { name: suite, holds: JSON.stringify(parsed) === JSON.stringify(ok) };
    }),
  );
}

function asRecorded(suite: OcraSuite): NonNullable<SuiteRow['ok']> {
  return {
    C: suite.counter ? 'C' : null,
    P: suite.pin === undefined ? null : hashLength(suite.pin.hash),
    Q: [suite.question.format, suite.question.length],
    S: suite.session?.length ?? null,
    T: suite.timeStep ?? null,
    hash_digest_size: hashLength(suite.hash),
    truncation: suite.truncation,
  };
}

/** An activation code, and its bytes. */
interface ActivationCodeRow {
  readonly acode_hex: string;
  readonly with_checksum: string;
  readonly without_checksum: string;
}

/** A text as typed, and as it is put right. */
interface NormalizeRow {
  readonly in: string;
  readonly out: { readonly ok: string };
}

/** The key of a token, and what it is derived from. */
interface KeyRow {
  readonly sharedsecret: string;
  readonly activationcode: string;
  readonly nonce: string;
  readonly len: number;
  readonly iterations?: number;
  readonly digest?: string;
  /** false: the code comes without its two hexadecimal digits. */
  readonly checksum?: false;
  readonly ok?: string;
}

/** Writes and reads activation codes again. */
function checkActivationCodes(text: string): CheckedRow[] {
  return rowsOf<ActivationCodeRow>(text).map((row) => {
    const bytes = fromHex(row.acode_hex);
    const holds =
      encodeActivationCode(bytes) === row.with_checksum &&
      encodeBase32(bytes) === row.without_checksum &&
      encodeHex(decodeActivationCode(row.with_checksum)) === row.acode_hex;
    return { name: row.with_checksum, holds };
  });
}

/** Puts typed codes right again. */
function checkNormalization(text: string): CheckedRow[] {
  return rowsOf<NormalizeRow>(text).map((row) => ({
    name: row.in,
    holds: normalizeActivationCode(row.in) === row.out.ok,
  }));
}

/** Derives keys again. */
function checkKeys(text: string): Promise<CheckedRow[]> {
  return Promise.all(
    rowsOf<KeyRow>(text).map(async (row) => {
      const key = await unlessRefused(() => deriveKey(row));
      return { name: `${row.activationcode} len=${row.len} nonce=${row.nonce}`, holds: key === row.ok };
    }),
  );
}

async function deriveKey(row: KeyRow): Promise<string> {
  return encodeHex(
    await deriveTokenKey({
      sharedSecret: bytesFromHex(row.sharedsecret, 'sharedsecret'),
      activationCode:
        row.checksum === false
          ? (decodeBase32(row.activationcode) ?? row.activationcode)
          : row.activationcode,
      nonce: bytesFromHex(row.nonce, 'nonce'),
      length: row.len,
      ...(row.iterations === undefined ? {} : { iterations: row.iterations }),
      ...(row.digest === undefined ? {} : { hash: row.digest.toLowerCase() as HashName }),
    }),
  );
}

interface SignatureRow {
  readonly suite: string;
  readonly key: string;
  readonly data_hex: string;
  readonly signature: string;
}

interface InitRow {
  readonly kind: 'init';
  readonly suite: string;
  readonly serial: string;
  readonly sharedsecret: string;
  readonly data: string;
}

interface ChallengeRow {
  readonly kind: 'req' | 'nonce';
  readonly suite: string;
  readonly key: string;
  readonly message: string | null;
  readonly url: string;
  readonly challenge: string;
  readonly transactionid: string;
  readonly nonce?: string;
  readonly serial?: string;
  readonly data: string;
}

/** A URL for apps, and what it was made of. */
type UrlRow = InitRow | ChallengeRow;

/** Writes, reads and verifies URLs again. A URL that is read differently is a fault. */
function checkUrls(text: string): CheckedRow[] {
  return rowsOf<UrlRow>(text).map((row) => (row.kind === 'init' ? checkInit(row) : checkChallenge(row)));
}

/** Computes signatures again. */
function checkSignatures(text: string): CheckedRow[] {
  return rowsOf<SignatureRow>(text).map((row) => ({
    name: `${row.suite} ${row.data_hex}`,
    holds:
      qrTanSignature(parseOcraSuite(row.suite), fromHex(row.key), fromHex(row.data_hex)) === row.signature,
  }));
}

function checkInit(row: InitRow): CheckedRow {
  const fields = { sharedSecret: fromHex(row.sharedsecret), suite: row.suite, serial: row.serial };
  assertReadAs(row.data, { kind: 'init', ...fields });
  return { name: row.data, holds: buildInitUrl(fields) === row.data };
}

function checkChallenge(row: ChallengeRow): CheckedRow {
  const suite = parseOcraSuite(row.suite);
  const key = fromHex(row.key);
  const fields = {
    message: row.message ?? undefined,
    callbackUrl: row.url,
    question: row.challenge,
    transactionId: row.transactionid,
  };
  const rollout = { nonce: fromHex(row.nonce ?? ''), serial: row.serial ?? '' };
  const built =
    row.kind === 'req'
      ? buildRequestUrl(suite, key, { ...fields, message: fields.message ?? '' })
      : buildNonceUrl(suite, key, { ...fields, ...rollout });
  assertReadAs(row.data, {
    kind: row.kind,
    ...fields,
    ...(row.kind === 'nonce' ? rollout : {}),
    signature: row.data.slice(row.data.lastIndexOf('=') + 1),
  });
  return { name: row.data, holds: built === row.data && verifyQrTanSignature(suite, key, row.data) };
}

function assertReadAs(url: string, expected: object): void {
  const [is, shouldBe] = [flat(parseQrTanUrl(url)), flat(expected)];
  if (is !== shouldBe) {
    throw new Error(`${url} is read as ${is}, not as ${shouldBe}`);
  }
}

/** @returns the fields in order, as text: bytes in hexadecimal */
function flat(fields: object): string {
  return JSON.stringify(
    Object.entries(fields)
      .map(([name, value]: [string, unknown]) => ({
        name,
        value: value instanceof Uint8Array ? encodeHex(value) : (value ?? null),
      }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
  );
}

interface WindowRow {
  readonly suite: string;
  readonly key: string;
  readonly challenge: string;
  readonly counter: number;
  readonly window: number;
  /** With a transaction id where the transaction was never answered. */
  readonly options: { readonly transactionid?: string } | null;
}

interface CounterRow extends WindowRow {
  readonly result_for_tan_of_counter_0_44: readonly (number | string)[];
}

interface TimeRow extends WindowRow {
  readonly now: number;
  readonly timeshift: number;
  /** The token's clock against the server's, in seconds, and the second of the match, -1 for none. */
  readonly offset_result: readonly (readonly [number, number | string])[];
}

const OF_NO_MATTER = new Date(0);

/** Searches for counters again. */
function checkCounterWindows(text: string): CheckedRow[] {
  return rowsOf<CounterRow>(text).map(checkCounters);
}

/** Searches for time steps again. */
function checkTimeWindows(text: string): CheckedRow[] {
  return rowsOf<TimeRow>(text).map(checkTimes);
}

function readWindow(row: WindowRow) {
  return {
    suite: parseOcraSuite(row.suite),
    key: fromHex(row.key),
    question: row.challenge,
    counter: BigInt(row.counter),
    lookBehind: row.options?.transactionid !== undefined,
  };
}

function checkCounters(row: CounterRow): CheckedRow {
  const { suite, key, question, counter, lookBehind } = readWindow(row);
  const found = row.result_for_tan_of_counter_0_44.map((_, used) => {
    const response = computeResponse(suite, key, { question, counter: BigInt(used) });
    const result = verifyResponse({
      suite,
      key,
      question,
      counter,
      lookBehind,
      response,
      counterWindow: row.window,
      now: OF_NO_MATTER,
    });
    return result === undefined ? -1 : Number(result.counter ?? counter);
  });
  return {
    name: `${row.suite} counter=${row.counter} window=${row.window} ${JSON.stringify(row.options)}`,
    holds: JSON.stringify(found) === JSON.stringify(row.result_for_tan_of_counter_0_44),
  };
}

function checkTimes(row: TimeRow): CheckedRow {
  const { suite, key, question, counter, lookBehind } = readWindow(row);
  const found = row.offset_result.map(([offset]) => {
    const timeStep = timeStepAt(suite, new Date((row.now + offset) * 1_000));
    const result = verifyResponse({
      suite,
      key,
      question,
      counter,
      lookBehind,
      response: computeResponse(suite, key, { question, timeStep }),
      now: new Date(row.now * 1_000),
      timeWindow: 180,
      timeShift: row.timeshift,
    });
    return [offset, result === undefined ? -1 : Number(result.second)];
  });
  return {
    name: `${row.suite} counter=${row.counter} shift=${row.timeshift} ${JSON.stringify(row.options)}`,
    holds: JSON.stringify(found) === JSON.stringify(row.offset_result),
  };
}

const WITHOUT_CALLBACK = { requireCallback: false };
const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QA64');
const NOW = new Date(0);

/** Lets an app read the URLs of LinOTP: of first codes it keeps the secret, of challenges it computes the response. */
function checkDevice(text: string): CheckedRow[] {
  return rowsOf<UrlRow>(text)
    .filter(({ kind }) => kind !== 'nonce')
    .map((row) => ({ name: row.data, holds: isReadByDevice(row) }));
}

/** Lets an app read second codes that are signed with LinOTP's keys: it must derive the same keys. */
async function checkActivation(text: string): Promise<CheckedRow[]> {
  const rows = rowsOf<KeyRow>(text).filter(isDerivedByDevice);
  return Promise.all(
    rows.map(async (row) => ({ name: row.nonce, holds: (await activatedKey(row)) === row.ok })),
  );
}

/** Types activation codes, in small letters. */
function checkTypedCodes(text: string): CheckedRow[] {
  return rowsOf<ActivationCodeRow>(text)
    .filter(({ acode_hex: bytes }) => bytes !== '')
    .map(({ with_checksum: code }) => {
      const entry = inspectActivationCode(code.toLowerCase());
      return { name: code, holds: entry.code === code && entry.checksum === 'right' };
    });
}

/** Takes display texts apart. The name of a row tells the result, which must be the same everywhere. */
function checkDisplayTexts(text: string): CheckedRow[] {
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

/** A computation of all vectors of a file. */
interface VectorRun {
  /** The name of the file in tests/vectors. */
  readonly file: string;
  /** Number of rows that it checks. */
  readonly rows: number;
  readonly check: (text: string) => readonly CheckedRow[] | Promise<readonly CheckedRow[]>;
}

/** Every file of vectors through `src/ocra`. */
export const OCRA_RUNS: readonly VectorRun[] = [
  { file: 'rfc6287.json', rows: 70, check: checkRfc6287 },
  { file: 'linotp-activation-code.jsonl', rows: 51, check: checkActivationCodes },
  { file: 'linotp-challenge.jsonl', rows: 98, check: checkQuestions },
  { file: 'linotp-check-otp-counter.jsonl', rows: 35, check: checkCounterWindows },
  { file: 'linotp-check-otp-time.jsonl', rows: 9, check: checkTimeWindows },
  { file: 'linotp-kdf2.jsonl', rows: 99, check: checkKeys },
  { file: 'linotp-lseqr-url.jsonl', rows: 177, check: checkUrls },
  { file: 'linotp-normalize-activation-code.jsonl', rows: 14, check: checkNormalization },
  { file: 'linotp-ocra-edge.jsonl', rows: 33, check: checkResponses },
  { file: 'linotp-ocra-generated.jsonl', rows: 173, check: checkResponses },
  { file: 'linotp-ocra-rfc6287.jsonl', rows: 19, check: checkResponses },
  { file: 'linotp-sign-data.jsonl', rows: 26, check: checkSignatures },
  { file: 'linotp-suite-parse.jsonl', rows: 71, check: checkSuites },
];

/** Files of vectors through `src/device`, without the rows that an app never sees. */
export const DEVICE_RUNS: readonly VectorRun[] = [
  { file: 'linotp-lseqr-url.jsonl', rows: 53, check: checkDevice },
  { file: 'linotp-kdf2.jsonl', rows: 34, check: checkActivation },
  { file: 'linotp-activation-code.jsonl', rows: 50, check: checkTypedCodes },
  { file: 'linotp-challenge.jsonl', rows: 98, check: checkDisplayTexts },
];

/**
 * Checks all vectors.
 * @param read returns the text of a file
 * @returns the rows of each run, of `OCRA_RUNS` first
 */
export function runAllVectors(
  read: (file: string) => string | Promise<string>,
): Promise<(readonly CheckedRow[])[]> {
  return Promise.all([...OCRA_RUNS, ...DEVICE_RUNS].map(async ({ file, check }) => check(await read(file))));
}
