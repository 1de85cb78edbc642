import { ServiceError } from '../kernel/errors.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    /** The wrong part, its text, and the text around it if that tells more. At most 61 characters each. */
    'suite.invalid': { readonly part: SuitePart; readonly text: string; readonly whole?: string };
  }
}

/** The parts of an OCRA suite (RFC 6287 §6); `shape`: the three of them, `duplicate`: one that is given twice. */
export type SuitePart =
  | 'shape'
  | 'algorithm'
  | 'crypto function'
  | 'hash'
  | 'truncation'
  | 'data input'
  | 'question'
  | 'PIN'
  | 'session'
  | 'time step'
  | 'duplicate';

/** The hash functions of RFC 6287 §5.2 and §6.3, as `node:crypto` names them. */
export type HashName = 'sha1' | 'sha256' | 'sha512';

/** The format of a question: alphanumeric, numeric or hexadecimal (RFC 6287 §6.3). */
export type QuestionFormat = 'A' | 'N' | 'H';

/** How a token computes its responses: by an OCRA suite, or without a question by HOTP or TOTP (`otp.ts`). Frozen. */
export interface ResponseAlgorithm {
  /** The original text. Of an OCRA suite it is the head of every data input, letter case included. */
  readonly text: string;
  readonly hash: HashName;
  /** Number of decimal digits of a response, 4 to 10; 0 means the whole HMAC. */
  readonly truncation: number;
  /** True if the data input has a counter (C). */
  readonly counter: boolean;
  /** The format of the question and its maximum number of characters (Q). */
  readonly question?: { readonly format: QuestionFormat; readonly length: number };
  /** The hash of the PIN in the data input (P). */
  readonly pin?: { readonly hash: HashName };
  /** The length of the session information, in bytes (S). */
  readonly session?: { readonly length: number };
  /** The size of a time step, in seconds (T). */
  readonly timeStep?: number;
}

/** A parsed and validated OCRA suite (RFC 6287 §6). Frozen. */
export interface OcraSuite extends ResponseAlgorithm {
  readonly question: NonNullable<ResponseAlgorithm['question']>;
}

/** Contents of the data-input part of a suite; filled in while the part is read. */
interface DataInputParts {
  counter?: true;
  question?: OcraSuite['question'];
  pin?: { readonly hash: HashName };
  session?: { readonly length: number };
  timeStep?: number;
}

const HASH_BYTES: Readonly<Record<HashName, number>> = { sha1: 20, sha256: 32, sha512: 64 };

/**
 * Reads an OCRA suite such as `OCRA-1:HOTP-SHA256-8:C-QA64` (RFC 6287 §6). The names `OCRA`, `HOTP` and those of hashes
 * may be in either letter case; the parts of the data input may stand in any order, each at most once; a question is
 * required. Blanks are not allowed.
 * @throws ServiceError 'suite.invalid', naming the wrong part, its text and the allowed values
 */
export function parseOcraSuite(text: string): OcraSuite {
  const [algorithm = '', cryptoFunction, dataInput, ...surplus] = text.split(':');
  if (algorithm.toUpperCase() !== 'OCRA-1') {
    throw invalid('algorithm', algorithm, "it must be 'OCRA-1'", text);
  }
  if (cryptoFunction === undefined || dataInput === undefined || surplus.length > 0) {
    throw invalid('shape', text, 'it must have three parts, as in OCRA-1:HOTP-SHA256-8:C-QA64');
  }
  const { counter, question, ...others } = parseDataInput(dataInput);
  if (question === undefined) {
    throw invalid('question', dataInput, 'it is missing; every suite needs one, as in QN08');
  }
  return Object.freeze({
    text,
    ...parseCryptoFunction(cryptoFunction),
    counter: counter === true,
    question,
    ...others,
  });
}

/** @returns the number of characters of a response: decimal digits, or hexadecimal ones without truncation */
export function responseLength(suite: ResponseAlgorithm): number {
  return suite.truncation === 0 ? 2 * HASH_BYTES[suite.hash] : suite.truncation;
}

export function hashLength(hash: HashName): number {
  return HASH_BYTES[hash];
}

/** Reads HOTP-H-t (RFC 6287 §6.2). */
function parseCryptoFunction(text: string): Pick<OcraSuite, 'hash' | 'truncation'> {
  const [name = '', hash, truncation, ...surplus] = text.split('-');
  if (name.toUpperCase() !== 'HOTP') {
    throw invalid('crypto function', name, "it must be 'HOTP'", text);
  }
  if (hash === undefined || truncation === undefined || surplus.length > 0) {
    throw invalid('crypto function', text, 'it must have a hash and a truncation, as in HOTP-SHA256-8');
  }
  if (!/^(?:0|[4-9]|10)$/.test(truncation)) {
    throw invalid('truncation', truncation, 'it must be 0 or a number from 4 to 10');
  }
  return { hash: parseHash(hash, 'hash'), truncation: Number(truncation) };
}

