import { z } from 'zod';
import type { RefusedCredentials } from '../../../administrators/administrator.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import type { Act } from '../../../policy/caller.ts';
import type { AskedToken, KnownOwnSession } from '../../../self-service/own-sign-in-service.ts';
import { personName } from '../../../self-service/person.ts';
import type { Services } from '../../../services.ts';
import { done } from '../../answers.ts';
import {
  dropSignIn,
  keepSignIn,
  readSignIn,
  USER_SESSION,
  USER_SIGN_IN,
} from '../../authentication/cookies.ts';
import { actOfCall, answerWithCookie, type Call, type Endpoint, openEndpoint } from '../../endpoint-spec.ts';
import type { Guards } from '../../limits/guards.ts';
import { withCookies } from '../../reply.ts';
import { missingParameter, optional, secret } from '../../request/parameters.ts';

type Own = Pick<Services, 'ownSignIn' | 'ownTokens'>;

const serial = z.string().describe('the serial of the token');
const moment = z.iso.datetime();
const transactionid = z.string().describe('the transaction that the token is asked to confirm');
/** Without a challenge, a token of HOTP or TOTP is asked for its response. */
const CHALLENGE = {
  transactionid: transactionid.optional(),
  data: z.string().optional().describe('the content of the QR code: `lseqr://req?…`; of HOTP and TOTP none'),
};
const response = secret(
  optional('the response of the token, after its PIN, of HOTP and TOTP alone; default: the app has sent it'),
);
/** Never refused as missing: who may not ask learns of no parameter. */
const given = (meaning: string) => z.string().default('').describe(meaning);
const chosen = given('the serial of an own token');

const type = z
  .enum(['ocra2', 'totp'])
  .default('ocra2')
  .describe('a QR-TAN app, or an authenticator app of TOTP; the action `enrol` or `enroltotp` allows it');

const TRANSACTION = '5f1c0e9a7b3d42860c1e';
const QR =
  'lseqr://req?me=Sign+in+to+your+account+as+anna+at+tan.example.com&u=&ch=A1B2C3D4&tr=5f1c0e9a7b3d42860c1e&si=ff';

const BEGUN = answerWithCookie(
  z.strictObject({
    ...CHALLENGE,
    expires_at: moment,
    token: z.int().describe('the place of the token that is asked, from 0'),
    tokens: z
      .array(z.string())
      .describe('the ends of the serials of all tokens that can be asked; the parameter `token` chooses one'),
  }),
  {
    example: {
      value: {
        transactionid: TRANSACTION,
        data: QR,
        expires_at: '2026-11-20T12:05:00.000Z',
        token: 0,
        tokens: ['…4711', '…4712'],
      },
    },
  },
);

const FINISHED = answerWithCookie(
  z.union([
    z.strictObject({ is_signed_in: z.literal(true), csrf_token: z.string() }),
    z.strictObject({ is_signed_in: z.literal(false) }),
  ]),
  { example: { value: { is_signed_in: true, csrf_token: 'cB0…' } } },
);

const OWN = answerWithCookie(
  z.strictObject({
    login: z.string(),
    realm: z.string(),
    acts: z
      .array(z.enum(['show', 'rename', 'lock', 'enrol', 'enroltotp']))
      .describe('what the person may do'),
    csrf_token: z.string().describe('the value of the header `X-CSRF-TOKEN` of changes'),
    tokens: z.array(
      z.strictObject({
        serial,
        description: z.string(),
        state: z.enum(['active', 'locked', 'off', 'rollout', 'unfinished']),
        is_sign_in_token: z.boolean().describe('true for the token that signed in'),
        created_at: moment,
        last_success_at: moment.nullable(),
      }),
    ),
  }),
  {
    example: {
      value: {
        login: 'anna',
        realm: 'customers',
        acts: ['show', 'rename', 'lock'],
        csrf_token: 'cB0…',
        tokens: [
          {
            serial: 'QR1',
            description: 'my phone',
            state: 'active',
            is_sign_in_token: true,
            created_at: '2026-01-20T12:00:00.000Z',
            last_success_at: null,
          },
        ],
      },
    },
  },
);

const ASKED = answerWithCookie(z.strictObject(CHALLENGE), {
  example: { value: { transactionid: TRANSACTION, data: QR } },
});

