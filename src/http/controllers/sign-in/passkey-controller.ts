import { z } from 'zod';
import type { BegunRegistration, PasskeyService } from '../../../administrators/passkey-service.ts';
import { dropSignIn, keepSignIn, readSignIn, SECOND_STEP } from '../../authentication/cookies.ts';
import {
  actOfCall,
  administratorEndpoint,
  answerWithCookie,
  type Call,
  type Endpoint,
  openEndpoint,
  plainChange,
  valueReading,
} from '../../endpoint-spec.ts';
import type { Reply } from '../../reply.ts';
import { required, secret } from '../../request/parameters.ts';

const OPTIONS = answerWithCookie(
  z.strictObject({ expires_at: z.iso.datetime(), options: z.looseObject({ challenge: z.string() }) }),
);
const REGISTERED = answerWithCookie(z.literal(true));
const COOKIE = { 'Set-Cookie': 'a cookie that names the registration for five minutes' };

export function passkeyEndpoints(passkeys: PasskeyService): Endpoint[] {
  return [
    listEndpoint(passkeys),
    optionsEndpoint(passkeys),
    removeEndpoint(passkeys),
    linkEndpoint(passkeys),
    registerEndpoint(passkeys),
  ];
}

function listEndpoint(passkeys: PasskeyService): Endpoint {
  return valueReading(
    {
      path: '/admin/passkey/list',
      summary: 'the passkeys of the caller',
      requires: 'credential',
      value: z.array(
        z.strictObject({
          id: z.string(),
          name: z.string(),
          created_at: z.iso.datetime(),
          last_used_at: z.iso.datetime().nullable(),
        }),
      ),
      example: [{ id: '3', name: 'laptop', created_at: '2026-11-20T12:00:00.000Z', last_used_at: null }],
      parameters: {},
    },
    async ({ caller }) =>
      (await passkeys.list(caller)).map(({ id, name, createdAt, lastUsedAt }) => ({
        id,
        name,
        created_at: createdAt.toISOString(),
        last_used_at: lastUsedAt?.toISOString() ?? null,
      })),
  );
}

function optionsEndpoint(passkeys: PasskeyService): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/passkey/options',
      methods: ['POST'],
      summary: 'begins the registration of a passkey of the caller, with a confirmed login',
      requires: 'credential',
      answers: OPTIONS.answers,
      answerHeaders: COOKIE,
      changesState: true,
      parameters: z.object({}),
    },
    async ({ caller, ...call }) => optionsReply(await passkeys.beginOwn(caller), call),
  );
}

function removeEndpoint(passkeys: PasskeyService): Endpoint {
  return plainChange(
    {
      path: '/admin/passkey/remove',
      summary: 'removes a passkey of the caller, unless it is the last one, with a confirmed login',
      requires: 'credential',
      parameters: { id: required('the passkey, as in /admin/passkey/list', '3') },
    },
    ({ parameters: { id }, caller, login }) => passkeys.remove(caller, id, login),
  );
}

function linkEndpoint(passkeys: PasskeyService): Endpoint {
  return openEndpoint(
    {
      path: '/admin/sign-in/passkey-link',
      methods: ['POST'],
      summary: 'begins the registration of a passkey, by the link of an operator',
      requires: 'link',
      answers: OPTIONS.answers,
      answerHeaders: COOKIE,
      changesState: true,
      parameters: z.object({ link: secret(required('what follows `#link=` in the link')) }),
    },
    async ({ parameters: { link }, ...call }) =>
      optionsReply(await passkeys.beginByLink(link, actOfCall(call, 'admin/sign-in/passkey-link')), call),
  );
}

function registerEndpoint(passkeys: PasskeyService): Endpoint {
  return openEndpoint(
    {
      path: '/admin/sign-in/passkey',
      methods: ['POST'],
      summary: 'registers the passkey of a registration; the first one becomes the second factor',
      requires: 'sign-in',
      answers: REGISTERED.answers,
      answerHeaders: { 'Set-Cookie': 'removes the cookie of the registration' },
      changesState: true,
      parameters: z.object({
        credential: secret(required('what `navigator.credentials.create` has made, as JSON')),
        name: required('what its owner calls it', 'laptop'),
      }),
    },
    async ({ parameters, ...call }) => {
      const attempt = readSignIn(call.cookies, SECOND_STEP, call.servedAt);
      await passkeys.register(attempt, parameters, actOfCall(call, 'admin/sign-in/passkey'));
      return REGISTERED.reply(true, call, { cookie: dropSignIn(SECOND_STEP, call.servedAt) });
    },
  );
}

function optionsReply(
  { attempt, expiresAt, options }: BegunRegistration,
  { servedAt, ...call }: Pick<Call<unknown>, 'context' | 'dialect' | 'servedAt'>,
): Reply {
  return OPTIONS.reply({ expires_at: expiresAt.toISOString(), options }, call, {
    cookie: keepSignIn(SECOND_STEP, attempt, expiresAt, servedAt),
  });
}
