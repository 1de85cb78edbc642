import type { RequestContext } from '../request/exchange.ts';
import { htmlReply, type Reply } from '../reply.ts';
import type { Dialect, Failure } from './dialect.ts';
import { linotpReply, linotpValue } from './linotp2-replies.ts';
import { errorPage, failureSentence, failureText, unknownUserSentence } from './failure-text.ts';
import type { AnyServiceError, ErrorPayloads } from '../../kernel/errors.ts';
import type { ActivationCodeFault } from '../../ocra/key-derivation.ts';
import type { FailureForm } from '../failures.ts';
import { asciiRefusal, unicodeRepr, plainRepr } from './python-text.ts';
import type { SuitePart } from '../../ocra/suite.ts';
import { OCRA_TYPES } from '../../tokens/token.ts';
import type { RequestValues } from '../request/parameters.ts';

/** Endpoints that answer a failure as a result, for any `httperror`. */
const STATUS_PATHS: readonly string[] = ['/ocra/checkstatus', '/ocra'];
const TEXT_PATHS: readonly string[] = ['/ocra/check_t', ...STATUS_PATHS];
/** Endpoints whose operations fail with the id 0. */
const ID_0_PATHS: readonly string[] = ['/ocra/calculateOtp', '/ocra/getActivationCode'];
/** Statuses that have a page of their own, for any `httperror`. */
const PAGES: Readonly<Record<number, () => Reply>> = {
  401: () => htmlReply(framed(401, UNAUTHORIZED), 401),
  404: () => htmlReply(framed(404, NOT_FOUND), 404),
};

/** @returns the answers of LinOTP 2.12.6 to failed requests */
export function linotpFailures(version: string): Dialect['failures'] {
  return {
    errorCode: ({ error, form }, context) => linotpWording(error, form, context).code,
    failure: (failure, context) => failureReply(version, failure, context),
  };
}

function failureReply(version: string, failure: Failure, context: RequestContext): Reply {
  const { error, form, status } = failure;
  const path = context.path ?? '';
  const whole = pageOf(failure);
  if (whole !== undefined) {
    return whole;
  }
  const { code, message } = linotpWording(error, form, context);
  if (form.status === 200 && TEXT_PATHS.includes(path) && error.code !== 'right.missing') {
    return textReply(version, message, failure, context);
  }
  if (form.status === 200 && failure.requestedStatus !== undefined) {
    return framedErrorPage(status, version, code, message);
  }
  const isOperationFailure = ID_0_PATHS.includes(path) && error.code !== 'right.missing';
  return linotpReply(version, {
    result: { status: false, error: { message, code } },
    id: isOperationFailure ? 0 : 1,
    status,
  });
}

/** @returns undefined also for a path that LinOTP has: the page would not name it */
function pageOf({ error, form }: Failure): Reply | undefined {
  return error.code === 'path.not-served' ? undefined : PAGES[form.status]?.();
}

function textReply(version: string, message: string, { error }: Failure, context: RequestContext): Reply {
  return error.code === 'parameter.missing' && findsNothing(context)
    ? linotpValue(version, { values: [] })
    : linotpReply(version, { result: { status: true, value: message }, id: 0 });
}

/** True for an empty transaction id or a realm without a user, which find nothing; no id at all is an error. */
function findsNothing({ path, parameters }: RequestContext): boolean {
  const isNamed = parameters.has('transactionid') || (parameters.get('realm') ?? '').trim() !== '';
  return STATUS_PATHS.includes(path ?? '') && isNamed;
}

/** Statuses whose pages LinOTP 2.12.6 puts into the frame of its web framework. */
const FRAMED: readonly number[] = [400, 401, 403, 404, 500];

const UNAUTHORIZED = `401 Unauthorized

This server could not verify that you are authorized to access the document you requested. Either you supplied the wrong credentials (e.g., bad password), or your browser does not understand how to supply the credentials required.

 You have no valid session!  `;

const NOT_FOUND = `404 Not Found

The resource could not be found.

   `;

/** @returns the page for an error with a status that the client requested */
function framedErrorPage(status: number, version: string, code: number, message: string): Reply {
  const reply = errorPage(status, version, code, message);
  return FRAMED.includes(status) ? htmlReply(framed(status, reply.body), status) : reply;
}

