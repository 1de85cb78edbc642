import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { AuditStore } from '../../src/audit/audit-store.ts';
import type { Pruned } from '../../src/audit/pruning-store.ts';
import type { Database } from '../../src/database/database.ts';
import { AuditedDatabase, shortly } from '../support/database/audited-database.ts';
import { OPERATOR } from '../support/values/callers.ts';
import { untilWaiting } from '../support/database/held-statement.ts';
import { SqlTap } from '../support/database/sql-tap.ts';
import { ACT } from '../support/values/token-values.ts';

let audited: AuditedDatabase;
beforeEach(async () => {
  audited = await AuditedDatabase.create();
  at('2026-08-10');
});
afterEach(() => audited.drop());

function at(day: string): void {
  audited.clock.time = new Date(`${day}T12:00:00Z`);
}

const write = (server: Database, subject: string): Promise<void> =>
  server.audit.autocommit.write(ACT, subject, 'done');

function prune(before: string, force = false): Promise<Pruned> {
  return audited.service(audited.server()).prune(OPERATOR, { before: new Date(before), force });
}

async function checkpoints(): Promise<readonly string[]> {
  const { rows } = await audited.test.database.knex.raw<{ rows: { text: string }[] }>(
    "SELECT number || ' ' || row_count || ' ' || prunes AS text FROM audit_checkpoints ORDER BY number",
  );
  return rows.map(({ text }) => text);
}

/** Rows 1 to 3, a month each; that of August has a partition of its own. It is November afterwards. */
async function threeMonths(): Promise<Database> {
  await audited.test.database.knex.raw("SELECT add_audit_month('2026-08-01T00:00:00Z')");
  await audited.test.database.knex.raw("SELECT add_audit_month('2026-11-01T00:00:00Z')");
  const server = audited.server();
  for (const month of ['2026-08', '2026-09', '2026-10']) {
    at(`${month}-10`);
    await write(server, month);
  }
  at('2026-11-10');
  await audited.seal();
  return server;
}

describe('pruning', () => {
  it('removes whole months and leaves their checkpoints, and all that is left verifies', async () => {
    const server = await threeMonths();
    // Of September the rows alone go: it has no partition of its own.
    expect(await prune('2026-10-15')).toEqual({ rows: 2, months: ['2026-08'] });
    expect(await checkpoints()).toEqual(['1 1 ', '2 1 ', '3 1 ', '4 0 2026-10']);
    const left = await audited.test.database.knex('audit').orderBy(['at', 'id']).select<object[]>();
    expect(left).toMatchObject([
      { subject: '2026-10' },
      { actor: OPERATOR.principal.administrator, outcome: 'pruned before 2026-10-01, 2 rows' },
    ]);
    expect(await audited.verify()).toMatchObject({ rows: 2, all: [] });
    at('2026-12-10');
    await write(server, 'december');
    expect(await prune('2026-12-01')).toMatchObject({ rows: 2 });
    await audited.seal();
    expect(await audited.verify()).toMatchObject({ rows: 2, unsealed: 0, all: [] });
  });

  it('writes nothing where there is nothing to remove', async () => {
    await threeMonths();
    expect(await prune('2026-08-01')).toEqual({ rows: 0, months: [] });
    expect(await checkpoints()).toHaveLength(3);
  });

  it('takes rows that come late for a month that was pruned, and removes them the next time', async () => {
    const server = await threeMonths();
    await prune('2026-10-01');
    at('2026-09-12');
    await write(server, 'late');
    at('2026-11-10');
    await audited.seal();
    expect(await audited.verify()).toMatchObject({ rows: 3, unsealed: 0, all: [] });
    expect(await prune('2026-09-01', true)).toMatchObject({ rows: 0 });
    expect(await prune('2026-10-01')).toMatchObject({ rows: 1 });
    expect(await audited.verify()).toMatchObject({ all: [] });
  });

  it.each([
    ['a row of a month that was kept is gone', 'DELETE FROM audit WHERE id = 3', ['removed 3']],
    ['a month is there again', 'INSERT INTO audit SELECT * FROM kept WHERE id = 1', ['inserted 1']],
    [
      'months are gone that no checkpoint tells of',
      "DELETE FROM audit_checkpoints WHERE prunes <> ''",
      ['removed', 'removed'],
    ],
    [
      'more months are said to be gone',
      "DELETE FROM audit WHERE id = 3; UPDATE audit_checkpoints SET prunes = '2026-11' WHERE number = 4",
      ['changed checkpoint 4'],
    ],
  ])('is told from tampering: %s', async (_, sql, found) => {
    await threeMonths();
    await audited.tamper('CREATE TABLE kept AS SELECT * FROM audit');
    await prune('2026-10-01');
    await audited.tamper(sql);
    expect(shortly((await audited.verify()).all)).toEqual(found);
  });

  it('leaves evidence of a row that was dated back to go with a month', async () => {
    await threeMonths();
    await audited.tamper("UPDATE audit SET at = '2026-08-21' WHERE id = 3");
    await prune('2026-10-01', true);
    expect(shortly((await audited.verify()).all)).toEqual(['removed 3']);
  });

  it('is refused while a row of these months is not sealed', async () => {
    await threeMonths();
    await audited.test.database.transact(async ({ audit }) => {
      await audit.write(ACT, 'slow', 'done');
      at('2026-09-20');
      const other = audited.server();
      await write(other, 'unsealed');
      at('2026-11-10');
      const pruning = audited.service(other).prune(OPERATOR, { before: new Date('2026-10-01'), force: true });
      await expect(pruning).rejects.toMatchObject({ code: 'server.busy' });
    });
  });
});

