import { z } from 'zod';
import type { Services } from '../../../services.ts';
import type { KeyReport } from '../../../keys/key-service.ts';
import { count, type Shown, timeOf } from '../../answers.ts';
import { type Endpoint, valueReading } from '../../endpoint-spec.ts';
import { optional } from '../../request/parameters.ts';

const time = z.iso.datetime();

const REPORT = z.strictObject({
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
  counted: time.nullable(),
});

const EXAMPLE = {
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
  counted: '2026-11-20T12:05:00.000Z',
};

export function keyEndpoint({ keys }: Pick<Services, 'keys'>): Endpoint {
  return valueReading(
    {
      path: '/system/keys',
      summary: 'the encryption keys',
      value: REPORT,
      example: EXAMPLE,
      parameters: { count: optional('`1`: counts the secrets of each key, which reads all tokens', '1') },
    },
    async ({ parameters }) => shownReport(await keys.show(parameters.count === '1')),
  );
}

function shownReport({ keys, countedAt }: KeyReport): Shown<typeof REPORT> {
  return {
    keys: keys.map(({ keyId, isCurrent, addedAt, currentSince, retiredAt, secrets }) => ({
      keyid: keyId,
      current: isCurrent,
      added: timeOf(addedAt),
      current_since: timeOf(currentSince),
      retired: timeOf(retiredAt),
      secrets: secrets ?? null,
    })),
    counted: timeOf(countedAt),
  };
}