const ENROLLED = answerWithCookie(
  z.union([
    z.strictObject({
      is_enrolled: z.literal(true),
      serial,
      init: z.string().describe('the first QR code: `lseqr://init?…`'),
      activation_code: z.string().describe('to be typed into the app'),
      nonce: z.string().describe('the second QR code: `lseqr://nonce?…`'),
      transactionid: z.string().describe('the transaction whose response completes the roll-out'),
      expires_at: moment,
    }),
    z.strictObject({
      is_enrolled: z.literal(true),
      serial,
      key_uri: z
        .string()
        .describe(
          'of an authenticator app: the QR code, `otpauth://totp/…`; `/self/enrol/prove` completes it',
        ),
    }),
    z.strictObject({ is_enrolled: z.literal(false) }),
  ]),
  { example: { value: { is_enrolled: false } } },
);

const SESSION = { requires: 'user-session', methods: ['POST'], changesState: true } as const;

export function selfServiceEndpoints(own: Own, guard: Guards['logins']): Endpoint[] {
  const endpoints = [
    beginEndpoint(own, guard),
    finishEndpoint(own, guard),
    signOutEndpoint(own),
    tokensEndpoint(own),
    renameEndpoint(own),
    lockEndpoint(own),
    enrolEndpoint(own),
    finishEnrolmentEndpoint(own, guard),
    proveEndpoint(own, guard),
    cancelEnrolmentEndpoint(own),
  ];
  const isOffered = (client: string) => own.ownSignIn.isOffered(client);
  return endpoints.map((endpoint) => ({ ...endpoint, isOffered }));
}

function beginEndpoint({ ownSignIn }: Own, guard: Guards['logins']): Endpoint {
  return openEndpoint(
    {
      path: '/self/sign-in',
      methods: ['POST'],
      summary: 'asks an own token to confirm the sign-in of a user, by the password of the directory',
      requires: 'user-password',
      answers: BEGUN.answers,
      answerHeaders: { 'Set-Cookie': 'a cookie that names the sign-in for five minutes' },
      changesState: true,
      refusesEvenly: true,
      parameters: z.object({
        user: given('the login of the user'),
        realm: optional('the realm of the user', 'customers'),
        password: secret(given('the password of the user in the directory')),
        token: optional('the place of the own token to be asked, from 0; default: the one used last', '1'),
      }),
    },
    async ({ parameters: { user, realm, password, token: asked }, ...call }) => {
      const meant = await ownSignIn.meant({ user, realm }, call.client);
      const { limitedAs: account, person } = meant;
      const attempt = { client: call.limitedAs, account, person, password };
      const act = actOfCall(call, 'self/sign-in');
      const proof = { password, token: asked };
      let refused: RefusedCredentials = 'password';
      const begun = await guard.begin(attempt, async (count) => {
        const found = await ownSignIn.begin(meant, proof, languageOf(call), count, act);
        // Counted and answered as a wrong password, which nobody can tell it from; the audit says what it was.
        refused = found === 'no token' ? 'token' : 'password';
        return found === 'no token' ? undefined : found;
      });
      if (begun === undefined) {
        const { found } = meant;
        throw new ServiceError(
          'sign-in.refused',
          'Wrong user name or password, or no token that can confirm the sign-in',
          {
            credentials: 'password',
            refused,
            ...(found !== undefined && { user: { subject: found.login, realm: found.realm.name } }),
          },
        );
      }
      const { attempt: name, expiresAt, asked: challenge, token, tokens } = begun;
      const value = { ...challengeOf(challenge), expires_at: expiresAt.toISOString() };
      const cookie = keepSignIn(USER_SIGN_IN, name, expiresAt, call.servedAt);
      return BEGUN.reply({ ...value, token, tokens }, call, { cookie });
    },
  );
}

function challengeOf(asked: AskedToken): { readonly transactionid?: string; readonly data?: string } {
  return asked.kind === 'token' ? { transactionid: asked.transactionId, data: asked.url } : {};
}

function finishEndpoint({ ownSignIn }: Own, guard: Guards['logins']): Endpoint {
  return openEndpoint(
    {
      path: '/self/sign-in/finish',
      methods: ['POST'],
      summary: 'signs a user in by the response of the token; without it, asks whether the app has sent it',
      requires: 'sign-in',
      answers: FINISHED.answers,
      answerHeaders: { 'Set-Cookie': 'with `is_signed_in`: the cookie of the session' },
      changesState: true,
      parameters: z.object({ response }),
    },
    async ({ parameters, ...call }) => {
      const { servedAt, cookies, client } = call;
      const pending = await ownSignIn.pending(readSignIn(cookies, USER_SIGN_IN, servedAt), client);
      const act = actOfCall(call, 'self/sign-in/finish');
      const { response: sent } = parameters;
      const opened = await attemptOf({ asked: pending, sent, act, call }, ownSignIn, guard, () =>
        ownSignIn.finish(pending, sent, act),
      );
      if (opened === 'waiting') {
        return FINISHED.reply({ is_signed_in: false }, call);
      }
      await guard.finish({ client: call.limitedAs, account: personName(pending.person) });
      const cookie = [
        keepSignIn(USER_SESSION, opened.secret, opened.endsAt, servedAt),
        dropSignIn(USER_SIGN_IN, servedAt),
      ];
      return FINISHED.reply({ is_signed_in: true, csrf_token: opened.csrfToken }, call, { cookie });
    },
  );
}

