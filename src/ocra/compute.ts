import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { type ErrorPayloads, ServiceError } from '../kernel/errors.ts';
import type { HashName, OcraSuite, QuestionFormat, ResponseAlgorithm } from './suite.ts';
import { hmac as nobleHmac } from '@noble/hashes/hmac.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    /** The fault of the question: its length, or the format of the suite that it violates. */
    'data-input.invalid': { readonly question?: 'length' | 'A' | 'N' | 'H' };
  }
}

/** Two questions that are answered together, in this order (RFC 6287 §7.2: mutual challenge-response). */
export interface QuestionPair {
  readonly first: string;
  readonly second: string;
}

/** One question, or two in the mutual modes. */
export type Question = string | QuestionPair;

/** The parts of a data input that are the same over a whole window. Parts that the suite does not name are left out. */
export interface FixedInputs {
  /** Of no meaning for HOTP and TOTP. */
  readonly question: Question;
  /** In UTF-8 when it is hashed. */
  readonly pin?: string | undefined;
  /** Session information: a text is encoded as UTF-8. */
  readonly session?: string | Uint8Array | undefined;
}

/** All parts of a data input. */
export interface DataInputs extends FixedInputs {
  readonly counter?: bigint | undefined;
  /** Number of time steps since 1970 (`timeStepAt`). */
  readonly timeStep?: bigint | undefined;
}

/** A data input whose counter and time step are written in place, so that a window is encoded only once. */
export interface DataInputTemplate {
  readonly bytes: Uint8Array;
  /** Does nothing for a suite without C. */
  setCounter(counter: bigint): void;
  /** Does nothing for a suite without T. */
  setTimeStep(timeStep: bigint): void;
}

const QUESTION_BYTES = 128;
/** The largest C and T: both have eight bytes (RFC 6287 §5.1). */
export const MAX_COUNTER = 0xffff_ffff_ffff_ffffn;

/**
 * Encodes a data input: `OCRASuite | 00 | C | Q | P | S | T` (RFC 6287 §5.1), always in this order; for HOTP and TOTP
 * counter or time step alone (RFC 4226 §5.1, RFC 6238 §4.2).
 * @throws ServiceError 'data-input.invalid', naming the part that is missing or wrong
 */
export function encodeDataInput(suite: ResponseAlgorithm, inputs: DataInputs): Uint8Array {
  const parts: Uint8Array[] = suite.question === undefined ? [] : [utf8ToBytes(headOf(suite))];
  if (suite.counter) {
    parts.push(encodeUnsigned64('counter', inputs.counter));
  }
  if (suite.question !== undefined) {
    parts.push(encodeQuestion(suite.question, inputs.question));
  }
  if (suite.pin !== undefined) {
    parts.push(encodePin(suite.pin.hash, inputs));
  }
  if (suite.session !== undefined) {
    parts.push(encodeSession(suite.session.length, inputs.session));
  }
  if (suite.timeStep !== undefined) {
    parts.push(encodeUnsigned64('time step', inputs.timeStep));
  }
  return concatBytes(...parts);
}

/** @returns what precedes all other parts: nothing without a question */
function headOf({ text, question }: ResponseAlgorithm): string {
  return question === undefined ? '' : `${text}\0`;
}

/**
 * @returns a data input with counter and time step 0, and functions to change both. The caller keeps them from 0 to
 *   2^64 - 1.
 * @throws ServiceError 'data-input.invalid', as `encodeDataInput`
 */
export function dataInputTemplate(
  suite: ResponseAlgorithm,
  { question, pin, session }: FixedInputs,
): DataInputTemplate {
  const bytes = encodeDataInput(suite, { question, pin, session, counter: 0n, timeStep: 0n });
  const counterOffset = headOf(suite).length;
  const timeStepOffset = bytes.length - 8;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    bytes,
    setCounter: (counter) => {
      if (suite.counter) {
        view.setBigUint64(counterOffset, counter);
      }
    },
    setTimeStep: (timeStep) => {
      if (suite.timeStep !== undefined) {
        view.setBigUint64(timeStepOffset, timeStep);
      }
    },
  };
}

/**
 * @param time an instant, at or after 1970
 * @returns the number of whole time steps since 1970 (RFC 6287 §5.1); undefined for a suite without T
 */
export function timeStepAt(suite: ResponseAlgorithm, time: Date): bigint | undefined {
  return suite.timeStep === undefined ? undefined : BigInt(time.getTime()) / BigInt(1_000 * suite.timeStep);
}

