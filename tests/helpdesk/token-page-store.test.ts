import { beforeAll, describe, expect, it } from '@jest/globals';
import { TokenPageStore } from '../../src/helpdesk/helpdesk-store.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { ACT, tokenValue } from '../support/values/token-values.ts';

const test = databaseOfTests();
let pages: TokenPageStore;
const all = Array.from(
  { length: 40 },
  (_, number) => `${['QR', 'qr', 'OCRA_', 'Z%'][number % 4] ?? ''}${(number * 37) % 40}`,
);
const lower = all.map((serial) => serial.toLowerCase()).sort();

beforeAll(async () => {
  const tokens = new TokenStore({ database: test.database });
  await tokens.insertAll(
    all.map((serial) => tokenValue(serial, { failCount: 2 })),
    ACT,
  );
  pages = new TokenPageStore({ database: test.database });
});

async function turned(filter: { serialPrefix?: string; isDescending?: boolean }): Promise<string[]> {
  const serials: string[] = [];
  for (;;) {
    const page = await pages.page({ ...filter, limit: 7, after: serials.at(-1) });
    serials.push(...page.map(({ serial }) => serial));
    if (page.length < 7) {
      return serials.map((serial) => serial.toLowerCase());
    }
  }
}

describe('the pages of tokens', () => {
  it.each(['', 'qR', 'z%1', 'ocra_', 'o%', '_'])(
    'hold each token whose serial begins with %j once, up or down, in whatever case',
    async (serialPrefix) => {
      const expected = lower.filter((serial) => serial.startsWith(serialPrefix.toLowerCase()));
      const narrowed = serialPrefix === '' ? {} : { serialPrefix };
      expect(await turned(narrowed)).toEqual(expected);
      expect((await turned({ ...narrowed, isDescending: true })).reverse()).toEqual(expected);
    },
  );

  it('go on after a serial that is gone, and find nothing for texts that cannot be stored', async () => {
    const [first] = await pages.page({ limit: 1, after: 'QR5~' });
    expect(first?.serial.toLowerCase()).toBe(lower.find((serial) => serial > 'qr5~'));
    expect(await pages.page({ limit: 1, serialPrefix: 'a\0' })).toEqual([]);
    expect(await pages.page({ limit: 1, owner: { resolverId: 'x', userId: '1' } })).toEqual([]);
  });
});

describe('the lock of a token', () => {
  it('follows the fail counter and its limit', async () => {
    const { knex } = test.database;
    const [, serial = ''] = all;
    const isListed = async (): Promise<boolean> =>
      (await pages.page({ isLocked: true, limit: 50 })).some((token) => token.serial === serial);
    expect(await isListed()).toBe(false);
    await knex('tokens').where({ serial }).update({ max_fail: 2 });
    expect(await isListed()).toBe(true);
    await knex('tokens').where({ serial }).update({ fail_count: 0 });
    expect(await isListed()).toBe(false);
  });

  it('does not make a wrong response write the indexes again', async () => {
    const { knex } = test.database;
    const [, , serial = ''] = all;
    await knex.transaction(async (sql) => {
      const written = async (): Promise<{ hot: number; all: number }> => {
        const { rows } = await sql.raw<{ rows: { hot: number; all: number }[] }>(
          `SELECT pg_stat_get_xact_tuples_hot_updated('tokens'::regclass)::int AS hot,
             pg_stat_get_xact_tuples_updated('tokens'::regclass)::int AS all`,
        );
        return rows[0] ?? { hot: 0, all: 0 };
      };
      const before = await written();
      await sql('tokens').where({ serial }).update({ fail_count: 3 });
      expect(await written()).toEqual({ hot: before.hot + 1, all: before.all + 1 });
    });
  });
});
