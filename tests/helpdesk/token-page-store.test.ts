import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { type TokenPageFilter, TokenPageStore } from '../../src/helpdesk/helpdesk-store.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import type { Token } from '../../src/tokens/token.ts';
import type { Owner } from '../../src/users/user.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { insertState } from '../support/database/token-rows.ts';
import { ACT, tokenValue } from '../support/values/token-values.ts';

const REALMS = [[], ['north'], ['south'], ['north', 'south'], ['west']] as const;

let test: TestDatabase;
let pages: TokenPageStore;
let owner: Owner;
const all: Token[] = [];

beforeAll(async () => {
  test = await createTestDatabase();
  await insertState(test.database, {
    resolvers: ['people'],
    realms: ['north', 'south', 'west'].map((name) => ({ name, resolvers: ['people'] })),
    tokens: [],
  });
  const { knex } = test.database;
  const resolver = await knex('resolvers').first<{ id: string }>('id');
  const [user] = await knex('users')
    .insert({ resolver_id: resolver.id, login: 'ann' })
    .returning<{ id: string }[]>('id');
  owner = { resolverId: resolver.id, resolver: 'people', userId: user?.id ?? '', login: 'ann' };
  const tokens = new TokenStore({ database: test.database });
  for (let number = 0; number < 120; number += 1) {
    const serial = `${['QR', 'qr', 'OCRA_', 'Z%'][number % 4] ?? ''}${String((number * 37) % 120)}`;
    all.push(
      await tokens.insert(
        tokenValue(serial, {
          active: number % 3 !== 0,
          owner: number % 5 < 3 ? owner : null,
          realms: [...(REALMS[number % REALMS.length] ?? [])],
          failCount: number % 7 === 0 ? 10 : 2,
          maxFail: 10,
        }),
        ACT,
      ),
    );
  }
  pages = new TokenPageStore({ database: test.database });
});
afterAll(() => test.drop());

/** The serials of all pages, one page after the other. */
async function turned(
  filter: RequestedFilter & Pick<TokenPageFilter, 'isDescending'>,
  limit: number,
): Promise<string[]> {
  const serials: string[] = [];
  for (;;) {
    const page = await pages.page({ ...filter, limit, after: serials.at(-1) });
    serials.push(...page.map(({ serial }) => serial));
    if (page.length < limit) {
      return serials;
    }
  }
}

type RequestedFilter = Omit<TokenPageFilter, 'limit' | 'after' | 'isDescending'>;

/** True if a token fulfils each condition of a filter. */
const HOLDS: {
  readonly [Key in keyof RequestedFilter]-?: (
    token: Token,
    requested: NonNullable<RequestedFilter[Key]>,
  ) => boolean;
} = {
  inRealms: ({ realms }, requested) => realms.some((name) => requested.includes(name)),
  inNoRealm: ({ realms }) => realms.length === 0,
  owner: (token) => token.owner !== null,
  serialPrefix: ({ serial }, requested) => serial.toLowerCase().startsWith(requested.toLowerCase()),
  active: ({ active }, requested) => active === requested,
  assigned: (token, requested) => (token.owner !== null) === requested,
  isLocked: ({ failCount, maxFail }) => failCount >= maxFail,
};

function expected(filter: RequestedFilter): string[] {
  const conditions = Object.entries(filter) as [keyof RequestedFilter, never][];
  return all
    .filter((token) => conditions.every(([key, requested]) => HOLDS[key](token, requested)))
    .map(({ serial }) => serial)
    .sort((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1));
}

const REALM_FILTERS = [
  {},
  { inRealms: ['north'] },
  { inRealms: ['north', 'south', 'nowhere'] },
  { inRealms: [] },
  { inNoRealm: true },
];
const STATES = [
  {},
  { active: false },
  { active: true, assigned: false },
  { assigned: true },
  { isLocked: true },
  { isLocked: true, active: true },
];

describe('the pages of tokens', () => {
  it.each(REALM_FILTERS.flatMap((realms) => STATES.map((state) => ({ ...realms, ...state }))))(
    'hold each token of the filter once, by serial up or down: %j',
    async (filter) => {
      for (const more of [{}, { serialPrefix: 'qR' }, { serialPrefix: 'z%1' }, { owner }]) {
        const narrowed = { ...filter, ...more };
        expect(await turned(narrowed, 7)).toEqual(expected(narrowed));
        const backwards = await turned({ ...narrowed, isDescending: true }, 7);
        expect(backwards.reverse()).toEqual(expected(narrowed));
      }
    },
  );

  it('go on after a serial that is gone, and find nothing for texts that cannot be stored', async () => {
    const [first] = await pages.page({ limit: 1, after: 'QR5~' });
    expect(first?.serial).toBe(expected({}).find((serial) => serial.toLowerCase() > 'qr5~'));
    expect(await pages.page({ limit: 1, serialPrefix: 'a\0' })).toEqual([]);
    expect(await pages.page({ limit: 1, owner: { resolverId: 'x', userId: '1' } })).toEqual([]);
  });
});

describe('the lock of a token', () => {
  it('follows the fail counter and its limit', async () => {
    const { knex } = test.database;
    const serial = all[1]?.serial ?? '';
    const isListed = async (): Promise<boolean> => (await turned({ isLocked: true }, 50)).includes(serial);
    expect(await isListed()).toBe(false);
    await knex('tokens').where({ serial }).update({ max_fail: 2 });
    expect(await isListed()).toBe(true);
    await knex('tokens').where({ serial }).update({ fail_count: 0 });
    expect(await isListed()).toBe(false);
  });

  it('does not make a wrong response write the indexes again', async () => {
    const { knex } = test.database;
    const serial = all[2]?.serial ?? '';
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
