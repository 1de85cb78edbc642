import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditFilter, RowPlace } from '../../src/audit/audit-row.ts';
import { AuditStore, searchQuery } from '../../src/audit/audit-store.ts';
import { databaseOfTests } from '../support/database/test-database.ts';

const ROWS = 1_000;
const BOUNDS = { rows: 100, parts: 2, time: 60_000 };

const test = databaseOfTests();
let store: AuditStore;

/** Three rows have the same time; each hundredth row is of the realm `rare`. */
beforeAll(async () => {
  store = new AuditStore(test);
  await test.database.knex.raw(
    `INSERT INTO audit (id, at, actor, action, subject, realm, outcome, client, request_id, transaction_id)
     SELECT number, '2026-11-01T00:00:00Z'::timestamptz + number / 3 * interval '1 second', '', 'ocra/check_t',
       'T' || number, CASE WHEN number % 100 = 0 THEN 'rare' ELSE 'north' END, 'accepted', '', '',
       'X' || number
     FROM generate_series(1, ?) AS number`,
    [ROWS],
  );
});

/** @returns the ids of all rows that the pages of a search by parts have, and the number of rows of each page */
async function everyPage(filter: AuditFilter): Promise<{ ids: string[]; sizes: number[] }> {
  const ids: string[] = [];
  const sizes: number[] = [];
  let after: RowPlace | null | undefined;
  while (after !== null) {
    const page = await store.searchStep({ ...filter, after }, BOUNDS);
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
    ['rows of an action', { action: 'ocra/check_t', limit: 30 }],
    [
      'a period',
      {
        outcome: 'accepted',
        since: new Date('2026-11-01T00:01:00Z'),
        until: new Date('2026-11-01T00:04:00Z'),
        limit: 9,
      },
    ],
    ['nothing', { client: '192.0.2.1', limit: 5 }],
  ])('finds the same rows part by part as at once: %s', async (_name, filter) => {
    const all = await store.searchStep({ ...filter, limit: ROWS });
    expect((await everyPage(filter)).ids).toEqual(all.rows.map(({ id }) => id));
  });

  it('reads a bounded part of the trail for a page, and says how far', async () => {
    const page = await store.searchStep({ client: '192.0.2.1', limit: 5 }, BOUNDS);
    expect(page).toEqual({ rows: [], reached: { at: '2026-11-01T00:04:27.000000Z', id: '801' } });
    expect((await everyPage({ realm: 'rare', limit: 50 })).sizes).toEqual([2, 2, 2, 2, 2, 0]);
  });

  it('reads one part, and no further one, where that took its time', async () => {
    const page = await store.searchStep({ realm: 'rare', limit: 50 }, { ...BOUNDS, time: 0 });
    expect(page).toMatchObject({ rows: [{ id: '1000' }], reached: { id: '901' } });
  });

  it.each<[string, AuditFilter, number]>([
    ['rows of a transaction', { transaction: 'X7', limit: 500 }, 1],
    ['rows of a subject', { subject: 'T7', outcome: 'accepted', limit: 500 }, 1],
    ['rows of an actor', { actor: '', limit: 500 }, 500],
    ['rows of an action with an index', { action: 'policy/set', limit: 500 }, 0],
    ['rows of any kind', { limit: 500 }, 500],
  ])('is one page where an index finds them: %s', async (_name, filter, rows) => {
    const page = await store.searchStep(filter, BOUNDS);
    expect([page.rows.length, page.reached]).toEqual([rows, null]);
  });
});

describe('the search for the rows about the tokens of a user', () => {
  const subjects = ['OLD', 'BUSY', 'BUSY', 'NONE'];
  const time = (second: number): string =>
    new Date(Date.parse('2026-09-01T00:00:00Z') + second * 1000).toISOString();

  beforeAll(async () => {
    await test.database.knex.raw("SELECT add_audit_month('2026-09-01T00:00:00Z')");
    await test.database.knex.raw(
      `INSERT INTO audit (id, at, actor, action, subject, realm, outcome, client, request_id, transaction_id)
       SELECT 10000 + number, '2026-09-01T00:00:00Z'::timestamptz + number * interval '1 second', '', 'ocra/check_t',
         CASE WHEN number <= 500 THEN 'OLD' ELSE 'BUSY' END, 'north', 'accepted', '', '', ''
       FROM generate_series(1, 20000) AS number`,
    );
  });

  /** @returns the rows that the statement reads of the trail */
  async function rowsRead(filter: AuditFilter): Promise<number> {
    const { sql, bindings } = searchQuery(test.database.knex, filter).toSQL();
    const { rows } = await test.database.knex.raw<{ rows: { 'QUERY PLAN': string }[] }>(
      `EXPLAIN (ANALYZE, TIMING OFF) ${sql}`,
      [...bindings],
    );
    const scans = rows
      .map((row) => row['QUERY PLAN'])
      .filter((line) => / on audit_\d{4}_\d\d/.test(line) && !line.includes('never executed'));
    return scans.reduce((sum, line) => {
      const [, count = '', loops = ''] = /actual rows=([\d.]+) loops=(\d+)/.exec(line) ?? [];
      return sum + Number(count) * Number(loops);
    }, 0);
  }

  it('reads no more rows than a page of each token', async () => {
    await test.database.knex.raw('ANALYZE audit');
    const after = { at: '2026-09-01T02:00:00.000000Z', id: '17200' };
    for (const filter of [
      { subjects, limit: 11 },
      { subjects, limit: 11, after },
      { subjects, limit: 11, since: new Date(time(600)), until: new Date(time(900)) },
      { subjects: ['OLD'], limit: 11 },
    ]) {
      expect(await rowsRead(filter)).toBeLessThanOrEqual(2 * 16);
    }
  });

  it('finds the rows of all of them in order, page by page, within a period', async () => {
    const filter = { subjects, limit: 300, since: new Date(time(401)), until: new Date(time(601)) };
    const { rows } = await store.searchStep(filter);
    expect(rows.map(({ id }) => Number(id))).toEqual(Array.from({ length: 200 }, (_, at) => 10_600 - at));
    const first = await store.searchStep({ ...filter, limit: 120 });
    const second = await store.searchStep({ ...filter, after: first.rows.at(-1) });
    expect([...first.rows, ...second.rows]).toEqual(rows);
  });
});
