import { z } from 'zod';
import type { Login } from '../../../administrators/login-service.ts';
import type { BegunSignIn, SignInService } from '../../../administrators/sign-in-service.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import {
  dropSignIn,
  keepSignIn,
  loginCookies,
  readSignIn,
  SECOND_STEP,
} from '../../authentication/cookies.ts';
import { actOfCall, answerWithCookie, type Call, type Endpoint, openEndpoint } from '../../endpoint-spec.ts';
import type { Guards } from '../../limits/guards.ts';
import type { Reply } from '../../reply.ts';
import { optional, secret } from '../../request/parameters.ts';
import type { Services } from '../../../services.ts';

const COOKIES = 'the cookies `access_token_cookie` and `csrf_access_token`';

const signedIn = z.strictObject({ signed_in: z.literal(true) });
const expires = z.iso.datetime();

/** The answers of /admin/sign-in. */
const BEGUN = answerWithCookie(
  z.union([
    signedIn,
    z.strictObject({ signed_in: z.literal(false), second_factor: z.literal('token'), expires }),
    z.strictObject({
      signed_in: z.literal(false),
      second_factor: z.literal('passkey'),
      expires,
      options: z.looseObject({ challenge: z.string() }),
    }),
  ]),
  {
    detail: z.strictObject({ transactionid: z.string(), data: z.string() }).optional(),
    example: {
      value: { signed_in: false, second_factor: 'token', expires: '2026-11-20T12:05:00.000Z' },
      detail: {
        transactionid: '5f1c0e9a7b3d42860c1e',
        data: 'lseqr://req?me=Sign+in+as+anna+at+tan.example.com&u=&ch=A1B2C3D4&tr=5f1c0e9a7b3d42860c1e&si=ff',
      },
    },
  },
);

/** The answers of /admin/sign-in/finish. */
const FINISHED = answerWithCookie(z.union([signedIn, z.strictObject({ signed_in: z.literal(false) })]), {
  example: { value: { signed_in: true } },
});

const METHODS = answerWithCookie(
  z.strictObject({ passkeys: z.boolean(), single_sign_on: z.boolean(), provider: z.string().nullable() }),
  { example: { value: { passkeys: true, single_sign_on: true, provider: 'Example Inc.' } } },
);

/** @returns the endpoints by which people sign in with browsers: by password and, where one is set, second factor */
export function signInEndpoints(
  signIn: SignInService,
  methods: Services['signInMethods'],
  guard: Guards['logins'],
): Endpoint[] {
  return [methodsEndpoint(methods), beginEndpoint(signIn, guard), finishEndpoint(signIn, guard)];
}

function methodsEndpoint(ways: Services['signInMethods']): Endpoint {
  return openEndpoint(
    {
      path: '/admin/sign-in/methods',
      methods: ['GET', 'POST'],
      summary: 'the ways to sign in besides the password; nothing about accounts',
      requires: 'nothing',
      answers: METHODS.answers,
      changesState: false,
      parameters: z.object({}),
    },
    (call) => {
      const { passkeys, singleSignOn } = ways;
      const methods = { passkeys, single_sign_on: singleSignOn !== undefined };
      return METHODS.reply({ ...methods, provider: singleSignOn?.provider ?? null }, call);
    },
  );
}

function beginEndpoint(signIn: SignInService, guard: Guards['logins']): Endpoint {
  return openEndpoint(
    {
      path: '/admin/sign-in',
      methods: ['POST'],
      summary: 'signs in by password, or requests the second factor',
      requires: 'password',
      answers: BEGUN.answers,
      answerHeaders: { 'Set-Cookie': `${COOKIES}; or a cookie that names the sign-in for five minutes` },
      usage: 'admin/sign-in: sign in.',
      changesState: true,
      parameters: z.object({
        username: z.string().default('').describe('the name of the administrator'),
        password: secret(z.string().default('').describe('the password')),
      }),
    },
    async ({ parameters: { username, password }, ...call }) => {
      const attempt = { client: call.limitedAs, account: username, password };
      const begun = await guard.attempt(attempt, () =>
        signIn.begin(username, password, actOfCall(call, 'admin/sign-in')),
      );
      if (begun === undefined) {
        throw new ServiceError('sign-in.refused', 'Wrong user name or password', {
          credentials: 'password',
          account: username,
        });
      }
      return begunReply(begun, call);
    },
  );
}

function begunReply(
  begun: BegunSignIn,
  { servedAt, ...call }: Pick<Call<unknown>, 'context' | 'dialect' | 'servedAt'>,
): Reply {
  if (begun.kind === 'signed-in') {
    return BEGUN.reply({ signed_in: true }, call, { cookie: loginCookies(begun.login, servedAt) });
  }
  const waiting = { signed_in: false, expires: begun.expiresAt.toISOString() } as const;
  const cookie = keepSignIn(SECOND_STEP, begun.attempt, begun.expiresAt, servedAt);
  return begun.kind === 'token'
    ? BEGUN.reply({ ...waiting, second_factor: 'token' }, call, {
        detail: { transactionid: begun.transactionId, data: begun.url },
        cookie,
      })
    : BEGUN.reply({ ...waiting, second_factor: 'passkey', options: begun.options }, call, {
        cookie,
      });
}

function finishEndpoint(signIn: SignInService, guard: Guards['logins']): Endpoint {
  return openEndpoint(
    {
      path: '/admin/sign-in/finish',
      methods: ['POST'],
      summary:
        'signs in by the second factor; without a parameter, asks whether the app has answered by itself',
      requires: 'sign-in',
      answers: FINISHED.answers,
      answerHeaders: { 'Set-Cookie': `with \`signed_in\`: ${COOKIES}` },
      usage: 'admin/sign-in/finish: sign in by the second factor.',
      changesState: true,
      parameters: z.object({
        response: secret(optional('the response of the token')),
        credential: secret(optional('the assertion of the passkey, as JSON')),
      }),
    },
    async ({ parameters: proof, ...call }) => {
      const pending = await signIn.pending(readSignIn(call.cookies, SECOND_STEP, call.servedAt));
      const account = pending.proven.administrator;
      const act = actOfCall(call, 'admin/sign-in/finish');
      const answered = proof.response ?? proof.credential ?? '';
      const login = await guard.attempt({ client: call.limitedAs, account, password: answered }, () =>
        signIn.finish(pending, proof, act),
      );
      if (login === undefined) {
        throw new ServiceError('sign-in.refused', 'The second factor is wrong', {
          credentials: 'second factor',
          account,
        });
      }
      return login === 'waiting' ? FINISHED.reply({ signed_in: false }, call) : signedInReply(login, call);
    },
  );
}

function signedInReply(
  login: Login,
  { servedAt, ...call }: Pick<Call<unknown>, 'context' | 'dialect' | 'servedAt'>,
): Reply {
  const cookie = [...loginCookies(login, servedAt), dropSignIn(SECOND_STEP, servedAt)];
  return FINISHED.reply({ signed_in: true }, call, { cookie });
}
