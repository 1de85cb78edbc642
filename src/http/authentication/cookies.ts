import type { IncomingMessage } from 'node:http';
import type { Login } from '../../administrators/login-service.ts';
import { equalText } from '../../kernel/constant-time.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { notAuthenticated, readCookie } from './credentials.ts';
import { readQuery } from '../request/parameters.ts';

/** The names that LinOTP 3 uses. */
const TOKEN_COOKIE = 'access_token_cookie';
const CSRF_COOKIE = 'csrf_access_token';
const CSRF_HEADER = 'x-csrf-token';

/**
 * @returns the login token in the request, if any
 * @throws ServiceError 'authentication.required' for two
 */
export function readLoginCookie(request: IncomingMessage): string | undefined {
  return readCookie(request.headers.cookie, TOKEN_COOKIE);
}

/**
 * Checks that the sender of the request can read the cookies of this site, which neither a page of another site nor a
 * link can. GET and HEAD are exempt where they only read, as in LinOTP 3.
 * @param login the content of the signed login token
 * @param changesState true if the endpoint changes anything
 * @param inForm the parameter `csrf_token`; in a query string it is refused, as logs and browsers keep URLs
 * @throws ServiceError 'authentication.required'
 */
export function assertCsrfToken(
  request: IncomingMessage,
  login: { readonly administrator: string; readonly csrfToken: string },
  inForm: string | undefined,
  changesState: boolean,
): void {
  if (!changesState && (request.method === 'GET' || request.method === 'HEAD')) {
    return;
  }
  if (readQuery(request).has('csrf_token')) {
    throw new ServiceError(
      'authentication.required',
      'Not authenticated: csrf_token belongs in the body or its value in the header X-CSRF-TOKEN, not in the URL',
      { credentials: 'csrf token', account: login.administrator },
    );
  }
  const values = [...(request.headersDistinct[CSRF_HEADER] ?? []), ...(inForm === undefined ? [] : [inForm])];
  if (values.length === 0 || !values.every((value) => equalText(value, login.csrfToken))) {
    throw notAuthenticated('csrf token', login.administrator);
  }
}

/** @returns the headers `Set-Cookie` of a login; scripts of this site can read only the second cookie */
export function loginCookies(login: Login, secure: boolean): readonly string[] {
  return cookies(login.token, login.csrfToken, login.expiresAt, secure);
}

/** @returns the headers `Set-Cookie` that remove the cookies of a login */
export function logoutCookies(secure: boolean): readonly string[] {
  return cookies('', '', new Date(0), secure);
}

function cookies(token: string, csrfToken: string, expiresAt: Date, secure: boolean): readonly string[] {
  const attributes = [
    'Path=/',
    `Expires=${expiresAt.toUTCString()}`,
    'SameSite=Strict',
    ...(secure ? ['Secure'] : []),
  ];
  return [
    [`${TOKEN_COOKIE}=${token}`, ...attributes, 'HttpOnly'].join('; '),
    [`${CSRF_COOKIE}=${csrfToken}`, ...attributes].join('; '),
  ];
}

/** `__Host-`: no other host of the domain can plant it (RFC 6265bis section 4.1.3.2). Browsers want `Secure` for that. */
const SECURE_PREFIX = '__Host-';

/** A cookie that names a sign-in which is under way, or holds it. */
interface SignInCookie {
  readonly name: 'sign_in' | 'sign_in_confirmation' | 'sign_in_oidc';
  /** `Lax` reaches the server after the redirect of a provider, `Strict` does not. */
  readonly sameSite: 'Strict' | 'Lax';
}

export const SECOND_STEP: SignInCookie = { name: 'sign_in', sameSite: 'Strict' };
export const CONFIRMATION: SignInCookie = { name: 'sign_in_confirmation', sameSite: 'Strict' };
export const SINGLE_SIGN_ON: SignInCookie = { name: 'sign_in_oidc', sameSite: 'Lax' };

/** @returns the secret of the sign-in; undefined: this browser has begun none */
export function readSignIn(
  cookies: string | undefined,
  { name }: SignInCookie,
  secure: boolean,
): string | undefined {
  return readCookie(cookies, secure ? SECURE_PREFIX + name : name);
}

/** @returns the header `Set-Cookie` that keeps the secret until then */
export function keepSignIn(cookie: SignInCookie, secret: string, expiresAt: Date, secure: boolean): string {
  return header(cookie, secret, expiresAt, secure);
}

/** @returns the header `Set-Cookie` that removes the secret */
export function dropSignIn(cookie: SignInCookie, secure: boolean): string {
  return header(cookie, '', new Date(0), secure);
}

function header({ name, sameSite }: SignInCookie, value: string, expiresAt: Date, secure: boolean): string {
  return [
    `${secure ? SECURE_PREFIX + name : name}=${value}`,
    'Path=/',
    `Expires=${expiresAt.toUTCString()}`,
    `SameSite=${sameSite}`,
    'HttpOnly',
    ...(secure ? ['Secure'] : []),
  ].join('; ');
}
