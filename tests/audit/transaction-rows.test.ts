import { beforeAll, describe, expect, it } from '@jest/globals';

import { AuditStore } from '../../src/audit/audit-store.ts';
import { ROWS_OF_TRANSACTION } from '../../src/audit/rows-store.ts';
import { databaseOfTests } from '../support/database/test-database.ts';

const test = databaseOfTests();
let store: AuditStore;

/** Rows of many transactions in two months, of 20 000 rows each; each transaction has a row in both. */
beforeAll(async () => {
  store = new AuditStore(test);
  for (const month of ['2026-10', '2026-11']) {
    await test.database.knex.raw('SELECT add_audit_month(?::timestamptz)', [`${month}-01T00:00:00Z`]);
    await test.database.knex.raw(
      `INSERT INTO audit (id, at, actor, action, subject, realm, outcome, client, request_id, transaction_id)
       SELECT number + ?::bigint, ?::timestamptz + number * interval '1 second', '', 'ocra/check_t', 'T',
         CASE WHEN number % 2 = 0 THEN 'north' ELSE 'north,south' END, 'closed', '', '',
         CASE WHEN number % 4 < 2 THEN 'T' || number ELSE '' END
       FROM generate_series(1, 20000) AS number`,
      [month === '2026-10' ? 0 : 100_000, `${month}-02T00:00:00Z`],
    );
  }
});

describe('the rows of a transaction', () => {
  it.each(['before', 'after'])('are found by their index in every month, %s ANALYZE', async (when) => {
    if (when === 'after') {
      await test.database.knex.raw('ANALYZE audit');
    }
    const { rows } = await test.database.knex.raw<{ rows: { 'QUERY PLAN': string }[] }>(
      `EXPLAIN ${ROWS_OF_TRANSACTION}`,
      ['T4000'],
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/audit_2026_10_transaction_id_idx/);
    expect(plan).toMatch(/audit_2026_11_transaction_id_idx/);
    expect(plan).not.toMatch(/Seq Scan on audit_2026_1[01]/);
  });

  it('come oldest first, with the number of those that are left out', async () => {
    const found = await store.ofTransaction('T4000', 1);
    expect(found).toMatchObject({ rows: [{ id: '4000', at: '2026-10-02T01:06:40.000000Z' }], more: 1 });
    expect((await store.ofTransaction('T4000', 2))?.more).toBe(0);
    expect((await store.searchStep({ transaction: 'T4000', limit: 9 })).rows.map(({ id }) => id)).toEqual([
      '104000',
      '4000',
    ]);
  });

  it('hide the transaction where one of them is about a token of other realms', async () => {
    expect(await store.ofTransaction('T4000', 9, ['south'])).toBeUndefined();
    expect(await store.ofTransaction('T4000', 9, [])).toBeUndefined();
    expect((await store.ofTransaction('T4000', 9, ['north']))?.rows).toHaveLength(2);
    expect((await store.ofTransaction('T4001', 9, ['south']))?.rows).toHaveLength(2);
  });

  it('are none for an empty or unstorable id, though many rows have none', async () => {
    for (const id of ['', '\0', 'T', '%']) {
      expect(await store.ofTransaction(id, 9)).toEqual({ rows: [], more: 0 });
      expect((await store.searchStep({ transaction: id, limit: 9 })).rows).toEqual([]);
    }
  });
});