describe('pruning beside servers at work', () => {
  it('lets them write on, even while it waits for a reader of the trail', async () => {
    const server = await threeMonths();
    let isDone = false;
    const writes = [0, 0, 0, 0];
    const load = async (writer: number): Promise<void> => {
      while (!isDone) {
        await write(server, 'meanwhile');
        writes[writer] = (writes[writer] ?? 0) + 1;
      }
    };
    let tries = 0;
    const tap = new SqlTap({
      hold: (text) => {
        tries += text.startsWith('LOCK TABLE ONLY audit IN ACCESS EXCLUSIVE') ? 1 : 0;
        return undefined;
      },
    });
    let pruning: Promise<unknown> = Promise.resolve();
    const loads = [...writes.keys()].map(load);
    await audited.test.database.transact(async ({ sql }) => {
      await sql.raw('SELECT count(*) FROM audit');
      pruning = audited
        .service(audited.server())
        .prune(OPERATOR, { before: new Date('2026-09-01'), force: true });
      pruning.catch(() => undefined);
      // The reader reads until the month has been asked for in vain and again, and each writer has written since.
      while (tries < 2) {
        await sleep(5);
      }
      const before = [...writes];
      while (writes.some((count, writer) => count < (before[writer] ?? 0) + 3)) {
        await sleep(5);
      }
    });
    isDone = true;
    await Promise.all(loads);
    await expect(pruning).resolves.toMatchObject({ rows: 1, months: ['2026-08'] });
    tap.close();
    expect(await audited.verify()).toMatchObject({ findings: 0 });
  });

  it('does so once for two requests at the same time', async () => {
    await threeMonths();
    const before = new Date('2026-09-01');
    const prunings: Promise<Pruned>[] = [];
    await audited.test.database.transact(async ({ sql }) => {
      // The first has done all but dropping the month, which the second still sees.
      await sql.raw('LOCK TABLE ONLY audit IN ACCESS SHARE MODE');
      for (const pool of [audited.server(), audited.server()]) {
        prunings.push(audited.service(pool).prune(OPERATOR, { before, force: true }));
        prunings.forEach((pruning) => void pruning.catch(() => undefined));
        await untilWaiting(audited.test.database, prunings.length);
      }
    });
    const months = (await Promise.all(prunings)).flatMap((pruned) => pruned.months);
    expect(months).toEqual(['2026-08']);
    expect((await checkpoints()).filter((text) => text.endsWith('2026-09'))).toHaveLength(1);
    expect(await audited.verify()).toMatchObject({ findings: 0 });
  });

  it('is noticed by who reads the trail at the same time, instead of taken for tampering', async () => {
    await threeMonths();
    const trail = await new AuditStore(audited.test).trail();
    await prune('2026-09-01');
    const reading = async (): Promise<void> => {
      for await (const { rows } of trail.parts) {
        expect(rows.length).toBeLessThan(4);
      }
    };
    await expect(reading()).rejects.toMatchObject({ code: 'server.busy' });
  });

  it('leaves everything as it was when it is cut off in the middle', async () => {
    await threeMonths();
    const pool = audited.server();
    const before = await checkpoints();
    let pruning: Promise<unknown> = Promise.resolve();
    await audited.test.database.transact(async ({ sql }) => {
      await sql.raw('SELECT count(*) FROM audit');
      pruning = audited.service(pool).prune(OPERATOR, { before: new Date('2026-09-01'), force: true });
      pruning.catch(() => undefined);
      // Everything is written by then, and the month is waited for.
      const waiting = `SELECT pg_terminate_backend(pid) FROM pg_locks
        WHERE relation = 'audit'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted`;
      for (let rows = 0; rows === 0;) {
        rows = (await sql.raw<{ rows: unknown[] }>(waiting)).rows.length;
        await sleep(5);
      }
    });
    await expect(pruning).rejects.toMatchObject({ code: 'database.unavailable' });
    expect(await checkpoints()).toEqual(before);
    expect(await audited.verify()).toMatchObject({ rows: 3, findings: 0 });
    expect(await prune('2026-09-01')).toMatchObject({ rows: 1 });
    expect(await audited.verify()).toMatchObject({ findings: 0 });
  });
});
