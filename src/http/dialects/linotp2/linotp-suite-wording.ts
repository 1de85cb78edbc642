import type { ErrorPayloads } from '../../../kernel/errors.ts';
import type { SuitePart } from '../../../ocra/suite.ts';
import { plainRepr, unicodeRepr } from './linotp-python-text.ts';

/** The number of parts of a suite, and of its crypto function. */
const PARTS = 3;
/** The most digits that LinOTP 2.12.6 accepts; it also accepts blanks around the number. */
const MAX_DIGITS = 10;
/** The form of a time step that LinOTP 2.12.6 accepts. */
const TIME_STEP = /^T(?:\d+H)?(?:\d+M)?(?:\d+S)?$/;
const NO_CHARACTER = 'string index out of range';

type SuiteWording = (text: string, whole: string) => string | undefined;

/** The messages by the part that is wrong. */
const WORDINGS: Readonly<Partial<Record<SuitePart, SuiteWording>>> = {
  shape: shapeMessage,
  algorithm: shapeMessage,
  'crypto function': (name, whole) =>
    splitMessage(whole.split('-').length) ?? `unsupported hash version: ${name}`,
  truncation: truncationMessage,
  hash: hashMessage,
  PIN: hashMessage,
  question: questionMessage,
  session: (text) => `Unknown session length ${unicodeRepr(text.slice(1))}`,
  'time step': (text) =>
    TIME_STEP.test(text) ? undefined : `Invalid timestamp descriptor ${unicodeRepr(text.slice(1))}`,
  'data input': (text) => (text === '' ? NO_CHARACTER : undefined),
};

/** @returns the message of LinOTP 2.12.6 for an invalid suite; undefined where it accepts the suite */
export function suiteMessage({
  part,
  text,
  whole = text,
}: ErrorPayloads['suite.invalid']): string | undefined {
  return WORDINGS[part]?.(text, whole);
}

function shapeMessage(_text: string, suite: string): string {
  return splitMessage(suite.split(':').length) ?? 'unsupported ocra version';
}

function hashMessage(text: string): string {
  return `Unknown hash algorithm ${unicodeRepr(text.toLowerCase())}`;
}

/** @returns the message of Python for a text that is split into the wrong number of parts */
function splitMessage(parts: number): string | undefined {
  if (parts > PARTS) {
    return 'too many values to unpack';
  }
  return parts === PARTS ? undefined : `need more than ${parts} value${parts === 1 ? '' : 's'} to unpack`;
}

function truncationMessage(text: string): string | undefined {
  const isAccepted = /^ *\d+ *$/.test(text) && Number(text) <= MAX_DIGITS;
  return isAccepted ? undefined : `Invalid truncation length ${unicodeRepr(text)}`;
}

function questionMessage(text: string): string | undefined {
  const [key, format, length = ''] = /^(Q)(.?)(.*)$/s.exec(text)?.slice(1) ?? [];
  if (key === undefined) {
    return undefined;
  }
  if (format === '') {
    return NO_CHARACTER;
  }
  if (!/[ANH]/.test(format ?? '')) {
    return "challenge description not in 'ANH'";
  }
  return /^\d+$/.test(length)
    ? 'challenge legthn not in len[4,64]'
    : `invalid literal for int() with base 10: ${plainRepr(length)}`;
}
