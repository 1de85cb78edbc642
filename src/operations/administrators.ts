import { z } from 'zod';
import { API_TOKEN } from '../administrators/administrator.ts';
import { SESSION } from '../administrators/session.ts';
import { filter, flag, list, password, text } from './input.ts';
import { type OperationGroup, operation } from './operation.ts';

const administrator = text('the name of the administrator', 'anna');
const name = text('what it is called', 'nagios');

const listAdministrators = operation({
  name: 'admin list',
  does: 'the administrators with their second factors',
  right: 'system:read',
  changes: false,
  input: {},
  output: z.array(
    z.object({
      name: z.string().meta({ column: 'NAME' }),
      createdAt: z.date().meta({ column: 'CREATED' }),
      secondFactor: z.enum(['token', 'passkey']).nullable().meta({ column: 'SECOND FACTOR' }),
      serial: z.string().nullable().meta({ column: 'TOKEN' }),
      isSecondFactorLost: z.boolean().meta({
        column: 'LOST',
        description: 'the token was removed or has another key: nobody can sign in',
      }),
      isOwn: z.boolean().describe('the caller'),
    }),
  ),
  run: async ({ administrators }, caller) =>
    (await administrators.list()).map(({ secondFactor: factor, ...one }) => ({
      ...one,
      secondFactor: factor?.kind ?? null,
      serial: factor?.kind === 'token' ? factor.serial : null,
      isSecondFactorLost: factor?.kind === 'token' && factor.tokenId === undefined,
      isOwn: one.name === caller.principal.administrator,
    })),
});

const addAdministrator = operation({
  name: 'admin add',
  does: 'adds an administrator, with a confirmed login',
  right: 'system:write',
  changes: true,
  input: { administrator, password: password('the password') },
  run: ({ administrators }, caller, input) => administrators.add(caller, input.administrator, input.password),
  says: (_none, input) => `the administrator ${input.administrator} is added`,
});

const removeAdministrator = operation({
  name: 'admin remove',
  does: 'removes another administrator, with sessions and API tokens, with a confirmed login; the last one stays',
  right: 'system:write',
  changes: true,
  input: { administrator },
  run: ({ administrators }, caller, input) => administrators.remove(caller, input.administrator),
  asks: ({ consequences }, _caller, input) => consequences.ofAdministratorRemoval(input.administrator),
  says: (_none, input) => `the administrator ${input.administrator} is removed`,
});

const setPassword = operation({
  name: 'admin password',
  does: 'sets the password of another administrator, with a confirmed login; ends all sessions',
  right: 'system:write',
  changes: true,
  input: {
    administrator,
    password: password('the new password'),
    revoke_tokens: flag('also revokes all API tokens of the administrator; else they stay'),
  },
  output: z.object({ apiTokensLeft: z.int() }),
  run: async ({ administrators }, caller, input) => {
    const { apiTokens } = await administrators.setPassword(caller, input.administrator, input.password, {
      revokesApiTokens: input.revoke_tokens,
    });
    return { apiTokensLeft: input.revoke_tokens ? 0 : apiTokens };
  },
  asks: async ({ consequences }, _caller, input) =>
    input.revoke_tokens ? consequences.ofApiTokenRemoval(input.administrator) : [],
  says: ({ apiTokensLeft }, input) =>
    `the administrator ${input.administrator} has a new password; all sessions are ended` +
    (apiTokensLeft > 0
      ? `. API tokens that go on to work: ${apiTokensLeft} (tankeeper api-token list ${input.administrator})`
      : ''),
});

export const ADMINISTRATORS: OperationGroup = {
  name: 'admin',
  about: 'administrators',
  operations: [listAdministrators, addAdministrator, removeAdministrator, setPassword],
};

const bindToken = operation({
  name: 'second-factor set',
  does: 'binds a token to an administrator as second factor, with a confirmed login; ends all sessions',
  right: 'system:write',
  changes: true,
  input: { administrator, serial: text('a token of this server: OCRA, HOTP or TOTP', 'QR17') },
  run: ({ administrators }, caller, input) =>
    administrators.setSecondFactor(caller, input.administrator, input.serial),
  asks: ({ consequences }, _caller, { administrator: account, serial }) =>
    consequences.ofSecondFactor(account, { serial }),
  says: (_none, input) => `the administrator ${input.administrator} signs in with the token ${input.serial}`,
});

