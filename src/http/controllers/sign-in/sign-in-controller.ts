import { z } from 'zod';
import type {
  BegunConfirmation,
  Confirmed,
  ConfirmationService,
} from '../../../administrators/confirmation-service.ts';
import type { BegunSignIn, SignInService } from '../../../administrators/sign-in-service.ts';
import { readInstallation } from '../../../configuration/settings.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import {
  CONFIRMATION,
  dropSignIn,
  keepSignIn,
  loginCookies,
  readSignIn,
  SECOND_STEP,
} from '../../authentication/cookies.ts';
import {
  actOfCall,
  administratorEndpoint,
  answerWithCookie,
  type Call,
  type Endpoint,
  openEndpoint,
} from '../../endpoint-spec.ts';
import type { Guards } from '../../limits/guards.ts';
import type { Reply } from '../../reply.ts';
import { optional, required, secret } from '../../request/parameters.ts';
import type { Services } from '../../../services.ts';

const COOKIES = 'the cookies `access_token_cookie` and `csrf_access_token`';

const signedIn = z.strictObject({ is_signed_in: z.literal(true) });
const expires_at = z.iso.datetime();

/** The second factor that is asked for after a password. */
const TOKEN_STEP = { second_factor: z.literal('token'), expires_at };
const CODE_STEP = {
  second_factor: z.literal('code').describe('a response of HOTP or TOTP, without a challenge and a PIN'),
  expires_at,
};
const PASSKEY_STEP = {
  second_factor: z.literal('passkey'),
  expires_at,
  options: z.looseObject({ challenge: z.string() }),
};
const CHALLENGE_DETAIL = z.strictObject({ transactionid: z.string(), data: z.string() }).optional();

/** The parameters of the second step. */
const PROOF = z.object({
  response: secret(optional('the response of the token')),
  credential: secret(optional('the assertion of the passkey, as JSON')),
});

/** @returns the value and the detail that ask for the second factor */
function asked(begun: Exclude<BegunSignIn | BegunConfirmation, { kind: 'signed-in' | 'confirmed' }>) {
  const until = begun.expiresAt.toISOString();
  switch (begun.kind) {
    case 'token':
      return {
        value: { expires_at: until, second_factor: 'token' },
        beside: { detail: { transactionid: begun.transactionId, data: begun.url } },
      } as const;
    case 'code':
      return { value: { expires_at: until, second_factor: 'code' }, beside: {} } as const;
    case 'passkey':
      return {
        value: { expires_at: until, second_factor: 'passkey', options: begun.options },
        beside: {},
      } as const;
  }
}

const BEGUN = answerWithCookie(
  z.union([
    signedIn,
    z.strictObject({ is_signed_in: z.literal(false), ...TOKEN_STEP }),
    z.strictObject({ is_signed_in: z.literal(false), ...CODE_STEP }),
    z.strictObject({ is_signed_in: z.literal(false), ...PASSKEY_STEP }),
  ]),
  {
    detail: CHALLENGE_DETAIL,
    example: {
      value: { is_signed_in: false, second_factor: 'token', expires_at: '2026-11-20T12:05:00.000Z' },
      detail: {
        transactionid: '5f1c0e9a7b3d42860c1e',
        data: 'lseqr://req?me=Sign+in+as+anna+at+tan.example.com&u=&ch=A1B2C3D4&tr=5f1c0e9a7b3d42860c1e&si=ff',
      },
    },
  },
);

const FINISHED = answerWithCookie(z.union([signedIn, z.strictObject({ is_signed_in: z.literal(false) })]), {
  example: { value: { is_signed_in: true } },
});

const METHODS = answerWithCookie(
  z.strictObject({
    has_passkeys: z.boolean(),
    no_passkeys_reason: z
      .enum(['unset', 'address'])
      .optional()
      .describe('why there are none: `PUBLIC_URL` is not set, or has an IP address in place of a name'),
    has_single_sign_on: z.boolean(),
    provider: z.string().nullable(),
    installation: z
      .strictObject({ name: z.string().nullable(), colour: z.string().nullable() })
      .describe('the settings `InstallationName` and `InstallationColour`'),
  }),
  {
    example: {
      value: {
        has_passkeys: true,
        has_single_sign_on: true,
        provider: 'Example Inc.',
        installation: { name: 'Test', colour: '#c92a2a' },
      },
    },
  },
);

/**
 * @returns the endpoints by which people sign in with browsers, and by which the owner of a login proves to be the one
 *   who signed in: by password and, where one is set, second factor
 */
export function signInEndpoints(
  services: Pick<Services, 'signIn' | 'signInMethods' | 'confirmation' | 'settings'>,
  guard: Guards['logins'],
): Endpoint[] {
  const { signIn, confirmation } = services;
  return [
    methodsEndpoint(services),
    beginEndpoint(signIn, guard),
    finishEndpoint(signIn, guard),
    confirmationEndpoint(confirmation, guard),
    confirmationEndEndpoint(confirmation, guard),
  ];
}

