import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';

import { AuditStore } from '../../src/audit/audit-store.ts';
import type { Database } from '../../src/database/database.ts';
import { AuditedDatabase, shortly } from '../support/database/audited-database.ts';
import { OPERATOR } from '../support/values/callers.ts';
import { untilWaiting } from '../support/database/lock-waits.ts';
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

/** A command: it writes a row and ends. */
async function command(subject: string): Promise<void> {
  const pool = audited.server();
  await write(pool, subject);
  await pool.close();
}

async function prune(before: string): Promise<{ readonly rows: number; readonly records: number }> {
  const pool = audited.server();
  const service = audited.service(pool);
  const pruned = await service.prune(OPERATOR, { before: new Date(before), force: false });
  await pool.close();
  return pruned;
}

async function texts(sql: string): Promise<readonly string[]> {
  const { rows } = await audited.test.database.knex.raw<{ rows: { text: string }[] }>(sql);
  return rows.map(({ text }) => text);
}

const journal = (): Promise<readonly string[]> =>
  texts("SELECT number || ' ' || kind AS text FROM audit_journal ORDER BY number");

describe('pruning the journal', () => {
  it('forgets the writers that have ended and their checkpoints, and all that is left verifies', async () => {
    const server = audited.server();
    await write(server, 'august');
    await server.audit.checkpoint();
    for (let number = 1; number <= 5; number += 1) {
      await command(`august ${number}`);
    }
    at('2026-10-10');
    expect(await prune('2026-09-01')).toMatchObject({ rows: 6, records: 11 });
    // Left is the server, which is still at it, beside what the prune itself has written.
    expect((await journal()).slice(0, 2)).toEqual(['1 writer', '13 writer']);
    expect(await audited.verify()).toMatchObject({ rows: 1, findings: 0 });

    await write(server, 'october');
    await command('october, too');
    at('2026-12-10');
    await write(server, 'december');
    expect(await prune('2026-12-01')).toMatchObject({ rows: 3, records: 5 });
    expect(await audited.verify()).toMatchObject({ rows: 2, findings: 0 });
    // Idle for months, and then again at it.
    at('2027-05-10');
    await prune('2027-05-01');
    await write(server, 'may');
    await server.close();
    expect(await audited.verify()).toMatchObject({ rows: 2, findings: 0 });
  });

  it('writes nothing where there is nothing to remove', async () => {
    await command('august');
    expect(await prune('2026-08-01')).toEqual({ rows: 0, months: [], records: 0 });
    const kinds = (await journal()).filter((record) => record.endsWith('prune'));
    expect(kinds).toEqual([]);
  });

  it('keeps the checkpoints that say where lanes end which are still there', async () => {
    await command('august');
    at('2026-09-10');
    await command('september');
    at('2026-11-10');
    await prune('2026-09-01');
    await audited.tamper("DELETE FROM audit WHERE subject = 'september'");
    expect(shortly((await audited.verify()).all)).toEqual(['removed 1/1']);
  });

  it.each([
    ['more records than the prune names', 'DELETE FROM audit_journal WHERE number = 5', ['removed journal']],
    [
      'the record of the prune, too',
      "DELETE FROM audit_journal WHERE kind = 'prune'",
      ['removed journal', 'removed journal'],
    ],
    [
      'the prune in its own words',
      `UPDATE audit_journal SET body = replace(body, '"rows":2', '"rows":1') WHERE kind = 'prune'`,
      ['changed journal 7', 'removed journal'],
    ],
  ])('is detected as tampering where an attacker removes or changes %s', async (_, sql, found) => {
    const server = audited.server();
    await write(server, 'august');
    await command('august, too');
    at('2026-09-10');
    await write(server, 'september');
    await command('september, too');
    at('2026-11-10');
    await prune('2026-09-01');
    expect(await audited.verify()).toMatchObject({ findings: 0 });
    await audited.tamper(sql);
    const all = shortly((await audited.verify()).all);
    expect(all).toEqual(expect.arrayContaining(found));
  });

  it('is detected as tampering where an attacker restores removed rows', async () => {
    const server = audited.server();
    await write(server, 'august');
    await command('august, too');
    await audited.tamper('CREATE TABLE kept_rows AS SELECT * FROM audit');
    await audited.tamper('CREATE TABLE kept_records AS SELECT * FROM audit_journal');
    at('2026-10-10');
    await prune('2026-09-01');
    at('2026-11-10');
    await write(server, 'november');
    await command('november, too');
    await prune('2026-11-01');
    await audited.tamper(`INSERT INTO audit_journal SELECT * FROM kept_records
      WHERE number NOT IN (SELECT number FROM audit_journal)`);
    await audited.tamper('INSERT INTO audit SELECT * FROM kept_rows');
    const all = shortly((await audited.verify()).all);
    expect(all).toEqual(expect.arrayContaining(['inserted journal 2', 'inserted 1/1']));
    expect(all.filter((finding) => finding === 'inserted 1/1')).toHaveLength(2);
  });
});

