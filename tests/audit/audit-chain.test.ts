import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ServiceError } from '../../src/kernel/errors.ts';
import { auditEntry } from '../../src/audit/rows-store.ts';
import type { Database } from '../../src/database/database.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import { AuditedDatabase, shortly, unsignedRow } from '../support/database/audited-database.ts';
import { ACT, tokenValue } from '../support/values/token-values.ts';

let audited: AuditedDatabase;
beforeEach(async () => {
  audited = await AuditedDatabase.create();
});
afterEach(() => audited.drop());

/** Writes rows one after the other, so into one lane. */
async function write(server: Database, count: number, from = 1): Promise<void> {
  for (let number = from; number < from + count; number += 1) {
    await server.audit.autocommit.write(ACT, `subject ${number}`, 'done', ['north', 'south']);
  }
}

/** Ten rows of one writer in one lane, the last five behind the last checkpoint. */
async function tenRows(): Promise<Database> {
  const server = audited.server();
  await write(server, 5);
  await server.audit.checkpoint();
  await write(server, 5, 6);
  return server;
}

/** Rows with a signature of their own, rows that share one, and again one of its own, all in one lane. */
async function mixedRows(): Promise<void> {
  const server = audited.server();
  const entries = [3, 4, 5, 6, 7].map((number) => auditEntry(ACT, `subject ${number}`, 'done'));
  await write(server, 2);
  await server.audit.autocommit.writeAll(entries);
  await write(server, 1, 8);
  await server.audit.checkpoint();
}

describe('rows that share a signature', () => {
  it('verify beside rows with a signature of their own', async () => {
    await mixedRows();
    expect(await audited.verify()).toMatchObject({ rows: 8, findings: 0 });
    const signatures = await audited.test.database.knex('audit').orderBy('id').pluck<Buffer[]>('signature');
    const lengths = signatures.map(({ length }) => length);
    const path = 64 + 2;
    expect(lengths).toEqual([64, 64, ...[96, 96, 96, 96].map((nodes) => path + nodes), path + 32, 64]);
  });

  it.each([
    ['a text', "outcome = 'undone'"],
    ['a byte of the path', 'signature = set_byte(signature, 70, get_byte(signature, 70) # 1)'],
    ['the place in the tree', 'signature = set_byte(signature, 64, 0)'],
    ['the size of the tree', 'signature = set_byte(signature, 65, 6)'],
    ['the path of another row', "signature = (SELECT signature FROM audit WHERE subject = 'subject 4')"],
    ['no path', 'signature = substring(signature for 64)'],
    ['no signature', "signature = ''"],
  ])('are reported alone where one has a change: %s', async (_title, change) => {
    await mixedRows();
    await audited.tamper(`UPDATE audit SET ${change} WHERE subject = 'subject 5'`);
    expect(shortly((await audited.verify()).all)).toEqual(['changed 1/5']);
  });

  it('are reported where one is missing', async () => {
    await mixedRows();
    await audited.tamper("DELETE FROM audit WHERE subject = 'subject 5'");
    expect(shortly((await audited.verify()).all)).toEqual(['removed 1/5']);
  });
});

