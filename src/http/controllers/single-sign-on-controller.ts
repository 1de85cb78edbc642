import { z } from 'zod';
import type { SingleSignOnService } from '../../administrators/single-sign-on-service.ts';
import { inEveryDialect, pageAnswer, valueOf } from '../answers.ts';
import { loginCookies } from '../authentication/login-cookies.ts';
import { dropSignIn, keepSignIn, readSignIn, SINGLE_SIGN_ON } from '../authentication/sign-in-cookie.ts';
import type { AdministrationDialect } from '../dialects/dialect.ts';
import { actOfCall, type Endpoint, openEndpoint } from '../endpoint-spec.ts';
import { escapeHtml } from '../html.ts';
import { clientNetwork } from '../limits/networks.ts';
import { htmlReply } from '../reply.ts';
import { optional, secret } from '../request/parameter-schemas.ts';

/** The operations of single sign-on. */
export type SingleSignOnOperations = Pick<SingleSignOnService, 'begin' | 'finish'>;

/** @returns the endpoints by which people sign in at an OpenID Connect provider */
export function singleSignOnEndpoints(
  singleSignOn: SingleSignOnOperations,
  dialect: AdministrationDialect,
): Endpoint[] {
  return [beginEndpoint(singleSignOn, dialect), callbackEndpoint(singleSignOn)];
}

function beginEndpoint(singleSignOn: SingleSignOnOperations, dialect: AdministrationDialect): Endpoint {
  return openEndpoint(
    {
      path: '/admin/sign-in/oidc',
      methods: ['POST'],
      summary: 'begins a sign-in at the OpenID Connect provider: the browser opens `url`',
      requires: 'nothing',
      answers: inEveryDialect(valueOf(z.strictObject({ url: z.url(), expires: z.iso.datetime() }))),
      answerHeaders: { 'Set-Cookie': 'a cookie that names the sign-in for five minutes' },
      family: 'linotp2',
      usage: 'admin/sign-in/oidc: begin single sign-on.',
      changesState: true,
      parameters: z.object({}),
    },
    async ({ limitedAs, context, secure, ...call }) => {
      const act = actOfCall(call, 'admin/sign-in/oidc');
      const { attempt, expiresAt, url } = await singleSignOn.begin(clientNetwork(limitedAs), act);
      const reply = dialect.value({ url, expires: expiresAt.toISOString() }, context);
      const cookie = keepSignIn(SINGLE_SIGN_ON, attempt, expiresAt, secure);
      return { ...reply, headers: { ...reply.headers, 'Set-Cookie': cookie } };
    },
  );
}

function callbackEndpoint(singleSignOn: SingleSignOnOperations): Endpoint {
  return openEndpoint(
    {
      path: '/admin/sign-in/oidc/callback',
      methods: ['GET'],
      summary: 'signs in by the answer of the provider, which sends the browser here',
      requires: 'sign-in',
      answers: pageAnswer('a page that names the person'),
      answerHeaders: { 'Set-Cookie': 'the cookies `access_token_cookie` and `csrf_access_token`' },
      family: 'linotp2',
      usage: 'admin/sign-in/oidc/callback: finish single sign-on.',
      // The provider's site sends the browser here. `state` and the cookie tie the answer to the sign-in.
      changesState: false,
      parameters: z.object({
        code: secret(optional('the authorization code')),
        state: secret(optional('the state of the sign-in')),
        iss: optional('the issuer (RFC 9207)'),
        error: optional('the reason of the provider to sign nobody in'),
      }),
    },
    async ({ parameters, cookies, secure, ...call }) => {
      const attempt = readSignIn(cookies, SINGLE_SIGN_ON, secure);
      const act = actOfCall(call, 'admin/sign-in/oidc/callback');
      const { name, login } = await singleSignOn.finish(attempt, parameters, act);
      const reply = htmlReply(signedInPage(name));
      const set = [...loginCookies(login, secure), dropSignIn(SINGLE_SIGN_ON, secure)];
      return { ...reply, headers: { ...reply.headers, 'Set-Cookie': set } };
    },
  );
}

/** A page, not a redirect: browsers would send no `Strict` cookie with a redirect that another site began. */
function signedInPage(name: string): string {
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><title>Signed in</title></head>',
    `<body><p>Signed in as ${escapeHtml(name)}.</p></body></html>`,
  ].join('\n');
}
