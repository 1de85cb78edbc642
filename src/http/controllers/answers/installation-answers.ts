import { z } from 'zod';
import { type Answers, count, inEveryDialect, valueOf } from '../../answers.ts';

const time = z.iso.datetime();

/** The answers of /system/keys. */
export const KEYS: Answers = inEveryDialect(
  valueOf(
    z.strictObject({
      keys: z.array(
        z.strictObject({
          keyid: z.string().describe('16 hexadecimal digits, which tell nothing of the key'),
          current: z.boolean().describe('seals'),
          added: time.nullable().describe('null: secrets are sealed with it, but it is not registered'),
          current_since: time.nullable().describe('null: it has never sealed'),
          retired: time.nullable(),
          secrets: count.nullable().describe('the number of secrets sealed with it; null: not counted'),
        }),
      ),
      servers: z.array(
        z.strictObject({
          place: z.string().describe('host name and process id'),
          keyids: z.array(z.string()),
          seals_with: z.string(),
        }),
      ),
      counted: time.nullable(),
    }),
    {
      example: {
        value: {
          keys: [
            {
              keyid: '0123456789abcdef',
              current: true,
              added: '2026-11-20T12:00:00.000Z',
              current_since: '2026-11-20T12:00:00.000Z',
              retired: null,
              secrets: 812,
            },
          ],
          servers: [{ place: 'tan1:4711', keyids: ['0123456789abcdef'], seals_with: '0123456789abcdef' }],
          counted: '2026-11-20T12:05:00.000Z',
        },
      },
    },
  ),
);

const licence = z.strictObject({
  valid: z.boolean(),
  reason: z.string().nullable().describe('why it does not count; null: it does'),
  unit: z.enum(['user', 'token']).nullable().describe('what it counts; null: it cannot be read'),
  licensed: count.nullable(),
  active: count.nullable().describe('the present number; null: not counted'),
  starts: time.nullable(),
  ends: time.nullable().describe('the first instant at which it is no longer valid'),
  fields: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).describe('as signed'),
});

const LICENCE_EXAMPLE = {
  valid: true,
  reason: null,
  unit: 'user',
  licensed: 500,
  active: 312,
  starts: null,
  ends: '2028-01-01T00:00:00.000Z',
  fields: { licensee: 'Example AG', 'user-num': 500, expire: '2027-12-31' },
};

/** The answers of /system/licence. */
export const LICENCE: Answers = inEveryDialect(
  valueOf(licence.nullable().describe('null: none is installed'), { example: { value: LICENCE_EXAMPLE } }),
);

/** The answers of /system/licence/install. */
export const INSTALLED_LICENCE: Answers = inEveryDialect(
  valueOf(licence, { example: { value: LICENCE_EXAMPLE } }),
);

const webhook = z.strictObject({
  name: z.string(),
  url: z.string().describe('the origin alone for those who may not change webhooks'),
  events: z.array(z.string()),
  realms: z.array(z.string()).describe('empty: all tokens'),
  enabled: z.boolean(),
  bounded: z.boolean().describe('added over HTTP: only at a public address'),
  created: time,
  waiting: count,
  oldest: time.nullable().describe('the time of the oldest that waits'),
  given_up: count,
  delivered: count,
  last_success: time.nullable(),
  last_failure_at: time.nullable(),
  last_failure: z.string(),
});

/** The answers of /system/webhooks. */
export const WEBHOOKS: Answers = inEveryDialect(
  valueOf(
    z.strictObject({
      webhooks: z.array(webhook),
      event_types: z.array(z.strictObject({ type: z.string(), meaning: z.string() })),
    }),
    {
      example: {
        value: {
          webhooks: [
            {
              name: 'siem',
              url: 'https://siem.example.com/tankeeper',
              events: ['token.locked'],
              realms: [],
              enabled: true,
              bounded: true,
              created: '2026-11-20T12:00:00.000Z',
              waiting: 1,
              oldest: '2026-11-21T09:30:00.000Z',
              given_up: 0,
              delivered: 17,
              last_success: '2026-11-21T08:00:00.000Z',
              last_failure_at: '2026-11-21T09:30:01.000Z',
              last_failure: 'HTTP 500',
            },
          ],
          event_types: [
            { type: 'token.locked', meaning: 'The fail counter of a token has reached its limit' },
          ],
        },
      },
    },
  ),
);

/** The answers of /system/webhooks/deliveries. */
export const DELIVERIES: Answers = inEveryDialect(
  valueOf(
    z.array(
      z.strictObject({
        event: z.string(),
        type: z.string(),
        occurred: time,
        attempts: count,
        next_attempt: time.nullable().describe('null: it was given up'),
        given_up: time.nullable(),
        last_failure: z.string(),
      }),
    ),
    {
      example: {
        value: [
          {
            event: '3a4f0c4e-9f0b-4d6a-8f2e-0d5f6f0c1b2a',
            type: 'token.locked',
            occurred: '2026-11-21T09:30:00.000Z',
            attempts: 3,
            next_attempt: '2026-11-21T09:32:10.000Z',
            given_up: null,
            last_failure: 'HTTP 500',
          },
        ],
      },
    },
  ),
);

/** The answers that contain the secret of a webhook, which is never shown again. */
export const WEBHOOK_SECRET: Answers = inEveryDialect(
  valueOf(z.strictObject({ secret: z.string() }), {
    example: { value: { secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=' } },
  }),
);

/** The answers of /system/webhooks/test. */
export const WEBHOOK_TEST: Answers = inEveryDialect(
  valueOf(
    z.strictObject({
      delivered: z.boolean(),
      status: z.int().nullable().describe('the HTTP status of the answer; null: there was none'),
      reason: z.string().nullable().describe('null: it was delivered'),
      duration_ms: count,
      event: z.string(),
    }),
    {
      example: {
        value: {
          delivered: false,
          status: 404,
          reason: 'HTTP 404',
          duration_ms: 12,
          event: '3a4f0c4e-9f0b-4d6a-8f2e-0d5f6f0c1b2a',
        },
      },
    },
  ),
);
