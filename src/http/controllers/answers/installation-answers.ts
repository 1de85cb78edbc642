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
