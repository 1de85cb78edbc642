import { z } from 'zod';
import type { BegunRegistration, PasskeyService } from '../../../administrators/passkey-service.ts';
import { done, inEveryDialect, valueOf } from '../../answers.ts';
import { dropSignIn, keepSignIn, readSignIn, SECOND_STEP } from '../../authentication/sign-in-cookie.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import {
  actOfCall,
  administratorEndpoint,
  type Call,
  type Endpoint,
  openEndpoint,
} from '../../endpoint-spec.ts';
import type { Reply } from '../../reply.ts';
import { required, secret } from '../../request/parameter-schemas.ts';

const OPTIONS = inEveryDialect(
  valueOf(z.strictObject({ expires: z.iso.datetime(), options: z.looseObject({ challenge: z.string() }) })),
);
const LISTED = inEveryDialect(
  valueOf(
    z.array(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        created: z.iso.datetime(),
        lastused: z.iso.datetime().nullable(),
      }),
    ),
    {
      example: { value: [{ id: '3', name: 'laptop', created: '2026-11-20T12:00:00.000Z', lastused: null }] },
    },
  ),
);
const COOKIE = { 'Set-Cookie': 'a cookie that names the registration for five minutes' };

/** @returns the endpoints by which administrators keep their passkeys */
export function passkeyEndpoints(passkeys: PasskeyService, dialect: AdministrationDialect): Endpoint[] {
  return [
    listEndpoint(passkeys, dialect),
    optionsEndpoint(passkeys, dialect),
    removeEndpoint(passkeys, dialect),
    linkEndpoint(passkeys, dialect),
    registerEndpoint(passkeys, dialect),
  ];
}

function listEndpoint(passkeys: PasskeyService, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/passkeys',
      methods: ['GET', 'POST'],
      summary: 'the passkeys of the caller',
      requires: 'credential',
      answers: LISTED,
      family: 'linotp2',
      usage: 'admin/passkeys: list passkeys.',
      changesState: false,
      parameters: z.object({}),
    },
    async ({ caller, context }) => {
      const listed = await passkeys.list(caller);
      return dialect.value(
        listed.map(({ id, name, createdAt, lastUsedAt }) => ({
          id,
          name,
          created: createdAt.toISOString(),
          lastused: lastUsedAt?.toISOString() ?? null,
        })),
        context,
      );
    },
  );
}

function optionsEndpoint(passkeys: PasskeyService, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/passkeys/options',
      methods: ['POST'],
      summary: 'begins the registration of a passkey of the caller, with a confirmed login',
      requires: 'credential',
      answers: OPTIONS,
      answerHeaders: COOKIE,
      family: 'linotp2',
      usage: 'admin/passkeys/options: begin the registration of a passkey.',
      changesState: true,
      parameters: z.object({}),
    },
    async ({ caller, ...call }) => optionsReply(await passkeys.beginOwn(caller), call, dialect),
  );
}

function removeEndpoint(passkeys: PasskeyService, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/passkeys/remove',
      methods: ['POST'],
      summary: 'removes a passkey of the caller, unless it is the last one, with a confirmed login',
      requires: 'credential',
      answers: done(),
      family: 'linotp2',
      usage: 'admin/passkeys/remove: remove a passkey.',
      changesState: true,
      parameters: z.object({ id: required('the passkey, as in /admin/passkeys', '3') }),
    },
    async ({ parameters: { id }, caller, login, context }) => {
      await passkeys.remove(caller, id, login);
      return dialect.done(context);
    },
  );
}

function linkEndpoint(passkeys: PasskeyService, dialect: AdministrationDialect): Endpoint {
  return openEndpoint(
    {
      path: '/admin/sign-in/passkey-link',
      methods: ['POST'],
      summary: 'begins the registration of a passkey, by the link of an operator',
      requires: 'link',
      answers: OPTIONS,
      answerHeaders: COOKIE,
      family: 'linotp2',
      usage: 'admin/sign-in/passkey-link: begin the registration of a passkey.',
      changesState: true,
      parameters: z.object({ link: secret(required('what follows `#link=` in the link')) }),
    },
    async ({ parameters: { link }, ...call }) =>
      optionsReply(
        await passkeys.beginByLink(link, actOfCall(call, 'admin/sign-in/passkey-link')),
        call,
        dialect,
      ),
  );
}

function registerEndpoint(passkeys: PasskeyService, dialect: AdministrationDialect): Endpoint {
  return openEndpoint(
    {
      path: '/admin/sign-in/passkey',
      methods: ['POST'],
      summary: 'registers the passkey of a registration; the first one becomes the second factor',
      requires: 'sign-in',
      answers: done(),
      answerHeaders: { 'Set-Cookie': 'removes the cookie of the registration' },
      family: 'linotp2',
      usage: 'admin/sign-in/passkey: register a passkey.',
      changesState: true,
      parameters: z.object({
        credential: secret(required('what `navigator.credentials.create` has made, as JSON')),
        name: required('what its owner calls it', 'laptop'),
      }),
    },
    async ({ parameters, ...call }) => {
      const attempt = readSignIn(call.cookies, SECOND_STEP, call.secure);
      await passkeys.register(attempt, parameters, actOfCall(call, 'admin/sign-in/passkey'));
      const reply = dialect.done(call.context);
      return { ...reply, headers: { ...reply.headers, 'Set-Cookie': dropSignIn(SECOND_STEP, call.secure) } };
    },
  );
}

function optionsReply(
  { attempt, expiresAt, options }: BegunRegistration,
  { context, secure }: Pick<Call<unknown>, 'context' | 'secure'>,
  dialect: AdministrationDialect,
): Reply {
  const reply = dialect.value({ expires: expiresAt.toISOString(), options }, context);
  const cookie = keepSignIn(SECOND_STEP, attempt, expiresAt, secure);
  return { ...reply, headers: { ...reply.headers, 'Set-Cookie': cookie } };
}
