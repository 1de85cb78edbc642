import { STATUS_CODES } from 'node:http';
import type { AnyServiceError, ErrorPayloads } from '../../kernel/errors.ts';
import { type Language, translate } from '../messages.ts';
import type { RequestContext } from '../request/exchange.ts';
import type { Failure } from './dialect.ts';
import { quotedName } from './python-text.ts';
import type { Reply } from '../reply.ts';

/** The sentences for missing parameters, by the parameters of which one is required. */
const MISSING_REFERENCES: Readonly<Record<string, string>> = {
  'user,serial': 'You must either provide a parameter "user" or a parameter "serial".',
  'transactionid,user,serial':
    'You need to provide one of the parameters "transactionid", "user" or "serial"',
};

/** The requests of /ocra, by the action of the scope `ocra` that they require. */
const OCRA_REQUESTS: Readonly<Record<string, string>> = {
  request: 'request',
  status: 'checkstatus',
  activationcode: 'getActivationCode',
  calcOTP: 'calculateOtp',
};

/**
 * @returns the sentence for a failure that the dialects have in common: as published, or as recorded from LinOTP; where
 *   there is none, the error's own message
 */
export function failureSentence(error: AnyServiceError, language: Language): string {
  switch (error.code) {
    case 'user.unknown':
      return unknownUserSentence(error.payload.user);
    case 'token-status.unknown':
      return `Unknown token_status ${quotedName(error.payload.status)}`;
    case 'parameter.missing':
      return MISSING_REFERENCES[error.payload.parameters.join()] ?? error.message;
    case 'right.missing':
      return missingRightSentence(error.payload, language) ?? error.message;
    default:
      return error.message;
  }
}

/** @returns the sentence after its number, and for a missing parameter after the usage: `ERR77: Usage: … Missing …` */
export function failureText(
  { error, form }: Pick<Failure, 'error' | 'form'>,
  { usage, language }: Pick<RequestContext, 'usage' | 'language'>,
): string {
  const context = error.code === 'parameter.missing' && usage !== '' ? `Usage: ${usage} ` : '';
  return `${form.prefix}${context}${failureSentence(error, language)}`;
}

export function unknownUserSentence(user: string): string {
  return `getUserId failed: no user >${user}< found!`;
}

function missingRightSentence(
  { policy, realms }: ErrorPayloads['right.missing'],
  language: Language,
): string | undefined {
  if (realms !== undefined) {
    return translate('right.missing/realms', language, { realms: realms.map(quotedName).join(', ') });
  }
  if (policy === undefined) {
    return undefined;
  }
  const request = policy.scope === 'ocra' ? OCRA_REQUESTS[policy.action] : undefined;
  if (request !== undefined) {
    return translate('right.missing/ocra', language, { request });
  }
  return policy.scope === 'admin' && policy.action === 'init'
    ? 'You do not have the administrative right to init tokens of the type ocra'
    : translate('right.missing/policy', language, policy);
}

/** A status that node names and LinOTP does not. */
const TEAPOT = 418;

/** @returns LinOTP's unframed page for an error with a status that the client requested by `httperror` */
export function errorPage(
  status: number,
  version: string,
  code: number,
  message: string,
): Reply & { readonly body: string } {
  const title = `${status} ${status} ${(status === TEAPOT ? undefined : STATUS_CODES[status]) ?? 'LinOTP Error'}`;
  const body = `
<html>
<head>
<title>${title}</title>
</head>
<body>
<h1>${title}</h1>
[${escapeText(version)}] ${code}: ${escapeText(message)}
<br>
<br>
</body>
</html>
`;
  return { status, contentType: 'text/html; charset=utf-8', body };
}

/** Escapes a text between tags. Quotes stay, as in LinOTP 2.12.6. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