/** A response to what is asked; undefined: the app may have sent it. */
interface SentResponse {
  readonly asked: Parameters<Own['ownSignIn']['confirmed']>[0];
  readonly sent: string | undefined;
  readonly act: Act;
  readonly call: Pick<Call<unknown>, 'limitedAs'>;
}

/**
 * Verifies a response within the limits of wrong passwords.
 * @throws ServiceError 'sign-in.refused' for a wrong one, 'sign-in.ended' where it was the last one that is taken
 */
async function attemptOf<Value>(
  { asked, sent, act, call }: SentResponse,
  signIn: Own['ownSignIn'],
  guard: Guards['logins'],
  verify: () => Promise<Value | undefined>,
): Promise<Value> {
  const { person } = asked;
  const account = personName(person);
  const found = await guard.attempt({ client: call.limitedAs, account, password: sent ?? '' }, verify);
  if (found === undefined) {
    // Throws where it was the last one that is taken.
    await signIn.confirmed(asked, undefined, act);
    throw wrongResponse(person);
  }
  return found;
}

function wrongResponse({ login, realm }: KnownOwnSession['person']): ServiceError {
  return new ServiceError('sign-in.refused', 'The response is wrong', {
    credentials: 'second factor',
    user: { subject: login, realm },
  });
}

function signOutEndpoint({ ownSignIn }: Own): Endpoint {
  return openEndpoint(
    {
      ...SESSION,
      path: '/self/sign-out',
      summary: 'ends the session of a user',
      answers: done(),
      answerHeaders: { 'Set-Cookie': 'removes the cookie of the session' },
      parameters: z.object({}),
    },
    async (call) => {
      const { session, act } = await changing(ownSignIn, call, 'self/sign-out');
      await ownSignIn.signOut(session, act);
      const reply = call.dialect.administration.value(true, call.context);
      return withCookies(reply, dropSignIn(USER_SESSION, call.servedAt));
    },
  );
}

function tokensEndpoint({ ownSignIn, ownTokens }: Own): Endpoint {
  return openEndpoint(
    {
      path: '/self/tokens',
      methods: ['GET'],
      summary: 'the own tokens of a user, and what the user may do with them',
      requires: 'user-session',
      answers: OWN.answers,
      changesState: false,
      parameters: z.object({}),
    },
    async (call) => {
      const { session, act } = await signedIn(ownSignIn, call, 'self/tokens');
      const tokens = await ownTokens.list(session, act);
      const { person, acts, csrfToken } = session;
      return OWN.reply(
        {
          login: person.login,
          realm: person.realm,
          acts: [...acts],
          csrf_token: csrfToken,
          tokens: tokens.map(({ isPresent, createdAt, lastSuccessAt, ...token }) => ({
            ...token,
            is_sign_in_token: isPresent,
            created_at: createdAt.toISOString(),
            last_success_at: lastSuccessAt?.toISOString() ?? null,
          })),
        },
        call,
      );
    },
  );
}

function renameEndpoint({ ownSignIn, ownTokens }: Own): Endpoint {
  return openEndpoint(
    {
      ...SESSION,
      path: '/self/rename',
      summary: 'describes an own token anew',
      answers: done(),
      parameters: z.object({
        serial: chosen,
        description: optional('the description, at most 255 characters', 'my old phone'),
      }),
    },
    async (call) => {
      const { session, act } = await changing(ownSignIn, call, 'self/rename');
      const { serial: renamed, description } = call.parameters;
      if (description === undefined) {
        throw missingParameter('description');
      }
      await ownTokens.rename(session, renamed, description, act);
      return call.dialect.administration.value(true, call.context);
    },
  );
}

function lockEndpoint({ ownSignIn, ownTokens }: Own): Endpoint {
  return openEndpoint(
    {
      ...SESSION,
      path: '/self/lock',
      summary: 'disables an own token whose device is lost, and closes its open challenges',
      answers: done(),
      parameters: z.object({ serial: chosen }),
    },
    async (call) => {
      const { session, act } = await changing(ownSignIn, call, 'self/lock');
      await ownTokens.lock(session, call.parameters.serial, act);
      return call.dialect.administration.value(true, call.context);
    },
  );
}