const removeFactor = operation({
  name: 'second-factor remove',
  does: 'leaves an administrator the password alone, with a confirmed login; ends all sessions',
  right: 'system:write',
  changes: true,
  input: { administrator },
  run: ({ administrators }, caller, input) =>
    administrators.setSecondFactor(caller, input.administrator, undefined),
  asks: ({ consequences }, _caller, input) => consequences.ofSecondFactor(input.administrator, undefined),
  says: (_none, input) => `the administrator ${input.administrator} signs in with the password alone`,
});

const makePasskeyLink = operation({
  name: 'second-factor passkey-link',
  does: 'makes a link by which an administrator registers a passkey, once and within an hour; it is shown once',
  right: 'system:write',
  changes: true,
  input: { administrator },
  output: z.object({ link: z.url(), expiresAt: z.date() }),
  run: ({ passkeys }, caller, input) => passkeys.makeLink(caller, input.administrator),
});

export const SECOND_FACTORS: OperationGroup = {
  name: 'second-factor',
  about: 'what administrators need besides the password',
  operations: [bindToken, removeFactor, makePasskeyLink],
};

const listApiTokens = operation({
  name: 'api-token list',
  does: 'the API tokens of an administrator; the tokens themselves are not kept',
  right: 'system:read',
  changes: false,
  input: { administrator },
  output: z.array(API_TOKEN),
  run: ({ administrators }, _caller, input) => administrators.listApiTokens(input.administrator),
});

const addApiToken = operation({
  name: 'api-token add',
  does: 'makes an API token, with a confirmed login, and shows it this once',
  right: 'system:write',
  changes: true,
  input: {
    administrator,
    name,
    rights: list('what it may do: `*`, or `scope:action`, each part may be `*`', 'monitoring:*'),
    expires: text('a date, a time, or a duration from now (`90D`); default: never', '90D').optional(),
  },
  output: z.object({ token: z.string() }),
  run: ({ administrators }, caller, { administrator: account, ...draft }) =>
    administrators.addApiToken(caller, account, draft),
  says: ({ token }) => `${token}\nThis is shown once; only its hash is kept.`,
});

const removeApiToken = operation({
  name: 'api-token remove',
  does: 'removes an API token, which is refused within a second',
  right: 'system:write',
  changes: true,
  input: { administrator, name },
  run: ({ administrators }, caller, input) =>
    administrators.removeApiToken(caller, input.administrator, input.name),
  asks: ({ consequences }, _caller, input) => consequences.ofApiTokenRemoval(input.administrator, input.name),
  says: (_none, input) => `the API token ${input.name} of ${input.administrator} is removed`,
});

export const API_TOKENS: OperationGroup = {
  name: 'api-token',
  about: 'what programs show instead of a password (Authorization: Bearer)',
  operations: [listApiTokens, addApiToken, removeApiToken],
};

/** Of one's own sessions no right is needed, which the service decides. */
const ANY_CREDENTIAL = [] as const;

const listSessions = operation({
  name: 'session list',
  does: 'open sessions and logins of administrators, newest first; those of others take the right admin:sessions',
  right: ANY_CREDENTIAL,
  changes: false,
  input: {
    administrator: filter("whose, * for all; default: the caller's, of the command all", 'anna'),
  },
  output: z.array(SESSION),
  run: ({ sessions }, caller, { administrator }) => sessions.list(caller, administrator),
});

const endSessions = operation({
  name: 'session end',
  does: 'ends a session, or all of an administrator: refused within a second; the number of those that were open',
  right: ANY_CREDENTIAL,
  changes: true,
  input: {
    administrator: filter("whose; default: the caller's", 'anna'),
    id: filter('the session, as session list names it', '17'),
    all: flag('every session, in place of one'),
  },
  output: z.int().nonnegative(),
  run: ({ sessions }, caller, { administrator: owner, id, all: isAll }) =>
    sessions.end(caller, { owner, id, isAll }),
  says: (count) => `sessions ended: ${count}`,
});

export const SESSIONS: OperationGroup = {
  name: 'session',
  about: 'open sessions and logins of administrators',
  operations: [listSessions, endSessions],
};