function methodsEndpoint({
  signInMethods,
  settings,
}: Pick<Services, 'signInMethods' | 'settings'>): Endpoint {
  return openEndpoint(
    {
      path: '/admin/sign-in/methods',
      methods: ['GET', 'POST'],
      summary:
        'the ways to sign in besides the password, name and colour of the installation; nothing about accounts',
      requires: 'nothing',
      answers: METHODS.answers,
      changesState: false,
      parameters: z.object({}),
    },
    async (call) => {
      const { passkeysOff, singleSignOn } = signInMethods;
      const methods = {
        has_passkeys: passkeysOff === undefined,
        ...(passkeysOff !== undefined && { no_passkeys_reason: passkeysOff }),
        has_single_sign_on: singleSignOn !== undefined,
        provider: singleSignOn?.provider ?? null,
        installation: readInstallation(await settings.list()),
      };
      return METHODS.reply(methods, call);
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
      changesState: true,
      parameters: z.object({
        username: z.string().default('').describe('the name of the administrator'),
        password: secret(z.string().default('').describe('the password')),
      }),
    },
    async ({ parameters: { username, password }, servedAt, ...call }) => {
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
      if (begun.kind === 'signed-in') {
        return BEGUN.reply({ is_signed_in: true }, call, { cookie: loginCookies(begun.login, servedAt) });
      }
      const { value, beside } = asked(begun);
      const cookie = keepSignIn(SECOND_STEP, begun.attempt, begun.expiresAt, servedAt);
      return BEGUN.reply({ is_signed_in: false, ...value }, call, { ...beside, cookie });
    },
  );
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
      answerHeaders: { 'Set-Cookie': `with \`is_signed_in\`: ${COOKIES}` },
      changesState: true,
      parameters: PROOF,
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
      if (login === 'waiting') {
        return FINISHED.reply({ is_signed_in: false }, call);
      }
      const cookie = [...loginCookies(login, call.servedAt), dropSignIn(SECOND_STEP, call.servedAt)];
      return FINISHED.reply({ is_signed_in: true }, call, { cookie });
    },
  );
}

const confirmed = z.strictObject({ is_confirmed: z.literal(true), expires_at: z.iso.datetime() });

const CONFIRMATION_BEGUN = answerWithCookie(
  z.union([
    confirmed,
    z.strictObject({ is_confirmed: z.literal(false), ...TOKEN_STEP }),
    z.strictObject({ is_confirmed: z.literal(false), ...CODE_STEP }),
    z.strictObject({ is_confirmed: z.literal(false), ...PASSKEY_STEP }),
  ]),
  {
    detail: CHALLENGE_DETAIL,
    example: { value: { is_confirmed: true, expires_at: '2026-11-20T12:05:00.000Z' } },
  },
);

const CONFIRMED = answerWithCookie(z.union([confirmed, z.strictObject({ is_confirmed: z.literal(false) })]), {
  example: { value: { is_confirmed: true, expires_at: '2026-11-20T12:05:00.000Z' } },
});

function confirmationEndpoint(confirmation: ConfirmationService, guard: Guards['logins']): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/confirmation',
      methods: ['POST'],
      summary: 'confirms the login for five minutes by the password, or requests the second factor',
      requires: 'credential',
      answers: CONFIRMATION_BEGUN.answers,
      answerHeaders: { 'Set-Cookie': 'a cookie that names the confirmation for five minutes' },
      changesState: true,
      parameters: z.object({ password: secret(required('the password of the caller, again')) }),
    },
    async ({ parameters: { password }, caller, ...call }) => {
      const account = caller.principal.administrator;
      const begun = await guard.attempt({ client: call.limitedAs, account, password }, () =>
        confirmation.begin(caller, password),
      );
      if (begun === undefined) {
        throw new ServiceError('confirmation.refused', 'Wrong password', {
          credentials: 'password',
          account,
        });
      }
      if (begun.kind === 'confirmed') {
        return confirmedReply(begun, call);
      }
      const { value, beside } = asked(begun);
      const cookie = keepSignIn(CONFIRMATION, begun.attempt, begun.expiresAt, call.servedAt);
      return CONFIRMATION_BEGUN.reply({ is_confirmed: false, ...value }, call, { ...beside, cookie });
    },
  );
}

function confirmationEndEndpoint(confirmation: ConfirmationService, guard: Guards['logins']): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/confirmation/finish',
      methods: ['POST'],
      summary:
        'confirms the login by the second factor; without a parameter, asks whether the app has answered by itself',
      requires: 'credential',
      answers: CONFIRMED.answers,
      answerHeaders: { 'Set-Cookie': 'with `is_confirmed`: removes the cookie of the confirmation' },
      changesState: true,
      parameters: PROOF,
    },
    async ({ parameters: proof, caller, ...call }) => {
      const pending = await confirmation.pending(
        caller,
        readSignIn(call.cookies, CONFIRMATION, call.servedAt),
      );
      const account = caller.principal.administrator;
      const answered = proof.response ?? proof.credential ?? '';
      const confirmed = await guard.attempt({ client: call.limitedAs, account, password: answered }, () =>
        confirmation.finish(caller, pending, proof),
      );
      if (confirmed === undefined) {
        throw new ServiceError('confirmation.refused', 'The second factor is wrong', {
          credentials: 'second factor',
          account,
        });
      }
      return confirmed === 'waiting'
        ? CONFIRMED.reply({ is_confirmed: false }, call)
        : confirmedReply(confirmed, call);
    },
  );
}

function confirmedReply(
  { until }: Confirmed,
  { servedAt, ...call }: Pick<Call<unknown>, 'context' | 'dialect' | 'servedAt'>,
): Reply {
  return CONFIRMED.reply({ is_confirmed: true, expires_at: until.toISOString() }, call, {
    cookie: dropSignIn(CONFIRMATION, servedAt),
  });
}
