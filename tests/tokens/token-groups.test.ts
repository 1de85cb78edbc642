import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TokenChange } from '../../src/tokens/token.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import { eventualRefusal } from '../support/values/refusal.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { ACT, tokenValue } from '../support/values/token-values.ts';

let test: TestDatabase;
let tokens: TokenStore;

beforeAll(async () => {
  test = await createTestDatabase();
  tokens = new TokenStore({ database: test.database });
});

afterAll(() => test.drop());

beforeEach(async () => {
  await test.database.knex('tokens').delete();
  await test.database.knex.raw("SELECT set_config('tankeeper.audit', 'open', true); DELETE FROM audit");
  for (const serial of ['T1', 'T2', 'T3']) {
    await tokens.insert(tokenValue(serial, { failCount: 5 }), ACT);
  }
});

async function failCounts(): Promise<number[]> {
  return (await tokens.list({})).map(({ failCount }) => failCount);
}

const auditedAs = (outcome: string): Promise<string[]> =>
  test.database.knex('audit').where({ outcome }).orderBy('subject').pluck<string[]>('subject');

const RESET: TokenChange = { failCount: 0 };

describe('several tokens', () => {
  it.each(['nosuch', 't1', '*', '%', 'T1\0', '\ud800'])(
    'are left as they are when %j is among them, which is not there',
    async (other) => {
      const changes = new Map([
        ['T1', RESET],
        [other, RESET],
      ]);
      expect((await eventualRefusal(tokens.updateAll(changes, ACT))).code).toBe('token.unknown');
      expect((await eventualRefusal(tokens.removeAll(['T1', other], ACT))).code).toBe('token.unknown');
      expect(await failCounts()).toEqual([5, 5, 5]);
      expect(await auditedAs('changed failCount')).toEqual([]);
    },
  );

  it('are left as they are when one of the changes cannot be stored', async () => {
    const changes = new Map<string, TokenChange>([
      ['T1', RESET],
      ['T2', { realms: ['nosuch'] }],
    ]);
    expect((await eventualRefusal(tokens.updateAll(changes, ACT))).code).toBe('realm.unknown');
    expect(await failCounts()).toEqual([5, 5, 5]);
  });

  it('are changed by two at once in whatever order they name them', async () => {
    const order = ['T1', 'T2', 'T3'];
    const rounds = Array.from({ length: 20 }, (_, round) => (round % 2 === 0 ? order : order.toReversed()));
    await Promise.all(
      rounds.map((serials, failCount) =>
        tokens.updateAll(new Map(serials.map((serial) => [serial, { failCount }])), ACT),
      ),
    );
    expect(new Set(await failCounts()).size).toBe(1);
  });
});