describe('pruning beside servers at work', () => {
  /** A month to be dropped, and rows in it; and, whatever the date of the machine, the one that it is then. */
  async function oldMonth(): Promise<Database> {
    await audited.tamper("SELECT add_audit_month('2026-08-01T00:00:00Z')");
    await audited.tamper("SELECT add_audit_month('2026-11-01T00:00:00Z')");
    const server = audited.server();
    await write(server, 'august');
    at('2026-11-10');
    return server;
  }

  it('lets them write on, even while it waits for a reader of the trail', async () => {
    const server = await oldMonth();
    const pool = audited.server();
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
      pruning = audited.service(pool).prune(OPERATOR, { before: new Date('2026-09-01'), force: true });
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
    await oldMonth();
    const before = new Date('2026-09-01');
    const pools = [audited.server(), audited.server()];
    await Promise.all(pools.map((pool) => pool.audit.open()));
    const prunings: Promise<{ readonly months: readonly string[] }>[] = [];
    await audited.test.database.transact(async ({ sql }) => {
      // The first has done all but dropping the month, which the second still sees.
      await sql.raw('LOCK TABLE ONLY audit IN ACCESS SHARE MODE');
      for (const pool of pools) {
        prunings.push(audited.service(pool).prune(OPERATOR, { before, force: true }));
        prunings.forEach((pruning) => void pruning.catch(() => undefined));
        await untilWaiting(audited.test.database, prunings.length);
      }
    });
    const months = (await Promise.all(prunings)).flatMap((pruned) => pruned.months);
    expect(months).toEqual(['2026-08']);
    expect((await journal()).filter((record) => record.endsWith('prune'))).toHaveLength(1);
    expect(await audited.verify()).toMatchObject({ findings: 0 });
  });

  it('waits for a reader of the trail, from before the reader reads the journal', async () => {
    await oldMonth();
    const before = new Date('2026-09-01');
    const database = audited.server();
    let pruning: Promise<unknown> = Promise.resolve();
    const subjects = await new AuditStore({ database }).read(async (snapshot) => {
      const kinds: string[] = [];
      for await (const records of snapshot.records()) {
        kinds.push(...records.map((record) => record.kind));
      }
      expect(kinds).not.toContain('prune');
      pruning = audited.service(audited.server()).prune(OPERATOR, { before, force: true });
      await Promise.race([pruning, untilWaiting(audited.test.database)]);
      const found: string[] = [];
      for await (const rows of snapshot.rows()) {
        found.push(...rows.map((row) => row.subject));
      }
      return found;
    });
    expect(subjects).toEqual(['august']);
    await expect(pruning).resolves.toMatchObject({ months: ['2026-08'] });
  });

  it('leaves everything as it was when it is cut off in the middle', async () => {
    const server = await oldMonth();
    const pool = audited.server();
    const before = await journal();
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
      }
    });
    await expect(pruning).rejects.toMatchObject({ code: 'database.unavailable' });
    await write(server, 'november');
    expect((await journal()).filter((record) => !before.includes(record))).toEqual(['2 writer']);
    expect(await audited.verify()).toMatchObject({ rows: 2, findings: 0 });
    expect(await prune('2026-09-01')).toMatchObject({ rows: 1 });
    expect(await audited.verify()).toMatchObject({ findings: 0 });
  });
});

describe('a clock that is set', () => {
  it('back dates new rows by the clock again, and every lane can be cut at one place', async () => {
    const server = audited.server();
    at('2026-08-10');
    await write(server, 'august');
    at('2030-01-01');
    await write(server, 'far ahead');
    at('2026-08-11');
    await write(server, 'august again');
    at('2026-09-10');
    await write(server, 'september');
    at('2026-11-10');
    const times = await texts("SELECT to_char(at, 'YYYY-MM') AS text FROM audit ORDER BY id");
    expect(times).toEqual(['2026-08', '2030-01', '2026-08', '2026-09']);
    expect(await audited.verify()).toMatchObject({ rows: 4, findings: 0 });
    expect(await prune('2026-09-01')).toMatchObject({ rows: 2 });
    // The row of the future stays until that is over; it has a lane of its own.
    expect(await audited.verify()).toMatchObject({ findings: 0 });
  });
});
