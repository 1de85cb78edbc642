import { z } from 'zod';
import { RESPONSE_REASONS } from '../../../challenges/challenge-metrics.ts';
import { RESOLVER_KINDS } from '../../../configuration/configuration.ts';
import { type Answers, count, inEveryDialect, valueOf } from '../../answers.ts';

const time = z.iso.datetime();
const realm = z.string().describe('the realm, `/:no realm:/` for tokens in none');
const milliseconds = z.number().nonnegative().nullable().describe('milliseconds; null without responses');

const numbers = {
  total: count,
  active: count,
  inactive: count,
  assigned: count,
  unassigned: count,
  locked: count,
};
const responses = {
  outcomes: z
    .partialRecord(
      z.enum(RESPONSE_REASONS.map((reason) => reason.replace(' ', '_')) as [string, ...string[]]),
      count,
    )
    .describe('the numbers of those that there were'),
  p50_ms: milliseconds,
  p95_ms: milliseconds,
};

const overview = z.strictObject({
  tokens: z
    .strictObject({
      realms: z.array(z.strictObject({ realm, ...numbers })),
      summary: z.strictObject(numbers).describe('all these realms; a token in several of them counts once'),
    })
    .nullable()
    .describe('null without the right `monitoring:tokens`'),
  active_users: z
    .strictObject({
      realms: z.array(z.strictObject({ realm, users: count })),
      total: count.describe('users with an active token, each once'),
    })
    .nullable()
    .describe('null without the right `monitoring:activeUsers`'),
  users: z
    .array(
      z.strictObject({
        resolver: z.string(),
        realms: z.array(z.string()).describe('the shown realms that use it'),
        users: count.nullable().describe('null: never counted with its present settings'),
        counted: time.nullable().describe('the time of the count; null: the number is the present one'),
      }),
    )
    .nullable()
    .describe('null without the right `monitoring:userinfo`'),
  licence: z
    .strictObject({
      state: z.enum(['none', 'valid', 'invalid']),
      explanation: z.string().nullable().describe('why it is invalid'),
      unit: z.enum(['user', 'token']).nullable(),
      licensed: count.nullable(),
      active: count.nullable(),
      ends: time.nullable().describe('the first instant at which it is no longer valid'),
    })
    .nullable()
    .describe('null without the right `monitoring:license`'),
  configuration: z
    .strictObject({
      in_sync: z.boolean().describe('this server uses the configuration of the database'),
      changed: time,
      values: count,
      realms: count,
      policies: count,
      resolvers: z.strictObject({ managed: count, passwd: count, sql: count, ldap: count }),
    })
    .nullable()
    .describe('null without the right `monitoring:config`'),
  storage_encryption: z
    .boolean()
    .nullable()
    .describe(
      'a new secret was found encrypted, a minute ago at most; false, too, while there is no key to encrypt with; null without the right `monitoring:storageEncryption`',
    ),
  resolvers: z
    .array(
      z.strictObject({
        resolver: z.string(),
        kind: z.enum(RESOLVER_KINDS),
        state: z.enum(['available', 'unavailable', 'unknown']).describe('at its last use by any server'),
        succeeded: time.nullable(),
        failed: time.nullable(),
      }),
    )
    .nullable()
    .describe('null without the right `system:read`'),
  responses: z
    .strictObject({
      since: time,
      ...responses,
      minutes: z.array(z.strictObject({ minute: time, ...responses })).describe('the last sixty'),
    })
    .nullable()
    .describe(
      'of the last hour, in all realms, with the time that verification took; null without the right `monitoring:metrics`',
    ),
});

const NUMBERS = { total: 3, active: 2, inactive: 1, assigned: 2, unassigned: 1, locked: 0 };
const RESPONSES = { outcomes: { accepted: 41, wrong: 2 }, p50_ms: 6.5, p95_ms: 18.2 };

/** The answers of /admin/overview. */
export const OVERVIEW: Answers = inEveryDialect({
  others: [{ status: 304, meaning: 'nothing has changed since the answer with the tag in `If-None-Match`' }],
  ...valueOf(overview, {
    example: {
      value: {
        tokens: { realms: [{ realm: 'customers', ...NUMBERS }], summary: NUMBERS },
        active_users: { realms: [{ realm: 'customers', users: 2 }], total: 2 },
        users: [
          { resolver: 'directory', realms: ['customers'], users: 120, counted: '2026-11-20T11:58:00.000Z' },
        ],
        licence: {
          state: 'none',
          explanation: null,
          unit: null,
          licensed: null,
          active: null,
          ends: null,
        },
        configuration: null,
        storage_encryption: true,
        resolvers: null,
        responses: {
          since: '2026-11-20T11:01:00.000Z',
          ...RESPONSES,
          minutes: [{ minute: '2026-11-20T11:01:00.000Z', ...RESPONSES }],
        },
      },
    },
  }),
});
