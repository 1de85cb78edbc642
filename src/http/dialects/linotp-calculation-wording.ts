import type { ServiceError } from '../../kernel/errors.ts';
import type { GivenParameters } from '../parameters.ts';
import { asciiRefusal, plainRepr } from './linotp-python-text.ts';

/** Where LinOTP 2.12.6 looked at no parameter before it used it, Python's own words came out. Clients know them. */
const MISSING: Readonly<Record<string, string>> = {
  ocrasuite: "'NoneType' object has no attribute 'find'",
  sharedsecret: 'coercing to Unicode: need string or buffer, NoneType found',
  activationcode: "'NoneType' object has no attribute 'replace'",
  nonce: "'NoneType' object has no attribute '__getitem__'",
  challenge: "challenge is not digits only: 'None'",
};

/** @returns what LinOTP 2.12.6 said of this failure of /ocra/calculateOtp, where it had words of its own */
export function calculationMessage(
  { code, message }: ServiceError,
  given: GivenParameters,
): string | undefined {
  switch (code) {
    case 'parameter.missing':
      return MISSING[/^Missing parameter '(\w+)'/.exec(message)?.[1] ?? ''];
    case 'qrtan-url.invalid':
      return missingInUrl(message, given);
    case 'parameter.invalid':
      return parameterMessage(message, given);
    case 'data-input.invalid':
      return questionMessage(message, given.get('challenge'));
    default:
      return undefined;
  }
}

/** The names in the URLs of the roll-out. */
const IN_URLS: Readonly<Record<string, string>> = {
  os: 'ocrasuite',
  sh: 'sharedsecret',
  no: 'nonce',
  ch: 'challenge',
};

function missingInUrl(message: string, given: GivenParameters): string | undefined {
  const name = IN_URLS[/the parameter '(\w+)' is missing/.exec(message)?.[1] ?? ''];
  return name === undefined || given.has(name) ? undefined : MISSING[name];
}

function parameterMessage(message: string, given: GivenParameters): string | undefined {
  const name = /^The parameter (\w+) must be/.exec(message)?.[1] ?? '';
  const value = given.get(name) ?? '';
  if (name === 'counter') {
    return /^-\d+$/.test(value)
      ? `Invalid counter value ${value}`
      : `invalid literal for int() with base 10: ${plainRepr(value)}`;
  }
  if (name !== 'sharedsecret' && name !== 'nonce') {
    return undefined;
  }
  return value.length % 2 === 1 ? 'Odd-length string' : 'Non-hexadecimal digit found';
}

function questionMessage(message: string, challenge: string | undefined): string | undefined {
  if (challenge === undefined) {
    return undefined;
  }
  const refusal = asciiRefusal(challenge);
  if (refusal !== undefined) {
    return refusal;
  }
  const [, fault] =
    /the question (is too long|must be letters and digits|must be digits)/.exec(message) ?? [];
  return fault === undefined
    ? undefined
    : `challenge ${QUESTION_FAULTS[fault] ?? fault}: ${plainRepr(challenge)}`;
}

const QUESTION_FAULTS: Readonly<Record<string, string>> = {
  'is too long': 'is to long',
  'must be letters and digits': 'is not alpha-numeric',
  'must be digits': 'is not digits only',
};