/** Encodes C and T in eight bytes, the highest first (RFC 6287 §5.1). */
function encodeUnsigned64(part: string, value: bigint | undefined): Uint8Array {
  if (value === undefined) {
    throw invalid(`the suite asks for a ${part}, and none is given`);
  }
  if (value < 0n || value > MAX_COUNTER) {
    throw invalid(`the ${part} must be a number from 0 to 2^64 - 1`);
  }
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value);
  return bytes;
}

const ALPHABETS: Readonly<Record<QuestionFormat, RegExp>> = {
  A: /^[A-Za-z0-9]*$/,
  N: /^[0-9]*$/,
  H: /^[0-9A-Fa-f]*$/,
};

const ALPHABET_NAMES: Readonly<Record<QuestionFormat, string>> = {
  A: 'letters and digits (A-Z, a-z, 0-9)',
  N: 'digits (0-9)',
  H: 'hexadecimal digits (0-9, A-F)',
};

/** Encodes Q in 128 bytes, padded with zeros on the right (RFC 6287 §5.1); two questions are joined before (§7.2). */
function encodeQuestion(form: OcraSuite['question'], question: Question): Uint8Array {
  const questions = typeof question === 'string' ? [question] : [question.first, question.second];
  for (const one of questions) {
    assertFits(form, one);
  }
  return toQuestionBytes(form.format, questions.join(''));
}

/**
 * Converts a numeric question to hexadecimal, and pads hexadecimal digits as text: an odd number of them ends in half a
 * byte (RFC 6287, Appendix A). BigInt, as a numeric question has up to 64 digits, and two of them up to 128.
 */
function toQuestionBytes(format: QuestionFormat, text: string): Uint8Array {
  if (format === 'A') {
    const bytes = new Uint8Array(QUESTION_BYTES);
    bytes.set(utf8ToBytes(text));
    return bytes;
  }
  const digits = format === 'N' ? BigInt(text).toString(16) : text;
  return hexToBytes(digits.padEnd(2 * QUESTION_BYTES, '0'));
}

function assertFits({ format, length }: OcraSuite['question'], question: string): void {
  if (question === '') {
    throw invalid('the question is empty');
  }
  if (question.length > length) {
    throw invalid(`the question is too long: ${question.length} characters, the suite allows ${length}`, {
      question: 'length',
    });
  }
  if (!ALPHABETS[format].test(question)) {
    throw invalid(`the question must be ${ALPHABET_NAMES[format]} only`, { question: format });
  }
}

function encodePin(hash: HashName, { pin }: FixedInputs): Uint8Array {
  if (pin === undefined) {
    throw invalid('the suite asks for a PIN, and none is given');
  }
  return hashOf(hash, utf8ToBytes(pin));
}

/** Encodes S in the length that the suite names, padded with zeros on the left (RFC 6287, Appendix A). */
function encodeSession(length: number, session: string | Uint8Array | undefined): Uint8Array {
  if (session === undefined) {
    throw invalid('the suite asks for session information, and none is given');
  }
  const bytes = typeof session === 'string' ? utf8ToBytes(session) : session;
  if (bytes.length > length) {
    throw invalid(`the session information is too long: ${bytes.length} bytes, the suite allows ${length}`);
  }
  return concatBytes(new Uint8Array(length - bytes.length), bytes);
}

function invalid(what: string, payload: ErrorPayloads['data-input.invalid'] = {}): ServiceError {
  return new ServiceError('data-input.invalid', `No response can be computed: ${what}.`, payload);
}

/**
 * Computes the response of a token (RFC 6287 §5: `CryptoFunction(K, DataInput)`).
 * @returns four to ten decimal digits as the suite says, or the whole HMAC in lower-case hexadecimal (truncation 0)
 * @throws ServiceError 'data-input.invalid', naming the part that is missing or wrong
 */
export function computeResponse(suite: ResponseAlgorithm, key: Uint8Array, inputs: DataInputs): string {
  return responder(suite, key)(encodeDataInput(suite, inputs));
}

/**
 * Prepares the crypto function alone (RFC 6287 §5.2) for many data inputs.
 * @returns a function from an encoded data input to the response, in the form of `computeResponse`
 * @throws ServiceError 'data-input.invalid' where the key is empty: anyone could compute such responses
 */
