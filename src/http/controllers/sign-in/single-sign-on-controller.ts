import { z } from 'zod';
import type { SingleSignOnService } from '../../../administrators/single-sign-on-service.ts';
import { type AnyServiceError, isServiceError } from '../../../kernel/errors.ts';
import { type Answers, inEveryDialect } from '../../answers.ts';
import {
  dropSignIn,
  keepSignIn,
  loginCookies,
  readSignIn,
  SINGLE_SIGN_ON,
} from '../../authentication/cookies.ts';
import { actOfCall, answerWithCookie, type Endpoint, openEndpoint } from '../../endpoint-spec.ts';
import { failureForm } from '../../failures.ts';
import { escapeHtml, htmlReply, type Reply, withCookies } from '../../reply.ts';
import { refusedBy } from '../../refused-requests.ts';
import { optional, secret } from '../../request/parameters.ts';

const BEGUN = answerWithCookie(z.strictObject({ url: z.url(), expires_at: z.iso.datetime() }));

/** The outcomes of the callback, by the status of its page. */
const PAGES: Answers = inEveryDialect({
  others: [
    { contentType: 'text/html', meaning: 'a page that names the person and leads to the console' },
    { status: 401, contentType: 'text/html', meaning: 'a page with the reason to sign nobody in' },
    { status: 503, contentType: 'text/html', meaning: 'a page: the provider cannot be asked' },
  ],
});

/**
 * @param hasConsole true: the pages lead to the console by themselves
 * @returns the endpoints by which people sign in at an OpenID Connect provider
 */
export function singleSignOnEndpoints(singleSignOn: SingleSignOnService, hasConsole: boolean): Endpoint[] {
  return [beginEndpoint(singleSignOn), callbackEndpoint(singleSignOn, hasConsole)];
}

function beginEndpoint(singleSignOn: SingleSignOnService): Endpoint {
  return openEndpoint(
    {
      path: '/admin/sign-in/oidc',
      methods: ['POST'],
      summary: 'begins a sign-in at the OpenID Connect provider: the browser opens `url`',
      requires: 'nothing',
      answers: BEGUN.answers,
      answerHeaders: { 'Set-Cookie': 'a cookie that holds the sign-in for five minutes' },
      changesState: true,
      parameters: z.object({}),
    },
    async ({ servedAt, ...call }) => {
      const { attempt, expiresAt, url } = await singleSignOn.begin();
      return BEGUN.reply({ url, expires_at: expiresAt.toISOString() }, call, {
        cookie: keepSignIn(SINGLE_SIGN_ON, attempt, expiresAt, servedAt),
      });
    },
  );
}

function callbackEndpoint(singleSignOn: SingleSignOnService, hasConsole: boolean): Endpoint {
  return openEndpoint(
    {
      path: '/admin/sign-in/oidc/callback',
      methods: ['GET'],
      summary: 'signs in by the answer of the provider, which sends the browser here',
      requires: 'sign-in',
      answers: PAGES,
      answerHeaders: { 'Set-Cookie': 'the cookies `access_token_cookie` and `csrf_access_token`' },
      // The provider's site sends the browser here. `state` and the cookie tie the answer to the sign-in, once.
      changesState: true,
      fromAnySite: true,
      parameters: z.object({
        code: secret(optional('the authorization code')),
        state: secret(optional('the state of the sign-in')),
        iss: optional('the issuer (RFC 9207)'),
        error: optional('the reason of the provider to sign nobody in'),
        error_description: optional('the same for people, in the log only'),
      }),
    },
    async ({ parameters, cookies, servedAt, ...call }) => {
      const consoleAt = hasConsole ? `${servedAt.prefix}/console/` : undefined;
      try {
        const attempt = readSignIn(cookies, SINGLE_SIGN_ON, servedAt);
        const act = actOfCall(call, 'admin/sign-in/oidc/callback');
        const { name, login } = await singleSignOn.finish(attempt, parameters, act);
        const reply = page('Signed in', `Signed in as ${name}.`, consoleAt);
        const set = [...loginCookies(login, servedAt), dropSignIn(SINGLE_SIGN_ON, servedAt)];
        return withCookies(reply, set);
      } catch (error) {
        if (!isServiceError(error) || !error.code.startsWith('sign-in.')) {
          throw error;
        }
        const reply = refusal(error, consoleAt);
        // The provider has answered to this sign-in: it takes no second answer.
        return error.code === 'sign-in.refused'
          ? withCookies(reply, dropSignIn(SINGLE_SIGN_ON, servedAt))
          : reply;
      }
    },
  );
}

/** The sign-in page has a text for each of these words. */
function refusal(error: AnyServiceError, consoleAt: string | undefined): Reply {
  const reason = error.code === 'sign-in.refused' ? error.payload.reason : undefined;
  const word = reason ?? error.code.replace('sign-in.', '');
  const { status, headers } = failureForm(error.code);
  const refused = refusedBy(error);
  return {
    ...page('Not signed in', error.message, consoleAt && `${consoleAt}#single-sign-on=${word}`),
    status,
    ...(headers !== undefined && { headers }),
    ...(refused !== undefined && { refused }),
  };
}

/**
 * A page, not a redirect: browsers send no `Strict` cookie with a redirect that another site began. They do with the
 * step that this page makes by itself, which begins at this server.
 * @param next a fixed path of this server
 */
function page(title: string, text: string, next: string | undefined): Reply {
  const refresh = next === undefined ? '' : `<meta http-equiv="refresh" content="0; url=${next}">`;
  const link = next === undefined ? '' : ` <a href="${next}">Continue</a>`;
  return htmlReply(
    [
      '<!doctype html>',
      `<html lang="en"><head><meta charset="utf-8">${refresh}<title>${title}</title></head>`,
      `<body><p>${escapeHtml(text)}${link}</p></body></html>`,
    ].join('\n'),
  );
}
