import { readCookie } from './credentials.ts';

/** `__Host-`: no other host of the domain can plant it (RFC 6265bis section 4.1.3.2). Browsers want `Secure` for that. */
const SECURE_PREFIX = '__Host-';

/** A cookie that names a sign-in which is under way, or holds it. */
export interface SignInCookie {
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
