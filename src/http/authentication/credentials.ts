import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../kernel/errors.ts';
import type { RefusedCredentials } from '../../administrators/administrator.ts';

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

/** The refusal of HTTP Digest, for which the server would have to keep passwords, or what serves as one. */
export class DigestRefusal extends ServiceError<'authentication.required'> {
  constructor() {
    super('authentication.required', 'Not authenticated: there is no HTTP Digest here, use Basic', {});
  }
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
