import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditFilter, RowPlace } from '../../src/audit/filter-values.ts';
import { searchParts, searchRows, searchStep } from '../../src/audit/search-store.ts';
import { SqlTap } from '../support/database/sql-tap.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';

const ROWS = 1_000;
const BOUNDS = { rows: 100, parts: 2, time: 60_000 };

let test: TestDatabase;

/** Three rows have the same time; each hundredth row is of the realm `rare`. */
beforeAll(async () => {
  test = await createTestDatabase();
  await test.database.knex.raw(
    `INSERT INTO audit (id, at, actor, action, subject, realm, outcome, client, request_id, transaction_id,
       writer, lane, seq, prev_hash, hash, signature)
     SELECT number, '2026-11-01T00:00:00Z'::timestamptz + number / 3 * interval '1 second', '', 'ocra/check_t',
       'T' || number, CASE WHEN number % 100 = 0 THEN 'rare' ELSE 'north' END, 'accepted', '', '',
       'X' || number, 0, 0, number, '', '', ''
     FROM generate_series(1, ?) AS number`,
    [ROWS],
  );
});
afterAll(() => test.drop());

/** @returns the ids of all rows that the pages of a search by parts have, and the number of rows of each page */
async function everyPage(filter: AuditFilter): Promise<{ ids: string[]; sizes: number[] }> {
  const ids: string[] = [];
  const sizes: number[] = [];
  let after: RowPlace | null | undefined;
  while (after !== null) {
    const page = await searchParts(test.database, { ...filter, after }, BOUNDS);
    ids.push(...page.rows.map(({ id }) => id));
    sizes.push(page.rows.length);
    after = page.rows.length === filter.limit ? page.rows.at(-1) : page.reached;
  }
  return { ids, sizes };
}

describe('the search for rare rows', () => {
  it.each<[string, AuditFilter]>([
    ['a realm', { realm: 'rare', limit: 50 }],
    ['realms of a caller', { within: ['rare', 'other'], limit: 2 }],
    ['all rows', { limit: 30 }],
    [
      'a period',
      { since: new Date('2026-11-01T00:01:00Z'), until: new Date('2026-11-01T00:04:00Z'), limit: 9 },
    ],
    ['nothing', { client: '192.0.2.1', limit: 5 }],
  ])('finds the same rows part by part as at once: %s', async (_name, filter) => {
    const all = await searchRows(test.database, { ...filter, limit: ROWS });
    expect((await everyPage(filter)).ids).toEqual(all.map(({ id }) => id));
  });

  it('reads a bounded part of the trail for a page, and says how far', async () => {
    const page = await searchParts(test.database, { client: '192.0.2.1', limit: 5 }, BOUNDS);
    expect(page).toEqual({ rows: [], reached: { at: '2026-11-01T00:04:27.000000Z', id: '801' } });
    expect((await everyPage({ realm: 'rare', limit: 50 })).sizes).toEqual([2, 2, 2, 2, 2, 0]);
  });

  it('reads one part, and no further one, where that took its time', async () => {
    const page = await searchParts(test.database, { realm: 'rare', limit: 50 }, { ...BOUNDS, time: 0 });
    expect(page).toMatchObject({ rows: [{ id: '1000' }], reached: { id: '901' } });
  });

  it('is one page where an index or luck finds it quickly', async () => {
    const found = await searchStep(test.database, { transaction: 'X7', limit: 5 });
    expect(found).toMatchObject({ rows: [{ id: '7' }], reached: null });
    expect((await searchStep(test.database, { realm: 'rare', limit: 50 })).rows).toHaveLength(10);
  });

  it.each<[string, number, Partial<AuditFilter>]>([
    ['a subject', 1, { subject: 'T7' }],
    ['an actor', 1, { actor: 'anna' }],
    ['a change of policies', 1, { action: 'policy/set' }],
    ['a request, which has no index', 3, { requestId: 'one' }],
  ])('gives an index the time that a busy database takes: %s', async (_name, expected, filter) => {
    let searches = 0;
    const tap = new SqlTap({
      text: (text) => {
        if (!text.includes('from "audit"')) {
          return text;
        }
        searches += 1;
        // Evaluated once.
        return text.replace('from "audit"', 'from (select pg_sleep(0.6)) as busy, "audit"');
      },
    });
    try {
      await searchStep(test.database, { ...filter, limit: 5 });
    } finally {
      tap.close();
    }
    expect(searches).toBe(expected);
  });
});