describe('an untouched audit trail', () => {
  it('verifies, with every row and its place', async () => {
    await tenRows();
    const result = await audited.verify();
    expect(result).toMatchObject({ rows: 10, findings: 0, all: [] });
    const row: unknown = await audited.test.database.knex('audit').where({ subject: 'subject 3' }).first();
    expect(row).toMatchObject({
      actor: ACT.actor,
      action: ACT.action,
      outcome: 'done',
      realm: 'north,south',
      client: ACT.client,
      request_id: ACT.requestId,
      lane: 1,
      seq: '3',
    });
  });

  it('verifies with many writers at once, of which some roll back', async () => {
    const servers = [audited.server(), audited.server()];
    const attempts = Array.from({ length: 160 }, async (_, index) => {
      const server = servers[index % 2] ?? servers[0];
      await server?.transact(async ({ sql, audit }) => {
        await audit.write(ACT, `first ${index}`, 'done');
        await sql.raw('SELECT pg_sleep(0.005)');
        await audit.write(ACT, `second ${index}`, 'done');
        if (index % 3 === 0) {
          throw new ServiceError('token.exists', 'rolled back');
        }
      });
    });
    const ends = await Promise.allSettled(attempts);
    const failures = ends.flatMap((end) =>
      end.status === 'rejected' ? [(end.reason as Error).message] : [],
    );
    expect(failures).toEqual(failures.map(() => 'rolled back'));
    const done = ends.length - failures.length;
    expect(done).toBe(106);
    expect(await audited.verify()).toMatchObject({ rows: 2 * done, findings: 0 });
    const [{ lanes } = { lanes: '' }] = await audited.test.database
      .knex('audit')
      .countDistinct('lane as lanes');
    // As many as there are connections in a pool, and no transaction has waited for another one's lane.
    expect(Number(lanes)).toBeLessThanOrEqual(10);
    expect(Number(lanes)).toBeGreaterThan(1);
  });

  it('verifies after transactions with an unknown end', async () => {
    const server = audited.server();
    await write(server, 2);
    const lost = server.transact(async ({ sql, audit }) => {
      await audit.write(ACT, 'lost', 'done');
      await sql.raw('SELECT pg_terminate_backend(pg_backend_pid())');
    });
    await expect(lost).rejects.toMatchObject({ code: 'database.unavailable' });
    await write(server, 2, 3);
    expect(await audited.verify()).toMatchObject({ rows: 4, findings: 0 });
  });

  it('keeps the order of rows that one statement writes', async () => {
    const server = audited.server();
    const entries = Array.from({ length: 500 }, (_, index) => auditEntry(ACT, `T${index}`, 'created'));
    await server.transact(({ audit }) => audit.writeAll(entries));
    expect(await audited.verify()).toMatchObject({ rows: 500, findings: 0 });
    const subjects = await audited.test.database.knex('audit').orderBy('seq').pluck<string[]>('subject');
    expect(subjects).toEqual(entries.map(({ subject }) => subject));
  });

  it('has no row of an act that was rolled back', async () => {
    const server = audited.server();
    const tokens = new TokenStore({ database: server });
    await tokens.insert(tokenValue('T1'), ACT);
    await expect(tokens.insert(tokenValue('T1'), ACT)).rejects.toMatchObject({ code: 'token.exists' });
    await tokens.removeAll(['T1'], ACT);
    expect(await audited.verify()).toMatchObject({ rows: 2, findings: 0 });
  });
});

