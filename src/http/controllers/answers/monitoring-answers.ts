import { z } from 'zod';
import { type Answers, count, type DialectAnswers, valueOf } from '../../answers.ts';

const realmName = z.string().describe('the realm, `/:no realm:/` for tokens in none');
const counts = z.record(
  z.string().describe('`total`, `total users`, or a requested status'),
  count.describe('the number of tokens, or of users'),
);
const tokenObjects = z.strictObject({
  Summary: counts.describe('all these realms together; a token in several of them counts once'),
  Realms: z.record(realmName, counts),
});
const usersByRealm = z.record(realmName, z.record(z.string().describe('the resolver'), count));
const userObjects = z.strictObject({
  Realms: usersByRealm,
  stale: z
    .record(
      z.string().describe('the resolver'),
      z.strictObject({
        users: count,
        age: count.describe('the age of the number, in seconds'),
        since: z.iso.datetime(),
        reason: z.string(),
      }),
    )
    .optional()
    .describe('resolvers that are unavailable: their last known numbers'),
});
const activeUserObjects = z.strictObject({
  Realms: usersByRealm,
  total: count.describe('users with an active token, each once'),
});

/** @returns the answers with a table in the documented dialect, which repeats the facts of the objects as rows */
function table(row: z.ZodType, objects: z.ZodType): Answers {
  const result = { head: EMPTY_HEAD, data: z.array(row), value: objects };
  return { documented: { envelope: { result } }, linotp: valueOf(objects) };
}

const EMPTY_HEAD = z.array(z.string()).max(0).describe('names of columns: none');
const userRow = z.tuple([z.string(), z.string(), count]).describe('realm, resolver, number of users');

/** The answers of /monitoring/tokens. */
export const TOKEN_COUNTS: Answers = table(
  z.tuple([z.string(), z.string(), count]).describe('realm or `Summary`, status, number'),
  tokenObjects,
);

/** The answers of /monitoring/userinfo. */
export const USER_COUNTS: Answers = table(userRow, userObjects);

/** The answers of /monitoring/activeUsers. */
export const ACTIVE_USER_COUNTS: Answers = table(userRow, activeUserObjects);

const numbers = {
  total: count.describe('values, resolvers, policies and realms'),
  ldapresolver: count,
  sqlresolver: count,
  passwdresolver: count,
  policies: count,
  realms: count,
};
const documentedConfiguration: DialectAnswers = {
  envelope: {
    result: {
      head: EMPTY_HEAD,
      value: z.strictObject({
        sync: z.enum(['True', 'False']).describe('`True`: this server uses the stored configuration'),
        synctime: z.iso.datetime().describe('the time at which this server read the configuration'),
        changed: z.iso.datetime().describe('the time of the last change'),
        now: z.iso.datetime(),
        ...numbers,
        managedresolver: count,
      }),
    },
  },
};

/** The answers of /monitoring/config. */
export const CONFIGURATION_STATE: Answers = {
  documented: documentedConfiguration,
  linotp: valueOf(
    z.strictObject({
      sync: z.boolean().describe('true: this server uses the stored configuration'),
      synctime: z.string().describe('the time at which this server read the configuration, in UTC'),
      now: z.string().describe('the time, in UTC'),
      ...numbers,
      netto: count.describe('the number of values alone'),
    }),
  ),
};

const userNumbers = { 'user-num': count, 'user-active': count, 'user-left': z.int() };
const tokenNumbers = { 'token-num': count, 'token-active': count, 'token-left': z.int() };
const invalidLicence = z.strictObject({ valid: z.literal(false), message: z.string() });
const field = z.union([z.string(), z.number(), z.boolean()]);

/** The answers of /monitoring/license. */
export const LICENCE_STATE: Answers = {
  documented: valueOf(
    z.union([
      z.strictObject({ support: z.literal('community support') }).describe('no licence'),
      invalidLicence,
      z.object(userNumbers).catchall(field).describe('a licence by users: its fields, and its use'),
      z.object(tokenNumbers).catchall(field).describe('a licence by tokens: its fields, and its use'),
    ]),
  ),
  linotp: valueOf(z.union([invalidLicence, z.strictObject(userNumbers), z.strictObject(tokenNumbers)])),
};

/** The answers of /monitoring/storageEncryption. */
export const STORAGE_ENCRYPTION: Answers = {
  documented: valueOf(z.boolean().describe('true: a secret was stored, read and found encrypted')),
  linotp: valueOf(
    z.strictObject({ cryptmodul_type: z.string(), cryptmodul_name: z.string(), encryption: z.boolean() }),
  ),
};
