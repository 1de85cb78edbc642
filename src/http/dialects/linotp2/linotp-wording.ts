import type { ServiceError } from '../../../kernel/errors.ts';
import type { RequestContext } from '../../request/exchange.ts';
import type { FailureForm } from '../../failures.ts';
import { translate } from '../../messages/catalogue.ts';
import { calculationMessage } from './linotp-calculation-wording.ts';
import { asciiRefusal, unicodeRepr } from './linotp-python-text.ts';
import { suiteMessage } from './linotp-suite-wording.ts';

/** A failure in LinOTP 2.12.6's words. */
export interface Wording {
  readonly code: number;
  readonly message: string;
}

/** The number of all errors that LinOTP did not number on the wire, whatever their text says. */
const UNNUMBERED = -311;
const NOBODY = "User(login='', realm='', conf='' ::resolverUid:{}, resolverConf:{})";
const BOTH_KEYS = 'ERR344: [ParameterError] You may either specifygenkey or otpkey, but not both!';
const ACTIVATION_CODE_FAULTS: Readonly<Record<string, string>> = {
  padding: "Error during decoding activation code: TypeError('Incorrect padding',)",
  alphabet: "Error during decoding activation code: TypeError('Non-base32 digit found',)",
  checksum: '[crypt:kdf2] activation code checksum error.',
};

/** @returns the failure as LinOTP 2.12.6 put it at that endpoint; in our own words where its words say too much */
export function linotpWording(error: ServiceError, form: FailureForm, context: RequestContext): Wording {
  return (
    userWording(error) ??
    WORDINGS[context.path ?? '']?.(error, context) ??
    suiteWording(error) ??
    activationCodeFault(error) ??
    urlWording(error) ?? { code: codeOf(error, context), message: ownText(error, form, context) }
  );
}

/** Only /ocra/calculateOtp sends the number of a missing right. */
function codeOf({ code }: ServiceError, { path }: RequestContext): number {
  return code === 'right.missing' && path === '/ocra/calculateOtp' ? 410 : UNNUMBERED;
}

function ownText(error: ServiceError, { prefix }: FailureForm, { usage, language }: RequestContext): string {
  const context = error.code === 'parameter.missing' && usage !== '' ? `Usage: ${usage} ` : '';
  return `${prefix}${context}${translate(error.message, language)}`;
}

type EndpointWording = (error: ServiceError, context: RequestContext) => Wording | undefined;

const WORDINGS: Readonly<Record<string, EndpointWording>> = {
  '/ocra/request': requestWording,
  '/ocra/checkstatus': statusWording,
  '/ocra': statusWording,
  '/ocra/calculateOtp': calculationWording,
  '/ocra/getActivationCode': activationCodeWording,
  '/admin/init': enrolmentWording,
};

function plain(message: string): Wording {
  return { code: UNNUMBERED, message };
}

function noUser(login: string): Wording {
  return plain(`ERR1205: getUserId failed: no user >${login}< found!`);
}

/** An empty or missing name, shown as Python does. */
function named(value: string | undefined): string {
  return value === undefined || value === '' ? 'None' : unicodeRepr(value);
}

function requestWording(
  { code, about: [login] }: ServiceError,
  { parameters: given }: RequestContext,
): Wording | undefined {
  const user = login ?? given.get('user') ?? '';
  // LinOTP prints everything it knows of a user here, the path of the passwd file included; the login is enough.
  const whom = `(u:${user === '' ? NOBODY : unicodeRepr(user)},s:${named(given.get('serial'))})`;
  switch (code) {
    case 'parameter.missing':
      return given.has('serial') || given.has('realm') ? noUser('') : undefined;
    case 'token.unknown':
      return plain(`No token found: unable to create challenge for ${whom}!`);
    case 'token.ambiguous':
      return plain(`More than one token found: unable to create challenge for ${whom}!`);
    default:
      return undefined;
  }
}

function statusWording({ code, message }: ServiceError): Wording | undefined {
  return code === 'parameter.missing'
    ? plain(
        `ERR77: Usage: ocra/checkstatus: check the token status - for assynchronous verification. Missing parameter: ${message}`,
      )
    : undefined;
}

function activationCodeWording(
  { code }: ServiceError,
  { parameters: given }: RequestContext,
): Wording | undefined {
  const refusal = asciiRefusal(given.get('activationcode') ?? '');
  return code === 'parameter.invalid' && refusal !== undefined ? plain(refusal) : undefined;
}

function enrolmentWording(error: ServiceError, { parameters: given }: RequestContext): Wording | undefined {
  const { code, about } = error;
  if (about.includes('genkey')) {
    return about.includes('otpkey')
      ? { code: 344, message: BOTH_KEYS }
      : plain(`TokenClass supports only genkey in range [0,1] : ${given.get('genkey') ?? ''}`);
  }
  if (code === 'parameter.missing' && about.includes('otpkey') && given.get('sharedsecret') === '1') {
    return plain('Incorrect IV length (it must be 16 bytes long)');
  }
  return given.has('activationcode') ? rolloutWording(error, given) : undefined;
}

function rolloutWording(
  { code, about }: ServiceError,
  given: RequestContext['parameters'],
): Wording | undefined {
  const serial = given.get('serial') ?? '';
  const user = given.get('user') ?? '';
  switch (code) {
    case 'token.ambiguous':
      return plain(`multiple tokens found in rollout state: [${about.map(unicodeRepr).join(', ')}]`);
    case 'token.unknown':
      return serial === '' ? noTokenFor(about[0] ?? user) : noSharedSecretOf(serial);
    case 'token.state':
      return noSharedSecretOf(serial);
    case 'parameter.missing':
      return user === '' ? noTokenFor(user) : undefined;
    default:
      return undefined;
  }
}

function noSharedSecretOf(serial: string): Wording {
  return plain(`missing shared secret of initialition for token ${unicodeRepr(serial)}`);
}

function noTokenFor(user: string): Wording {
  return plain(`no token found for user: ${user === '' ? NOBODY : unicodeRepr(user)} or serial: None`);
}

function calculationWording(error: ServiceError, { parameters: given }: RequestContext): Wording | undefined {
  const message = calculationMessage(error, given);
  return message === undefined ? undefined : plain(message);
}

/** LinOTP took what follows an `@` for a realm, whether there is one of that name or not. */
function userWording({ code, about: [login] }: ServiceError): Wording | undefined {
  return code === 'user.unknown' && login !== undefined ? noUser(login) : undefined;
}

/** LinOTP quoted the code and its right checksum; what is wrong is enough. */
function activationCodeFault({ code, about: [fault] }: ServiceError): Wording | undefined {
  const message = code === 'activation-code.invalid' ? ACTIVATION_CODE_FAULTS[fault ?? ''] : undefined;
  return message === undefined ? undefined : plain(message);
}

/** What is wrong with a suite, as LinOTP said it where it had a text of its own. */
function suiteWording(error: ServiceError): Wording | undefined {
  const message = error.code === 'suite.invalid' ? suiteMessage(error) : undefined;
  return message === undefined ? undefined : plain(message);
}

/** The values of the policies are no secret: each QR code of these realms holds one. */
function urlWording({ code, about }: ServiceError): Wording | undefined {
  if (code !== 'challenge.url-ambiguous') {
    return undefined;
  }
  const end = about.indexOf('');
  const [urls, realms] = [about.slice(0, end), about.slice(end + 1)].map((names) =>
    names.map(unicodeRepr).join(', '),
  );
  return plain(`multiple enrollement urls [${urls}] found for realm set: [${realms}]`);
}