export function responder(suite: ResponseAlgorithm, key: Uint8Array): (dataInput: Uint8Array) => string {
  const valueOf = responseValues(suite, key);
  return (dataInput) => valueOf(dataInput).toString().padStart(suite.truncation, '0');
}

/**
 * Prepares responses to compare, as `responder` those to show.
 * @param prepareHmac computes the HMAC; in JavaScript by default
 * @returns a function to the number whose decimal digits are the response, or to hexadecimal digits (truncation 0)
 * @throws ServiceError 'data-input.invalid', as `responder`
 */
export function responseValues(
  { hash, truncation }: Pick<ResponseAlgorithm, 'hash' | 'truncation'>,
  key: Uint8Array,
  prepareHmac: KeyedHmac = keyedHmac,
): (dataInput: Uint8Array) => number | string {
  if (key.length === 0) {
    throw new ServiceError('data-input.invalid', 'No response can be computed: the key is empty.');
  }
  const mac = prepareHmac(hash, key);
  const modulus = 10 ** truncation;
  return truncation === 0
    ? (dataInput) => bytesToHex(mac(dataInput))
    : (dataInput) => truncate(mac(dataInput)) % modulus;
}

/**
 * Truncates an HMAC (RFC 4226 §5.3): the low four bits of the last byte give the place of 31 bits; their last decimal
 * digits are the response. 31 bits have ten digits at most, so a response of ten is the number itself, padded.
 */
function truncate(mac: Uint8Array): number {
  const at = (mac.at(-1) ?? 0) & 0x0f;
  const [first = 0, second = 0, third = 0, fourth = 0] = [mac[at], mac[at + 1], mac[at + 2], mac[at + 3]];
  return ((first & 0x7f) << 24) | (second << 16) | (third << 8) | fourth;
}

/** The hash functions of RFC 6287 §5.2, in JavaScript: they run in Node and in browsers alike. */
const HASHES = { sha1, sha256, sha512 } as const;

/** @returns the hash of the data: 20, 32 or 64 bytes */
export function hashOf(hash: HashName, data: Uint8Array): Uint8Array {
  return HASHES[hash](data);
}

/** @returns the HMAC of the data (RFC 2104): 20, 32 or 64 bytes */
export function hmac(hash: HashName, key: Uint8Array, data: Uint8Array): Uint8Array {
  return nobleHmac(HASHES[hash], key, data);
}

/** Prepares an HMAC (RFC 2104) for many data under one key. The bytes of one are valid until the next. */
export type KeyedHmac = (hash: HashName, key: Uint8Array) => (data: Uint8Array) => Uint8Array;

/**
 * Prepares the HMAC for many data under one key, which halves the time of each.
 * @returns a function from data to their HMAC
 */
function keyedHmac(hash: HashName, key: Uint8Array): (data: Uint8Array) => Uint8Array {
  const keyed = nobleHmac.create(HASHES[hash], key);
  return (data) => keyed.clone().update(data).digest();
}

/** @returns the block length B of the hash, in bytes (RFC 2104 §2, FIPS 180-4) */
export function blockLength(hash: HashName): number {
  return HASHES[hash].blockLen;
}

/**
 * The key as HMAC uses it (RFC 2104 §2): hashed if it is longer than a block, then padded with zeros. Two keys with the
 * same block give the same responses: K and K followed by zeros; a long key and its hash.
 * @returns one block of the hash: 64 or 128 bytes
 */
export function hmacBlock(hash: HashName, key: Uint8Array): Uint8Array {
  const block = new Uint8Array(blockLength(hash));
  block.set(key.length > block.length ? hashOf(hash, key) : key);
  return block;
}

/**
 * Prepares the comparison of texts whose length is no secret, in a time that depends on this length alone.
 * @param length of the texts that are compared with `expected`, in UTF-16 units
 * @returns a function that is true for the expected text, and does not stop at the first difference
 */
export function textComparison(expected: string, length: number): (text: string) => boolean {
  // Zeros for another length: no text is equal then, and the comparison takes the same time.
  const units = Array.from({ length }, (_, index) =>
    expected.length === length ? expected.charCodeAt(index) : 0,
  );
  return (text) => {
    let difference = (expected.length ^ length) | (text.length ^ length);
    for (let index = 0; index < length; index += 1) {
      // NaN beyond the end of a shorter text, which is zero here.
      difference |= (units[index] ?? 0) ^ text.charCodeAt(index);
    }
    return difference === 0;
  };
}
