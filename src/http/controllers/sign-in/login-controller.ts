import { z } from 'zod';
import { actOf } from '../../../policy/caller.ts';
import type { LoginService } from '../../../administrators/login-service.ts';
import { administratorEndpoint, type Endpoint, openEndpoint } from '../../endpoint-spec.ts';
import { withCookies } from '../../reply.ts';
import { secret } from '../../request/parameters.ts';
import { failureForm } from '../../failures.ts';
import type { Guards } from '../../limits/guards.ts';
import { loginCookies, logoutCookies } from '../../authentication/cookies.ts';
import { type Answers, type DialectAnswers, type EnvelopeAnswer, valueOf } from '../../answers.ts';

const message = z.strictObject({ message: z.string() });
const DONE: DialectAnswers = valueOf(z.literal(true));
const DONE_WITH_MESSAGE: DialectAnswers = valueOf(z.literal(true), { detail: message });
const REFUSED: EnvelopeAnswer = { result: { value: z.literal(false) }, detail: message };

const LOGGED_IN: Answers = {
  documented: { ...DONE, refusal: 'failure' },
  linotp: { ...DONE_WITH_MESSAGE, refusal: REFUSED },
};

const LOGGED_OUT: Answers = { documented: DONE, linotp: DONE_WITH_MESSAGE };

export function loginEndpoints(logins: LoginService, guard: Guards['logins']): Endpoint[] {
  return [loginEndpoint(logins, guard), logoutEndpoint(logins)];
}

/** @returns /admin/login. It takes POST alone, as a password in a URL would be logged by every proxy. */
function loginEndpoint(logins: LoginService, guard: Guards['logins']): Endpoint {
  return openEndpoint(
    {
      path: '/admin/login',
      methods: ['POST'],
      summary: 'opens a login: a signed token in a cookie',
      requires: 'password',
      answers: LOGGED_IN,
      answerHeaders: { 'Set-Cookie': 'the cookies `access_token_cookie` and `csrf_access_token`' },
      family: 'linotp3',
      usage: 'admin/login: log in.',
      changesState: true,
      parameters: z.object({
        username: z.string().default('').describe('the name of the administrator'),
        password: secret(z.string().default('').describe('the password')),
      }),
    },
    async ({
      parameters: { username, password },
      context,
      dialect,
      client,
      requestId,
      limitedAs,
      servedAt,
    }) => {
      const act = { action: 'admin/login', client, requestId };
      const attempt = { client: limitedAs, account: username, password };
      const login = await guard.attempt(attempt, () => logins.login(username, password, act));
      if (login === undefined) {
        return {
          ...dialect.login.loginRefused(context),
          headers: failureForm('authentication.required').headers ?? {},
          refused: { outcome: 'password', account: username },
        };
      }
      return withCookies(dialect.login.loggedIn(username, context), loginCookies(login, servedAt));
    },
  );
}

function logoutEndpoint(logins: LoginService): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/logout',
      methods: ['GET', 'POST'],
      summary: 'closes the login',
      requires: 'credential',
      answers: LOGGED_OUT,
      answerHeaders: { 'Set-Cookie': 'removes the cookies of the login' },
      family: 'linotp3',
      changesState: true,
      endsLogin: true,
      parameters: z.object({}),
    },
    async ({ session, login, caller, context, dialect, servedAt }) => {
      const act = actOf(caller, 'admin/logout');
      if (login !== undefined) {
        await logins.logout(login, act);
      } else if (session !== undefined) {
        await logins.logout(session, act, 'session');
      }
      const reply = dialect.login.loggedOut(caller.principal.administrator, context);
      return withCookies(reply, logoutCookies(servedAt));
    },
  );
}
