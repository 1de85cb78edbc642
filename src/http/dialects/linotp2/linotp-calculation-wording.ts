import type { AnyServiceError, ErrorPayloads } from '../../../kernel/errors.ts';
import type { RequestValues } from '../../request/parameters.ts';
import { asciiRefusal, plainRepr } from './linotp-python-text.ts';

/** Messages for parameters that LinOTP 2.12.6 uses unchecked: Python's own error texts. */
const MISSING: Readonly<Record<string, string>> = {
  ocrasuite: "'NoneType' object has no attribute 'find'",
  sharedsecret: 'coercing to Unicode: need string or buffer, NoneType found',
  activationcode: "'NoneType' object has no attribute 'replace'",
  nonce: "'NoneType' object has no attribute '__getitem__'",
  challenge: "challenge is not digits only: 'None'",
};

/** The parameters by their names in the URLs of the roll-out. */
const IN_URLS: Readonly<Record<string, string>> = {
  os: 'ocrasuite',
  sh: 'sharedsecret',
  no: 'nonce',
  ch: 'challenge',
};

type QuestionFault = NonNullable<ErrorPayloads['data-input.invalid']['question']>;

/** The messages for a faulty question: its length, or its characters for the format in the suite. */
const QUESTION_FAULTS: Readonly<Partial<Record<QuestionFault, string>>> = {
  length: 'is to long',
  A: 'is not alpha-numeric',
  N: 'is not digits only',
};

/** @returns the message of LinOTP 2.12.6 for this failure of /ocra/calculateOtp, where it has one of its own */
export function calculationMessage(
  { code, payload }: AnyServiceError,
  parameters: RequestValues,
): string | undefined {
  switch (code) {
    case 'parameter.missing':
      return MISSING[payload.parameters.join()];
    case 'qrtan-url.invalid':
      return missingInUrl(payload.missing, parameters);
    case 'parameter.invalid':
      return parameterMessage(payload, parameters);
    case 'data-input.invalid':
      return questionMessage(payload.question, parameters.get('challenge'));
    default:
      return undefined;
  }
}

function missingInUrl(missing: string | undefined, parameters: RequestValues): string | undefined {
  const name = missing === undefined ? undefined : IN_URLS[missing];
  return name === undefined || parameters.has(name) ? undefined : MISSING[name];
}

function parameterMessage(
  { parameter: name = '', fault }: ErrorPayloads['parameter.invalid'],
  parameters: RequestValues,
): string | undefined {
  const value = parameters.get(name) ?? '';
  switch (name) {
    case 'counter':
      return /^-\d+$/.test(value)
        ? `Invalid counter value ${value}`
        : `invalid literal for int() with base 10: ${plainRepr(value)}`;
    case 'sharedsecret':
    case 'nonce':
      return fault === 'length' ? 'Odd-length string' : 'Non-hexadecimal digit found';
    default:
      return undefined;
  }
}

function questionMessage(
  question: QuestionFault | undefined,
  challenge: string | undefined,
): string | undefined {
  const fault = challenge === '' ? 'is empty ' : question && QUESTION_FAULTS[question];
  if (challenge === undefined || fault === undefined) {
    return undefined;
  }
  return asciiRefusal(challenge) ?? `challenge ${fault}: ${plainRepr(challenge)}`;
}