/** Reads [C] | QFxx | [PH | Snnn | TG] (RFC 6287 §6.3). */
function parseDataInput(text: string): DataInputParts {
  const parts: DataInputParts = {};
  for (const part of text.split('-')) {
    const [key, value] = parseDataInputPart(part);
    if (parts[key] !== undefined) {
      throw invalid('duplicate', part, `the ${PART_NAMES[key]} may be given only once`);
    }
    Object.assign(parts, { [key]: value });
  }
  return parts;
}

const PART_NAMES: Readonly<Record<keyof DataInputParts, string>> = {
  counter: 'counter',
  question: 'question',
  pin: 'PIN',
  session: 'session',
  timeStep: 'time step',
};

function parseDataInputPart(part: string): [keyof DataInputParts, DataInputParts[keyof DataInputParts]] {
  switch (part.charAt(0)) {
    case 'C':
      return ['counter', parseCounter(part)];
    case 'Q':
      return ['question', parseQuestion(part)];
    case 'P':
      return ['pin', Object.freeze({ hash: part === 'P' ? 'sha1' : parseHash(part.slice(1), 'PIN') })];
    case 'S':
      return ['session', parseSession(part)];
    case 'T':
      return ['timeStep', parseTimeStep(part)];
    default:
      throw unknownPart(part);
  }
}

function parseCounter(part: string): true {
  if (part !== 'C') {
    throw unknownPart(part);
  }
  return true;
}

/** Reads Q (RFC 6287 §6.3, table 2). A length below 10 may have one digit, as in LinOTP. */
function parseQuestion(part: string): OcraSuite['question'] {
  const match = /^Q([ANH])(\d{1,2})$/.exec(part);
  const length = Number(match?.[2]);
  if (match === null || length < 4 || length > 64) {
    throw invalid('question', part, 'it must be QA, QN or QH and a length from 04 to 64, as in QN08');
  }
  return Object.freeze({ format: match[1] as QuestionFormat, length });
}

/** Reads S (RFC 6287 §6.3: a length agreed on by both sides; §5.1: 512 bytes at most). */
function parseSession(part: string): { readonly length: number } {
  const length = /^S\d{3}$/.test(part) ? Number(part.slice(1)) : 0;
  if (length < 1 || length > 512) {
    throw invalid('session', part, 'it must be S and a length from 001 to 512, in three digits, as in S064');
  }
  return Object.freeze({ length });
}

const TIME_STEP = /^T(?:(\d{1,2})H)?(?:(\d{1,2})M)?(?:(\d{1,2})S)?$/;

/** Reads T (RFC 6287 §6.3, table 3). Hours, minutes and seconds may be joined in this order, as in LinOTP. */
export function parseTimeStep(part: string): number {
  if (part === 'T') {
    return 60;
  }
  const [, hours = '0', minutes = '0', seconds = '0'] = TIME_STEP.exec(part) ?? [];
  const [h, m, s] = [Number(hours), Number(minutes), Number(seconds)];
  const size = 3_600 * h + 60 * m + s;
  if (size === 0 || h > 48 || m > 59 || s > 59) {
    throw invalid('time step', part, 'it must be T with 1 to 59 S, 1 to 59 M or 1 to 48 H, as in T1M');
  }
  return size;
}

export function parseHash(text: string, part: SuitePart): HashName {
  const name = text.toLowerCase();
  if (!isHashName(name)) {
    throw invalid(part, text, 'the hash must be SHA1, SHA256 or SHA512');
  }
  return name;
}

export function isHashName(name: string): name is HashName {
  return Object.hasOwn(HASH_BYTES, name);
}

function unknownPart(part: string): ServiceError {
  return invalid(
    'data input',
    part,
    'it knows the parts C, Q, P, S and T only, in capitals, as in C-QN08-PSHA1',
  );
}

const MAX_QUOTE_LENGTH = 60;

/** @param whole the text that it is a part of, where that tells more */
function invalid(part: SuitePart, text: string, allowed: string, whole = text): ServiceError {
  const quoted = quote(text);
  return new ServiceError(
    'suite.invalid',
    `Not an OCRA suite, the ${part} '${quoted}' is wrong: ${allowed}.`,
    { part, text: quoted, ...(whole !== text && { whole: quote(whole) }) },
  );
}

function quote(text: string): string {
  return text.length > MAX_QUOTE_LENGTH ? `${text.slice(0, MAX_QUOTE_LENGTH)}…` : text;
}
