import type { ServiceError } from '../../../kernel/errors.ts';
import type { RequestValues } from '../../request/parameters.ts';
import { asciiRefusal, plainRepr } from './linotp-python-text.ts';

/** Where LinOTP 2.12.6 looked at no parameter before it used it, Python's own words came out. Clients know them. */
const MISSING: Readonly<Record<string, string>> = {
  ocrasuite: "'NoneType' object has no attribute 'find'",
  sharedsecret: 'coercing to Unicode: need string or buffer, NoneType found',
  activationcode: "'NoneType' object has no attribute 'replace'",
  nonce: "'NoneType' object has no attribute '__getitem__'",
  challenge: "challenge is not digits only: 'None'",
};

/** What the URLs of the roll-out call the same things. */
const IN_URLS: Readonly<Record<string, string>> = {
  os: 'ocrasuite',
  sh: 'sharedsecret',
  no: 'nonce',
  ch: 'challenge',
};

/** What can be wrong with a question: its length, or its characters for the format that the suite names. */
const QUESTION_FAULTS: Readonly<Record<string, string>> = {
  length: 'is to long',
  A: 'is not alpha-numeric',
  N: 'is not digits only',
};

/** @returns what LinOTP 2.12.6 said of this failure of /ocra/calculateOtp, where it had words of its own */
export function calculationMessage(
  { code, about: [subject = '', aspect = ''] }: ServiceError,
  given: RequestValues,
): string | undefined {
  switch (code) {
    case 'parameter.missing':
      return MISSING[subject];
    case 'qrtan-url.invalid':
      return missingInUrl(subject, given);
    case 'parameter.invalid':
      return parameterMessage(subject, aspect, given);
    case 'data-input.invalid':
      return questionMessage(aspect, given.get('challenge'));
    default:
      return undefined;
  }
}

function missingInUrl(subject: string, given: RequestValues): string | undefined {
  const name = IN_URLS[subject];
  return name === undefined || given.has(name) ? undefined : MISSING[name];
}

function parameterMessage(name: string, aspect: string, given: RequestValues): string | undefined {
  const value = given.get(name) ?? '';
  switch (name) {
    case 'counter':
      return /^-\d+$/.test(value)
        ? `Invalid counter value ${value}`
        : `invalid literal for int() with base 10: ${plainRepr(value)}`;
    case 'sharedsecret':
    case 'nonce':
      return aspect === 'length' ? 'Odd-length string' : 'Non-hexadecimal digit found';
    default:
      return undefined;
  }
}

function questionMessage(aspect: string, challenge: string | undefined): string | undefined {
  const fault = challenge === '' ? 'is empty ' : QUESTION_FAULTS[aspect];
  if (challenge === undefined || fault === undefined) {
    return undefined;
  }
  return asciiRefusal(challenge) ?? `challenge ${fault}: ${plainRepr(challenge)}`;
}
