import type { IncomingMessage } from 'node:http';
import type { Login } from '../../administrators/login-service.ts';
import { readCookie } from './credentials.ts';

/** The names that LinOTP 3 uses. */
const TOKEN_COOKIE = 'access_token_cookie';
const CSRF_COOKIE = 'csrf_access_token';

/**
 * @returns the login token in the request, if any
 * @throws ServiceError 'authentication.required' for two
 */
export function readLoginCookie(request: IncomingMessage): string | undefined {
  return readCookie(request.headers.cookie, TOKEN_COOKIE);
}

/** The address of this server as a client sees it, as far as trusted proxies report. */
export interface ServedAt {
  /** True if the request came over https. */
  readonly secure: boolean;
  /** The name of the host, without a port; undefined where the request names none that a cookie can. */
  readonly host: string | undefined;
  /** The folder below which a proxy shows this server, such as `/tan`; empty: the root. */
  readonly prefix: string;
}

/** @returns the headers `Set-Cookie` of a login; scripts of this site can read only the second cookie */
export function loginCookies(
  { token, csrfToken, expiresAt }: Pick<Login, 'token' | 'csrfToken' | 'expiresAt'>,
  servedAt: ServedAt,
): readonly string[] {
  const attributes = [
    pathOf(servedAt),
    `Expires=${expiresAt.toUTCString()}`,
    'SameSite=Strict',
    ...(servedAt.secure ? ['Secure'] : []),
  ];
  return [
    [`${TOKEN_COOKIE}=${token}`, ...attributes, 'HttpOnly'].join('; '),
    [`${CSRF_COOKIE}=${csrfToken}`, ...attributes].join('; '),
  ];
}

/** @returns the headers `Set-Cookie` that remove the cookies of a login */
export function logoutCookies(servedAt: ServedAt): readonly string[] {
  return loginCookies({ token: '', csrfToken: '', expiresAt: new Date(0) }, servedAt);
}

function pathOf({ prefix }: ServedAt): string {
  return `Path=${prefix}/`;
}

/** The cookie of a session of the clients of LinOTP 2. */
export const SESSION_COOKIE = 'admin_session';

/** @returns the headers `Set-Cookie` that keep a session; an empty one removes it */
export type SessionCookies = (session: string, servedAt: ServedAt) => readonly string[];

/**
 * Has no `Expires`: Java's HttpClient drops a cookie whose date it cannot read. The server ends the session by itself.
 * @param asRecorded true: two cookies, as LinOTP 2 sends them, the first one with the domain
 * @param httpOnly false: scripts of pages can read it
 */
export function sessionCookies({
  asRecorded,
  httpOnly,
}: {
  readonly asRecorded: boolean;
  readonly httpOnly: boolean;
}): SessionCookies {
  return (session, servedAt) => {
    const domains = asRecorded && servedAt.host !== undefined ? [`Domain=${servedAt.host}`] : [];
    const attributes = [
      pathOf(servedAt),
      ...(session === '' ? ['Max-Age=0'] : []),
      ...(httpOnly ? ['HttpOnly'] : []),
      'SameSite=Strict',
      ...(servedAt.secure ? ['Secure'] : []),
    ];
    return [...domains.map((domain) => [domain]), []].map((domain) =>
      [`${SESSION_COOKIE}=${session}`, ...domain, ...attributes].join('; '),
    );
  };
}

/**
 * No other host of the domain can plant a cookie of such a name (RFC 6265bis section 4.1.3). Browsers want `Secure` for
 * it, and for `__Host-` also the path `/`.
 */
function signInName({ name }: SignInCookie, { secure, prefix }: ServedAt): string {
  return secure ? `${prefix === '' ? '__Host-' : '__Secure-'}${name}` : name;
}

/** A cookie that names a sign-in which is under way, or holds it; or the session of a user. */
interface SignInCookie {
  readonly name: 'sign_in' | 'sign_in_confirmation' | 'sign_in_oidc' | 'user_sign_in' | 'user_session';
  /** `Lax` reaches the server after the redirect of a provider, `Strict` does not. */
  readonly sameSite: 'Strict' | 'Lax';
}

export const SECOND_STEP: SignInCookie = { name: 'sign_in', sameSite: 'Strict' };
export const CONFIRMATION: SignInCookie = { name: 'sign_in_confirmation', sameSite: 'Strict' };
export const USER_SIGN_IN: SignInCookie = { name: 'user_sign_in', sameSite: 'Strict' };
export const USER_SESSION: SignInCookie = { name: 'user_session', sameSite: 'Strict' };
export const SINGLE_SIGN_ON: SignInCookie = { name: 'sign_in_oidc', sameSite: 'Lax' };

/** @returns the secret of the sign-in; undefined: this browser has begun none */
export function readSignIn(
  cookies: string | undefined,
  cookie: SignInCookie,
  servedAt: ServedAt,
): string | undefined {
  return readCookie(cookies, signInName(cookie, servedAt));
}

/** @returns the header `Set-Cookie` that keeps the secret until then */
export function keepSignIn(
  cookie: SignInCookie,
  secret: string,
  expiresAt: Date,
  servedAt: ServedAt,
): string {
  return [
    `${signInName(cookie, servedAt)}=${secret}`,
    pathOf(servedAt),
    `Expires=${expiresAt.toUTCString()}`,
    `SameSite=${cookie.sameSite}`,
    'HttpOnly',
    ...(servedAt.secure ? ['Secure'] : []),
  ].join('; ');
}

/** @returns the header `Set-Cookie` that removes the secret */
export function dropSignIn(cookie: SignInCookie, servedAt: ServedAt): string {
  return keepSignIn(cookie, '', new Date(0), servedAt);
}
