import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../kernel/errors.ts';
import { decodeUtf8OrLatin1 } from '../request/charsets.ts';
import type { RefusedCredentials } from '../../administrators/administrator.ts';

/** The content of `Authorization`. */
export type Authorization =
  | { readonly scheme: 'basic'; readonly name: string; readonly password: string }
  | { readonly scheme: 'bearer'; readonly token: string };

/**
 * @param credentials the kind of credential that was rejected, for the audit; left out where none was given
 * @param account the account that the credential names
 * @returns the refusal of an unauthenticated request
 */
export function notAuthenticated(
  credentials?: RefusedCredentials,
  account?: string,
): ServiceError<'authentication.required'> {
  return new ServiceError('authentication.required', 'Not authenticated', {
    ...(credentials !== undefined && { credentials }),
    ...(account !== undefined && { account }),
  });
}

/**
 * Refuses a change by a cookie that no page of this site has sent: a browser opens the address of a link, also one from a
 * mail, with the cookies (https://www.w3.org/TR/fetch-metadata/#sec-fetch-mode-header). Clients without the header pass.
 * @throws ServiceError 'cross-site.refused'
 */
export function refuseNavigation({ headers }: Pick<IncomingMessage, 'headers'>): void {
  if (headers['sec-fetch-mode']?.toString().includes('navigate') === true) {
    throw new ServiceError(
      'cross-site.refused',
      'An address that a browser opens, as that of a link, changes nothing here by a cookie',
    );
  }
}

/**
 * @param name in lower case
 * @returns the values of all headers of that name; `headersDistinct` would make a list of each header
 */
export function headerValues({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): string[] {
  return rawHeaders.filter(
    (_text, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  );
}

/**
 * @param values of each `Authorization` header of the request
 * @returns undefined where there is none
 * @throws ServiceError 'authentication.required' for a repeated, unknown or malformed one
 */
export function parseAuthorization(values: readonly string[] = []): Authorization | undefined {
  const [value, another] = values;
  if (value === undefined) {
    return undefined;
  }
  const [, scheme = '', credentials = ''] = /^([A-Za-z]+) +([\x21-\x7e]+) *$/.exec(value) ?? [];
  switch (another === undefined ? scheme.toLowerCase() : undefined) {
    case 'basic':
      return parseBasic(credentials);
    case 'bearer':
      return { scheme: 'bearer', token: credentials };
    default:
      throw /^digest /i.test(value) ? new DigestRefusal() : notAuthenticated();
  }
}

/** The refusal of HTTP Digest, for which the server would have to keep passwords, or what serves as one. */
export class DigestRefusal extends ServiceError<'authentication.required'> {
  constructor() {
    super('authentication.required', 'Not authenticated: there is no HTTP Digest here, use Basic', {});
  }
}

/** Parses Basic credentials (RFC 7617). The name ends at the first colon, so a password may contain colons. */
function parseBasic(credentials: string): Authorization {
  const bytes = Buffer.from(credentials, 'base64');
  if (bytes.toString('base64').replace(/=+$/, '') !== credentials.replace(/(?<!=)=+$/, '')) {
    throw notAuthenticated();
  }
  // Old clients send Latin-1; RFC 7617 leaves it to them where the challenge names no charset.
  const text = decodeUtf8OrLatin1(bytes);
  const colon = text.indexOf(':');
  if (colon <= 0 || text.includes('\0')) {
    throw notAuthenticated();
  }
  return { scheme: 'basic', name: text.slice(0, colon), password: text.slice(colon + 1) };
}

/**
 * @param header the header `Cookie` (RFC 6265 §4.2)
 * @returns the value of the cookie without quotes around it, undefined where there is none
 * @throws ServiceError 'authentication.required' where it is repeated with different values: an attacker may have
 *   planted one of them
 */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '').split(';').flatMap((pair) => {
    const equals = pair.indexOf('=');
    return equals !== -1 && pair.slice(0, equals).trim() === name
      ? [unquoted(pair.slice(equals + 1).trim())]
      : [];
  });
  if (new Set(values).size > 1) {
    throw notAuthenticated();
  }
  return values[0];
}

/** Libraries of Java and Python put values of cookies in quotes (RFC 2109 §4.3.4). No value of ours begins with one. */
export function unquoted(value: string): string {
  return /^"([^"]*)"$/.exec(value)?.[1] ?? value;
}