function framed(status: number, content: string): string {
  return `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en" lang="en">
<head>
 <title>Server Error ${status}</title>
<!-- CSS Imports -->
<link rel="stylesheet" href="/error/style/black.css" type="text/css" media="screen" />

<!-- Favorite Icons -->
<link rel="icon" href="/error/img/favicon.ico" type="image/png" />

<style type="text/css">
        .red {
            color:#FF0000;
        }
        .bold {
            font-weight: bold;
        }
</style>
</head>

<body>
    <div id="container">
        ${content}
    </div>
</body>
</html>
`;
}

/** A failure in LinOTP 2.12.6's words. */
interface Wording {
  readonly code: number;
  readonly message: string;
}

/** The number on the wire of all errors without a number of their own, for any number in their text. */
const UNNUMBERED = -311;
const NOBODY = "User(login='', realm='', conf='' ::resolverUid:{}, resolverConf:{})";
const BOTH_KEYS = 'ERR344: [ParameterError] You may either specifygenkey or otpkey, but not both!';
/**
 * The messages for an invalid activation code. LinOTP also quotes the code and its right checksum, which are omitted.
 */
const ACTIVATION_CODE_FAULTS: Readonly<Record<ActivationCodeFault, string>> = {
  padding: "Error during decoding activation code: TypeError('Incorrect padding',)",
  alphabet: "Error during decoding activation code: TypeError('Non-base32 digit found',)",
  checksum: '[crypt:kdf2] activation code checksum error.',
};

/** @returns the failure in LinOTP 2.12.6's words at that endpoint; in other words where LinOTP's disclose too much */
export function linotpWording(error: AnyServiceError, form: FailureForm, context: RequestContext): Wording {
  return (
    WORDINGS[context.path ?? '']?.(error, context) ??
    anywhereWording(error) ?? {
      // Only this endpoint sends the number of a missing right.
      code: error.code === 'right.missing' && context.path === '/ocra/calculateOtp' ? 410 : UNNUMBERED,
      message: failureText({ error, form }, context),
    }
  );
}

/** @returns LinOTP's message that is the same at every endpoint */
function anywhereWording({ code, payload }: AnyServiceError): Wording | undefined {
  switch (code) {
    case 'user.unknown':
      // LinOTP reads the text after an `@` as a realm, even where there is no realm of that name.
      return noUser(payload.login);
    case 'suite.invalid':
      return plainOrNone(SUITE_WORDINGS[payload.part]?.(payload.text, payload.whole ?? payload.text));
    case 'activation-code.invalid':
      return plain(ACTIVATION_CODE_FAULTS[payload.fault]);
    case 'challenge.url-ambiguous':
      return urlWording(payload);
    default:
      return undefined;
  }
}

type EndpointWording = (error: AnyServiceError, context: RequestContext) => Wording | undefined;

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

/** @param message undefined: LinOTP has none of its own */
function plainOrNone(message: string | undefined): Wording | undefined {
  return message === undefined ? undefined : plain(message);
}

function noUser(login: string): Wording {
  return plain(`ERR1205: ${unknownUserSentence(login)}`);
}

/** @returns a name as Python shows it; `None` for an empty or missing one */
function nameOrNone(value: string | undefined): string {
  return value === undefined || value === '' ? 'None' : unicodeRepr(value);
}

function requestWording(
  { code, payload }: AnyServiceError,
  { parameters }: RequestContext,
): Wording | undefined {
  switch (code) {
    case 'parameter.missing':
      return parameters.has('serial') || parameters.has('realm') ? noUser('') : undefined;
    case 'token.unknown':
      return plain(`No token found: unable to create challenge for ${requestedName(payload, parameters)}!`);
    case 'token.ambiguous':
      return plain(
        `More than one token found: unable to create challenge for ${requestedName(payload, parameters)}!`,
      );
    default:
      return undefined;
  }
}

/** LinOTP prints every fact of a user here, the path of the passwd file included; this prints the login alone. */
function requestedName(
  { login }: { readonly login?: string },
  parameters: RequestContext['parameters'],
): string {
  const user = login ?? parameters.get('user') ?? '';
  return `(u:${user === '' ? NOBODY : unicodeRepr(user)},s:${nameOrNone(parameters.get('serial'))})`;
}

function statusWording(error: AnyServiceError): Wording | undefined {
  return error.code === 'parameter.missing'
    ? plain(
        `ERR77: Usage: ocra/checkstatus: check the token status - for assynchronous verification. Missing parameter: ${failureSentence(error, 'en')}`,
      )
    : undefined;
}

function activationCodeWording(
  { code }: AnyServiceError,
  { parameters }: RequestContext,
): Wording | undefined {
  const refusal = asciiRefusal(parameters.get('activationcode') ?? '');
  return code === 'parameter.invalid' && refusal !== undefined ? plain(refusal) : undefined;
}

