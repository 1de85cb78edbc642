import type { Endpoint, Method } from '../endpoint-spec.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Operation } from './openapi.ts';

/** The credentials of administrators. */
export const SECURITY_SCHEMES = {
  password: { type: 'http', scheme: 'basic', description: 'name and password of an administrator' },
  apiToken: { type: 'http', scheme: 'bearer', description: 'an API token, `tk_…`, which names its rights' },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'admin_session',
    description: 'the session of /admin/getsession',
  },
  sessionParameter: {
    type: 'apiKey',
    in: 'query',
    name: 'session',
    description: 'the value of the cookie `admin_session`, again',
  },
  loginCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'access_token_cookie',
    description: 'the login of /admin/login: a JSON Web Token (RFC 7519)',
  },
  csrfToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-TOKEN',
    description: 'the value of the cookie `csrf_access_token`; a form may carry it as `csrf_token`',
  },
} as const satisfies Record<string, JsonSchema>;

type Scheme = keyof typeof SECURITY_SCHEMES;

/** @returns the choices of credentials for a request; those of one choice belong together */
export function securityOf({ access }: Pick<Endpoint, 'access'>, method: Method): Operation['security'] {
  const all = (...schemes: Scheme[]): Record<string, readonly string[]> =>
    Object.fromEntries(schemes.map((scheme) => [scheme, []]));
  switch (access) {
    case 'open':
      return [];
    case 'password':
      return [all('password')];
    case 'administrator':
      return [
        all('password'),
        all('apiToken'),
        all('sessionCookie', 'sessionParameter'),
        method === 'GET' ? all('loginCookie') : all('loginCookie', 'csrfToken'),
      ];
  }
}
