import type { IncomingMessage } from 'node:http';
import type { Principal } from '../accounts/caller.ts';
import type { ApiToken } from '../accounts/ports.ts';
import { equalText } from '../kernel/constant-time.ts';
import { ServiceError } from '../kernel/errors.ts';
import { type Authorization, notAuthenticated, parseAuthorization, readCookie } from './credentials.ts';

export const SESSION_COOKIE = 'admin_session';

/** Tells who the credentials of a request belong to. */
export interface CredentialCheck {
  authenticatePassword(name: string, password: string): Promise<boolean>;
  /** @returns the administrator's name, unless the session is unknown, expired or revoked */
  findSession(session: string): Promise<string | undefined>;
  authenticateApiToken(token: string): Promise<Pick<ApiToken, 'administrator' | 'rights'> | undefined>;
}

/** Who asks, and the session that proves it, if one does. */
export interface Identity {
  readonly principal: Principal;
  readonly session: string | undefined;
}

/**
 * Finds out who asks: by HTTP Basic, by an API token, or by a session, whose cookie must equal the parameter `session`.
 * Credentials that are given must be right, whatever others come with them; a password and a session must belong to
 * the same administrator.
 * @param session the parameter
 * @throws ServiceError 'authentication.required'
 */
export async function authenticate(
  request: IncomingMessage,
  session: string | undefined,
  client: string,
  check: CredentialCheck,
): Promise<Identity> {
  const authorization = parseAuthorization(request.headersDistinct.authorization);
  const cookie = readCookie(request.headers.cookie, SESSION_COOKIE);
  if (authorization?.scheme === 'bearer') {
    return withoutSession(await byApiToken(authorization.token, session, client, check));
  }
  const named = authorization === undefined ? undefined : await byPassword(authorization, check);
  if (session === undefined) {
    return withoutSession(principal(named, client));
  }
  const owner = await bySession(session, cookie, check);
  if (named !== undefined && named !== owner) {
    throw notAuthenticated();
  }
  return { principal: principal(owner, client), session };
}

/**
 * Finds out who asks by HTTP Basic alone, for whoever wants a session: an old cookie must not stand in the way.
 * @throws ServiceError 'authentication.required'
 */
export async function authenticateByPassword(
  request: IncomingMessage,
  client: string,
  check: CredentialCheck,
): Promise<Identity> {
  const authorization = parseAuthorization(request.headersDistinct.authorization);
  if (authorization?.scheme !== 'basic') {
    throw notAuthenticated();
  }
  return withoutSession(principal(await byPassword(authorization, check), client));
}

/**
 * Refuses what a page of another site made a browser send (https://www.w3.org/TR/fetch-metadata/). Other clients do
 * not send the header.
 * @throws ServiceError 'cross-site.refused'
 */
export function refuseCrossSite(request: IncomingMessage): void {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new ServiceError(
      'cross-site.refused',
      'A request that another site made a browser send is refused here',
    );
  }
}

async function byPassword(
  { name, password }: Extract<Authorization, { scheme: 'basic' }>,
  check: CredentialCheck,
): Promise<string> {
  if (!(await check.authenticatePassword(name, password))) {
    throw notAuthenticated();
  }
  return name;
}

async function bySession(
  session: string,
  cookie: string | undefined,
  check: CredentialCheck,
): Promise<string | undefined> {
  const repeated = cookie !== undefined && session !== '' && equalText(cookie, session);
  return repeated ? check.findSession(session) : undefined;
}

async function byApiToken(
  token: string,
  session: string | undefined,
  client: string,
  check: CredentialCheck,
): Promise<Principal> {
  const found = session === undefined ? await check.authenticateApiToken(token) : undefined;
  return { ...principal(found?.administrator, client), rights: found?.rights ?? [] };
}

function principal(administrator: string | undefined, client: string): Principal {
  if (administrator === undefined) {
    throw notAuthenticated();
  }
  return { administrator, rights: ['*'], operator: false, client };
}

function withoutSession(known: Principal): Identity {
  return { principal: known, session: undefined };
}