function enrolmentWording(error: AnyServiceError, { parameters }: RequestContext): Wording | undefined {
  const { code, payload } = error;
  if (code === 'parameter.invalid' && payload.parameter === 'genkey') {
    return payload.conflictsWith === undefined
      ? plain(`TokenClass supports only genkey in range [0,1] : ${parameters.get('genkey') ?? ''}`)
      : { code: 344, message: BOTH_KEYS };
  }
  if (isKeyMissing(error) && parameters.get('sharedsecret') === '1') {
    return plain('Incorrect IV length (it must be 16 bytes long)');
  }
  return parameters.has('activationcode')
    ? rolloutWording(error, parameters)
    : passWording(error, parameters.get('type') ?? '');
}

/** LinOTP numbers these of tokens without a challenge. */
function passWording(error: AnyServiceError, type: string): Wording | undefined {
  const { code, payload, message } = error;
  if (code === 'parameter.invalid' && payload.parameter === 'type') {
    return { code: 1610, message: `ERR1610: admin/init failed: unknown token type ${plainRepr(type)}` };
  }
  if (OCRA_TYPES.includes(type.toLowerCase())) {
    return undefined;
  }
  if (isKeyMissing(error)) {
    return { code: 905, message: "ERR905: Missing parameter: 'otpkey'" };
  }
  return code === 'token.exists' ? { code: 10, message: `ERR10: initToken failed: ${message}` } : undefined;
}

function isKeyMissing({ code, payload }: AnyServiceError): boolean {
  return code === 'parameter.missing' && payload.parameters.includes('otpkey');
}

function rolloutWording(
  { code, payload }: AnyServiceError,
  parameters: RequestContext['parameters'],
): Wording | undefined {
  const serial = parameters.get('serial') ?? '';
  const user = parameters.get('user') ?? '';
  switch (code) {
    case 'token.ambiguous':
      return plain(
        `multiple tokens found in rollout state: [${payload.serials.map(unicodeRepr).join(', ')}]`,
      );
    case 'token.unknown':
      return serial === '' ? noTokenFor(payload.login ?? user) : noSharedSecretOf(serial);
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

/** @returns the message with the values of the policies; they are public, as QR codes of these realms contain them */
function urlWording({ urls, realms }: ErrorPayloads['challenge.url-ambiguous']): Wording {
  const [values, names] = [urls, realms].map((texts) => texts.map(unicodeRepr).join(', '));
  return plain(`multiple enrollement urls [${values}] found for realm set: [${names}]`);
}

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

function calculationWording(
  { code, payload }: AnyServiceError,
  { parameters }: RequestContext,
): Wording | undefined {
  switch (code) {
    case 'parameter.missing':
      return plainOrNone(MISSING[payload.parameters.join()]);
    case 'qrtan-url.invalid':
      return plainOrNone(missingInUrl(payload.missing, parameters));
    case 'parameter.invalid':
      return plainOrNone(parameterMessage(payload, parameters));
    case 'data-input.invalid':
      return plainOrNone(questionMessage(payload.question, parameters.get('challenge')));
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

/** The number of parts of a suite, and of its crypto function. */
const PARTS = 3;
/** The most digits that LinOTP 2.12.6 accepts; it also accepts blanks around the number. */
const MAX_DIGITS = 10;
/** The form of a time step that LinOTP 2.12.6 accepts. */
const TIME_STEP = /^T(?:\d+H)?(?:\d+M)?(?:\d+S)?$/;
const NO_CHARACTER = 'string index out of range';

type SuiteWording = (text: string, whole: string) => string | undefined;

/** The messages for an invalid suite by the part that is wrong; undefined where LinOTP 2.12.6 accepts it. */
const SUITE_WORDINGS: Readonly<Partial<Record<SuitePart, SuiteWording>>> = {
  shape: shapeMessage,
  algorithm: shapeMessage,
  'crypto function': (name, whole) =>
    splitMessage(whole.split('-').length) ?? `unsupported hash version: ${name}`,
  truncation: truncationMessage,
  hash: hashMessage,
  PIN: hashMessage,
  question: suiteQuestionMessage,
  session: (text) => `Unknown session length ${unicodeRepr(text.slice(1))}`,
  'time step': (text) =>
    TIME_STEP.test(text) ? undefined : `Invalid timestamp descriptor ${unicodeRepr(text.slice(1))}`,
  'data input': (text) => (text === '' ? NO_CHARACTER : undefined),
};

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

function suiteQuestionMessage(text: string): string | undefined {
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
