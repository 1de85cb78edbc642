import type { IncomingMessage } from 'node:http';
import type { Principal } from '../../policy/caller.ts';
import type { AdministratorService } from '../../administrators/administrator-service.ts';
import { type LoginService, secondFactorRequired } from '../../administrators/login-service.ts';
import type { ProvenPassword } from '../../administrators/administrator.ts';
import { sessionHash } from '../../administrators/session.ts';
import { equalText } from '../../kernel/constant-time.ts';
import {
  headerValues,
  notAuthenticated,
  readCookie,
  refuseNavigation,
  unquoted,
  DigestRefusal,
} from './credentials.ts';
import { readLoginCookie, SESSION_COOKIE } from './cookies.ts';
import type { Guards } from '../limits/guards.ts';
import type { RequestSender } from '../request/exchange.ts';
import type { RequestValues } from '../request/parameters.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { decodeUtf8OrLatin1 } from '../request/charsets.ts';

/** The verification of passwords, sessions and API tokens. */
type CredentialCheck = Pick<
  AdministratorService,
  'authenticatePassword' | 'recallPassword' | 'findSession' | 'authenticateApiToken'
>;

/** The verification of login tokens. */
type LoginCheck = Pick<LoginService, 'authenticate'>;

/** Every check of a credential. */
export interface Checks {
  readonly credentials: CredentialCheck;
  readonly logins: LoginCheck;
  readonly guards: Pick<Guards, 'logins'>;
}

/** The authenticated administrator, and the session or login that proves it, if one does. */
export interface Identity {
  readonly principal: Principal;
  readonly session: string | undefined;
  /** The session of a login; no other credential refers to it. */
  readonly login?: string;
  /** Set where a password was given. */
  readonly proven?: ProvenPassword | undefined;
}

/** What a request asks for, beside who sends it. */
export interface Demands {
  /** True if the endpoint changes anything. */
  readonly changesState: boolean;
  /** True if the query string holds `csrf_token`. */
  readonly isCsrfInUrl: boolean;
}

/**
 * Authenticates a request: by HTTP Basic, by an API token, by a session, whose cookie must equal the parameter
 * `session`, or by a login token in a cookie, which is used where neither `Authorization` nor the cookie of a session
 * is given. Every given credential must be valid. A password and a session must belong to the same administrator; beside a
 * password, a session that the client has made up itself counts as none: clients of LinOTP 2 do so.
 *
 * A cookie alone changes nothing, whatever the method: that of a session comes with the parameter, that of a login with
 * the CSRF value, and neither with an address that the browser opens.
 * @throws ServiceError 'authentication.required', 'too-many-requests', 'cross-site.refused'
 */
export async function authenticate(
  request: IncomingMessage,
  values: RequestValues,
  sender: RequestSender,
  checks: Checks,
  demands: Demands,
): Promise<Identity> {
  const { credentials: check, logins } = checks;
  const { client } = sender;
  const session = sessionIn(values);
  const authorization = parseAuthorization(headerValues(request, 'authorization'));
  const cookie = readCookie(request.headers.cookie, SESSION_COOKIE);
  const loginToken = readLoginCookie(request);
  if (authorization?.scheme === 'bearer') {
    return withoutSession(await byApiToken(authorization.token, session, client, check));
  }
  if (authorization !== undefined) {
    const { administrator: named } = await byPassword(authorization, sender, checks);
    return session === undefined
      ? withoutSession(byOwnPassword(named, client))
      : byPasswordAndSession(named, session, cookie, client, check);
  }
  const { csrfToken, ...known } =
    loginToken !== undefined && (session === undefined || cookie === undefined)
      ? await byLogin(loginToken, client, logins)
      : { ...(await bySession(session, cookie, client, check)), csrfToken: undefined };
  if (demands.changesState) {
    refuseNavigation(request);
  }
  if (csrfToken !== undefined) {
    const { administrator } = known.principal;
    assertCsrfToken(request, { administrator, csrfToken }, values.get('csrf_token'), demands);
  }
  return known;
}

/** @returns the session that the parameters repeat; clients copy it from the cookie, with its quotes */
function sessionIn(values: RequestValues): string | undefined {
  const session = values.get('session');
  return session === undefined ? undefined : unquoted(session);
}

/**
 * Authenticates by HTTP Basic alone, for a client that opens a session: an old cookie must not prevent that.
 * @throws ServiceError 'authentication.required', 'too-many-requests'
 */
export async function authenticateByPassword(
  request: IncomingMessage,
  sender: RequestSender,
  checks: Pick<Checks, 'credentials' | 'guards'>,
): Promise<Identity> {
  const authorization = parseAuthorization(headerValues(request, 'authorization'));
  if (authorization?.scheme !== 'basic') {
    throw notAuthenticated();
  }
  const proven = await byPassword(authorization, sender, checks);
  return { ...withoutSession(byOwnPassword(proven.administrator, sender.client)), proven };
}