describe('an attacker with the database and no key', () => {
  it.each([
    ['at', "at = at + interval '1 microsecond'"],
    ['id', 'id = id + 1000'],
    ['actor', "actor = 'mallory'"],
    ['action', "action = 'other'"],
    ['subject', "subject = 'other'"],
    ['realm', "realm = 'south'"],
    ['outcome', "outcome = 'accepted'"],
    ['client', "client = ''"],
    ['request_id', "request_id = ''"],
    ['transaction_id', "transaction_id = 'another'"],
    ['prev_hash', "prev_hash = sha256('x')"],
    ['hash', "hash = sha256('x')"],
    ['signature', "signature = signature || 'x'"],
  ])('is found when the %s of a row is changed', async (_, change) => {
    await tenRows();
    await audited.tamper(`UPDATE audit SET ${change} WHERE subject = 'subject 3'`);
    const { all } = await audited.verify();
    expect(shortly(all)).toEqual(['changed 1/3']);
    expect(all[0]?.id).not.toBeNull();
  });

  it.each([
    ['another lane', 'lane = 2', ['removed 1/3', 'removed 2/1-2', 'changed 2/3']],
    ['another place', 'seq = 20', ['removed 1/3', 'removed 1/11-19', 'changed 1/20']],
    ['no writer', 'writer = 0', ['inserted 1/3', 'removed 1/3']],
    ['an unknown writer', 'writer = 99', ['removed 1/3', 'inserted 1/3']],
    ['another month', "at = at - interval '40 days'", ['changed 1/3']],
  ])('is found when a row is moved to %s', async (_, change, found) => {
    await tenRows();
    await audited.tamper(`UPDATE audit SET ${change} WHERE subject = 'subject 3'`);
    expect(shortly((await audited.verify()).all)).toEqual(found);
  });

  it.each([
    ['in the middle', "subject = 'subject 3'", ['removed 1/3']],
    ['at the beginning', "subject IN ('subject 1', 'subject 2')", ['removed 1/1-2']],
    ['all in front of a checkpoint', "subject <> 'subject 10'", ['removed 1/1-9']],
    ['all', 'true', ['removed 1/1-5']],
  ])('is found when rows are removed %s', async (_, which, found) => {
    await tenRows();
    await audited.tamper(`DELETE FROM audit WHERE ${which}`);
    expect(shortly((await audited.verify()).all)).toEqual(found);
  });

  it('is found when rows are removed at the end, once a checkpoint has named them', async () => {
    const server = await tenRows();
    await server.close();
    await audited.tamper("DELETE FROM audit WHERE subject IN ('subject 9', 'subject 10')");
    expect(shortly((await audited.verify()).all)).toEqual(['removed 1/9-10']);
  });

  it('is found when a row is copied', async () => {
    await tenRows();
    await audited.tamper(`INSERT INTO audit SELECT (jsonb_populate_record(audit, '{"id": 5}')).* FROM audit
      WHERE subject = 'subject 3'`);
    expect(shortly((await audited.verify()).all)).toEqual(['inserted 1/3']);
  });

  it('is found when a row is written without a signature, even before any signed row', async () => {
    await audited.tamper(unsignedRow('old', 'now'));
    await tenRows();
    await audited.tamper(unsignedRow('forged', 'now'));
    const { all } = await audited.verify();
    expect(shortly(all)).toEqual(['inserted 0/0', 'inserted 0/0']);
  });

  it('is found when two rows change places', async () => {
    await tenRows();
    await audited.tamper(`UPDATE audit SET seq = 7 - seq WHERE seq IN (3, 4)`);
    expect(shortly((await audited.verify()).all)).toEqual(['changed 1/3', 'changed 1/4']);
  });

  it('cannot add a writer', async () => {
    await tenRows();
    const forged = audited.server(false);
    await write(forged, 2, 11);
    const { all } = await audited.verify();
    expect(shortly(all)).toEqual(['inserted journal 3', 'inserted 1/1', 'inserted 1/2']);
  });

  it.each([
    [
      'changed',
      "UPDATE audit_journal SET body = replace(body, '5', '4') WHERE kind = 'checkpoint'",
      'changed journal 2',
    ],
    ['removed', "DELETE FROM audit_journal WHERE kind = 'checkpoint'", 'removed journal'],
  ])('is found when a record of the journal is %s', async (_, sql, found) => {
    await tenRows();
    await write(audited.server(), 1, 11);
    await audited.tamper(sql);
    expect(shortly((await audited.verify()).all)).toEqual([found]);
  });

  it('is found by a checkpoint from the log when the end of trail and journal is cut off', async () => {
    const server = await tenRows();
    const checkpoint = await server.audit.checkpoint();
    expect(await audited.verify(checkpoint)).toMatchObject({ findings: 0 });
    await audited.tamper('DELETE FROM audit WHERE seq > 5');
    await audited.tamper('DELETE FROM audit_journal WHERE number > 2');
    expect(await audited.verify()).toMatchObject({ findings: 0 });
    expect(shortly((await audited.verify(checkpoint)).all)).toEqual(['removed journal']);
  });
});

describe('keys of the installation', () => {
  it('that are no longer there are vouched for by those that came after them', async () => {
    const [first, second, third] = [7, 8, 9].map((byte) => Buffer.alloc(32, byte)) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    await write(audited.server(), 2);
    audited.keys = [second, first];
    await write(audited.server(), 2);
    audited.keys = [third, second];
    await write(audited.server(), 2);
    audited.keys = [third];
    expect(await audited.verify()).toMatchObject({ rows: 6, findings: 0 });
    audited.keys = [Buffer.alloc(32, 1)];
    expect((await audited.verify()).all.filter(({ of }) => of === 'row')).toHaveLength(6);
  });
});