function enrolEndpoint({ ownSignIn, ownTokens }: Own): Endpoint {
  return openEndpoint(
    {
      ...SESSION,
      path: '/self/enrol',
      summary: 'asks the token that signed in to confirm that another one is enrolled',
      answers: ASKED.answers,
      parameters: z.object({ type }),
    },
    async (call) => {
      const { session, act } = await changing(ownSignIn, call, 'self/enrol');
      const asked = await ownTokens.askToEnrol(session, call.parameters.type, languageOf(call), act);
      return ASKED.reply(challengeOf(asked), call);
    },
  );
}

function finishEnrolmentEndpoint({ ownSignIn, ownTokens }: Own, guard: Guards['logins']): Endpoint {
  return openEndpoint(
    {
      ...SESSION,
      path: '/self/enrol/finish',
      summary:
        'enrols another own token by the response of the first; without it, asks whether the app has sent it',
      answers: ENROLLED.answers,
      parameters: z.object({ response, type, description: optional('the description of the new token') }),
    },
    async ({ parameters: { response: sent, type: chosenType, description = '' }, ...call }) => {
      const { session, act } = await changing(ownSignIn, call, 'self/enrol/finish');
      const enrolled = await attemptOf({ asked: session, sent, act, call }, ownSignIn, guard, () =>
        ownTokens.enrol(session, { response: sent, description, type: chosenType }, languageOf(call), act),
      );
      if (enrolled === 'waiting') {
        return ENROLLED.reply({ is_enrolled: false }, call);
      }
      if ('keyUri' in enrolled) {
        const { serial: added, keyUri } = enrolled;
        return ENROLLED.reply({ is_enrolled: true, serial: added, key_uri: keyUri }, call);
      }
      const { activationCode, transactionId, expiresAt, ...codes } = enrolled;
      const value = { ...codes, activation_code: activationCode, transactionid: transactionId };
      return ENROLLED.reply({ is_enrolled: true, ...value, expires_at: expiresAt.toISOString() }, call);
    },
  );
}

function proveEndpoint({ ownSignIn, ownTokens }: Own, guard: Guards['logins']): Endpoint {
  return openEndpoint(
    {
      ...SESSION,
      path: '/self/enrol/prove',
      summary: 'completes the enrolment of an authenticator app by its first response',
      answers: done(),
      parameters: z.object({ serial: chosen, response: secret(given('the response of the new token')) }),
    },
    async ({ parameters, ...call }) => {
      const { session, act } = await changing(ownSignIn, call, 'self/enrol/prove');
      const { person } = session;
      const attempt = { client: call.limitedAs, account: personName(person), password: parameters.response };
      const proven = await guard.attempt(attempt, () => ownTokens.prove(session, parameters, act));
      if (proven === undefined) {
        throw wrongResponse(person);
      }
      return call.dialect.administration.value(true, call.context);
    },
  );
}

function cancelEnrolmentEndpoint({ ownSignIn, ownTokens }: Own): Endpoint {
  return openEndpoint(
    {
      ...SESSION,
      path: '/self/enrol/cancel',
      summary: 'removes the own tokens whose roll-out was begun here and never completed',
      answers: done(),
      parameters: z.object({}),
    },
    async (call) => {
      const { session, act } = await changing(ownSignIn, call, 'self/enrol/cancel');
      await ownTokens.cancelEnrolment(session, act);
      return call.dialect.administration.value(true, call.context);
    },
  );
}

/** The user of a request, and the act for the audit. */
interface OwnRequest {
  readonly session: KnownOwnSession;
  readonly act: Act;
}

async function signedIn(
  signIn: Own['ownSignIn'],
  call: Omit<Call<unknown>, 'parameters'>,
  action: string,
): Promise<OwnRequest> {
  const act = actOfCall(call, action);
  const session = await signIn.session(readSignIn(call.cookies, USER_SESSION, call.servedAt), act);
  return { session, act };
}

/** As `signedIn`, for a change, which a page of this site must have sent. */
async function changing(
  signIn: Own['ownSignIn'],
  call: Omit<Call<unknown>, 'parameters'>,
  action: string,
): Promise<OwnRequest> {
  const found = await signedIn(signIn, call, action);
  signIn.assertCsrf(found.session, call.csrfToken);
  return found;
}

/** @returns the language of texts in the app; those that are not translated are English */
function languageOf({ context: { language } }: Pick<Call<unknown>, 'context'>): 'en' | 'de' {
  return language === 'de' ? 'de' : 'en';
}