async function byPassword(
  { name, password }: Extract<Authorization, { scheme: 'basic' }>,
  sender: RequestSender,
  { credentials, guards }: Pick<Checks, 'credentials' | 'guards'>,
): Promise<ProvenPassword> {
  const attempt = { client: sender.limitedAs, account: name, password };
  const proven = await guards.logins.attempt(
    attempt,
    () => credentials.authenticatePassword(name, password),
    () => credentials.recallPassword(name, password),
  );
  if (proven === undefined) {
    throw notAuthenticated('password', name);
  }
  if (proven.secondFactor !== undefined) {
    throw secondFactorRequired(name);
  }
  return proven;
}

async function bySession(
  session: string | undefined,
  cookie: string | undefined,
  client: string,
  check: CredentialCheck,
): Promise<Identity> {
  const owner = isRepeated(session, cookie) ? await check.findSession(session) : undefined;
  if (session === undefined || owner === undefined) {
    throw notAuthenticated(session === undefined ? undefined : 'session');
  }
  return { principal: bySessionOf(owner, session, client), session };
}

/** @param named the administrator of the password */
async function byPasswordAndSession(
  named: string,
  session: string,
  cookie: string | undefined,
  client: string,
  check: CredentialCheck,
): Promise<Identity> {
  if (!isRepeated(session, cookie)) {
    throw notAuthenticated('session');
  }
  const owner = await check.findSession(session);
  if (owner === undefined) {
    return withoutSession(byOwnPassword(named, client));
  }
  if (owner !== named) {
    throw notAuthenticated('session');
  }
  return { principal: bySessionOf(owner, session, client), session };
}

function isRepeated(session: string | undefined, cookie: string | undefined): session is string {
  return session !== undefined && cookie !== undefined && session !== '' && equalText(cookie, session);
}

/** @returns also the value that the request must repeat */
async function byLogin(
  token: string,
  client: string,
  logins: LoginCheck,
): Promise<Identity & { readonly csrfToken: string }> {
  const login = await logins.authenticate(token);
  if (login === undefined) {
    throw notAuthenticated('login');
  }
  const proof = { kind: 'login', hash: sessionHash(login.session, 'login') } as const;
  const known = { ...principal(login.administrator, client, login.groups), proof };
  return { principal: known, session: undefined, login: login.session, csrfToken: login.csrfToken };
}

async function byApiToken(
  token: string,
  session: string | undefined,
  client: string,
  check: CredentialCheck,
): Promise<Principal> {
  const found = session === undefined ? await check.authenticateApiToken(token) : undefined;
  if (found === undefined) {
    throw notAuthenticated('api token');
  }
  return { ...principal(found.administrator, client), rights: found.rights };
}

/** @param groups of a person who signed in by single sign-on; undefined for administrators of this server */
function principal(administrator: string, client: string, groups?: readonly string[]): Principal {
  return { administrator, rights: ['*'], operator: false, client, ...(groups !== undefined && { groups }) };
}

/** Refuses the password alone for an account with a second factor, see `byPassword`. */
function byOwnPassword(administrator: string, client: string): Principal {
  return { ...principal(administrator, client), proof: 'password' };
}

function bySessionOf(administrator: string, session: string, client: string): Principal {
  const proof = { kind: 'session', hash: sessionHash(session, 'session') } as const;
  return { ...principal(administrator, client), proof };
}

function withoutSession(known: Principal): Identity {
  return { principal: known, session: undefined };
}

const CSRF_HEADER = 'x-csrf-token';

/**
 * Checks that the sender of the request can read the cookies of this site, which neither a page of another site nor a
 * link can. GET and HEAD are exempt where they only read, as in LinOTP 3.
 * @param login the content of the signed login token
 * @param changesState true if the endpoint changes anything
 * @param inForm the parameter `csrf_token`; in a query string it is refused, as logs and browsers keep URLs
 * @throws ServiceError 'authentication.required'
 */
function assertCsrfToken(
  request: IncomingMessage,
  login: { readonly administrator: string; readonly csrfToken: string },
  inForm: string | undefined,
  { changesState, isCsrfInUrl }: Demands,
): void {
  if (!changesState && (request.method === 'GET' || request.method === 'HEAD')) {
    return;
  }
  if (isCsrfInUrl) {
    throw new ServiceError(
      'authentication.required',
      'Not authenticated: csrf_token belongs in the body or its value in the header X-CSRF-TOKEN, not in the URL',
      { credentials: 'csrf token', account: login.administrator },
    );
  }
  const values = [...headerValues(request, CSRF_HEADER), ...(inForm === undefined ? [] : [inForm])];
  if (values.length === 0 || !values.every((value) => equalText(value, login.csrfToken))) {
    throw notAuthenticated('csrf token', login.administrator);
  }
}

/** The content of `Authorization`. */
type Authorization =
  | { readonly scheme: 'basic'; readonly name: string; readonly password: string }
  | { readonly scheme: 'bearer'; readonly token: string };

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
