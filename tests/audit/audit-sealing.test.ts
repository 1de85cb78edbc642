import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ServiceError } from '../../src/kernel/errors.ts';
import { nextCheckpoint } from '../../src/audit/checkpoint.ts';
import { auditEntry } from '../../src/audit/rows-store.ts';
import { insertCheckpoint, newestCheckpoint, rowsBetween } from '../../src/audit/trail-store.ts';
import type { Database } from '../../src/database/database.ts';
import { AuditedDatabase, foreignRow, shortly } from '../support/database/audited-database.ts';
import { OPERATOR } from '../support/values/callers.ts';
import { PATIENCE_MS } from '../support/values/until.ts';
import { ACT } from '../support/values/token-values.ts';

let audited: AuditedDatabase;
beforeEach(async () => {
  audited = await AuditedDatabase.create();
});
afterEach(() => audited.drop());

async function write(count: number, from = 1, server: Database = audited.test.database): Promise<void> {
  for (let number = from; number < from + count; number += 1) {
    await server.audit.autocommit.write(ACT, `subject ${number}`, 'done', ['north', 'south']);
  }
}

/** Rows 1 to 3 and 4 to 6 under a checkpoint each, 7 under the third, and 8, which is not sealed. */
async function eightRows(): Promise<void> {
  for (const [count, from] of [
    [3, 1],
    [3, 4],
    [1, 7],
  ] as const) {
    await write(count, from);
    await audited.seal();
  }
  await write(1, 8);
}

async function found(): Promise<readonly string[]> {
  return shortly((await audited.verify()).all);
}

describe('an untouched audit trail', () => {
  it('verifies, with the number of rows that are not sealed yet', async () => {
    await eightRows();
    expect(await audited.verify()).toMatchObject({ rows: 8, unsealed: 1, checkpoints: 3, all: [] });
  });

  it('is sealed by several servers at once while others write and roll back, each row once', async () => {
    const servers = [audited.server(), audited.server()];
    const sealers = servers.map((server) => audited.sealer(server));
    const attempts = Array.from({ length: 120 }, async (_, index) => {
      await servers[index % 2]?.transact(async ({ sql, audit }) => {
        await audit.write(ACT, `first ${index}`, 'done');
        await sql.raw('SELECT pg_sleep(0.005)');
        await audit.write(ACT, `second ${index}`, 'done');
        if (index % 3 === 0) {
          throw new ServiceError('token.exists', 'rolled back');
        }
      });
    });
    let isDone = false;
    const sealing = sealers.map(async (sealer) => {
      while (!isDone) {
        await sealer.seal(1_000);
      }
    });
    await Promise.allSettled(attempts);
    isDone = true;
    await Promise.all(sealing);
    await audited.seal();
    expect(await audited.verify()).toMatchObject({ rows: 160, unsealed: 0, all: [] });
  });

  it('waits with its seal for a transaction that may still commit rows before others', async () => {
    const server = audited.server();
    const sealer = audited.sealer();
    await audited.test.database.transact(async ({ audit }) => {
      await audit.write(ACT, 'slow', 'done');
      await write(1, 2, server);
      await sealer.seal(100);
      expect(await audited.verify()).toMatchObject({ rows: 1, unsealed: 1 });
    });
    await write(1, 3, server);
    await sealer.sealAll();
    expect(await audited.verify()).toMatchObject({ rows: 3, unsealed: 1, all: [] });
    await sealer.sealAll();
    expect(await audited.verify()).toMatchObject({ rows: 3, unsealed: 0, all: [] });
  });

  it('is sealed in parts where there are many rows', async () => {
    const entries = Array.from({ length: 2_100 }, (_, index) => auditEntry(ACT, `T${index}`, 'created'));
    await audited.test.database.transact(({ audit }) => audit.writeAll(entries));
    await audited.seal();
    expect(await audited.verify()).toMatchObject({ rows: 2_100, unsealed: 0, checkpoints: 3, all: [] });
  });

  it.each([
    "UPDATE audit SET outcome = 'accepted'",
    'DELETE FROM audit',
    'TRUNCATE audit',
    'DELETE FROM audit_checkpoints',
    "UPDATE audit_checkpoints SET leaves = ''",
  ])('is not changed by mistake: %s', async (sql) => {
    await eightRows();
    await expect(audited.test.database.knex.raw(sql)).rejects.toThrow('are only added');
  });
});

describe('an attacker with the database and no key', () => {
  it.each([
    ['at', "at = at + interval '1 microsecond'"],
    ['at, to another month', "at = at - interval '40 days'"],
    ['at, to none', "at = 'infinity'"],
    ['at, to one that reads the same', "at = (at::text || ' BC')::timestamptz"],
    ['actor', "actor = 'mallory'"],
    ['action', "action = 'other'"],
    ['subject', "subject = 'other'"],
    ['realm', "realm = 'south'"],
    ['outcome', "outcome = 'accepted'"],
    ['client', "client = ''"],
    ['request_id', "request_id = ''"],
    ['transaction_id', "transaction_id = 'another'"],
  ])('is found when the %s of a row is changed', async (_, change) => {
    await eightRows();
    await audited.tamper(`UPDATE audit SET ${change} WHERE id = 5`);
    expect(await found()).toEqual(['changed 5']);
  });

  it('is found when a text of a row is removed with its constraint', async () => {
    await eightRows();
    await audited.tamper('ALTER TABLE audit ALTER subject DROP NOT NULL');
    await audited.tamper('UPDATE audit SET subject = NULL WHERE id = 5');
    expect(await found()).toEqual(['changed 5']);
  });

  it.each([
    ['a row gets another id', 'UPDATE audit SET id = 1000 WHERE id = 5', ['removed 5']],
    ['a row is removed', 'DELETE FROM audit WHERE id = 5', ['removed 5']],
    ['rows at the beginning are removed', 'DELETE FROM audit WHERE id < 3', ['removed 1', 'removed 2']],
    ['a row is inserted before all', foreignRow('forged', 'now', '-5'), ['inserted -5']],
    [
      'a row is inserted among sealed ones',
      `DELETE FROM audit WHERE id = 5; ${foreignRow('forged', 'now', '5')}`,
      ['changed 5'],
    ],
    [
      'two rows change places',
      `UPDATE audit SET id = -id WHERE id IN (2, 5); UPDATE audit SET id = 7 + id WHERE id < 0`,
      ['changed 2', 'changed 5'],
    ],
    ['a checkpoint is removed', 'DELETE FROM audit_checkpoints WHERE number = 2', ['removed checkpoint 2-2']],
    [
      'the first checkpoint is removed',
      'DELETE FROM audit_checkpoints WHERE number = 1',
      ['removed checkpoint 1-1'],
    ],
    [
      'the list of a checkpoint is removed with its rows',
      "DELETE FROM audit WHERE id BETWEEN 4 AND 6; UPDATE audit_checkpoints SET leaves = '' WHERE number = 2",
      ['removed'],
    ],
    [
      'months are said to be pruned',
      `DELETE FROM audit WHERE id < 7; UPDATE audit_checkpoints SET prunes = '2999-01' WHERE number = 3`,
      ['changed checkpoint 3'],
    ],
  ])('is found when %s', async (_, sql, expected) => {
    await eightRows();
    await audited.tamper(sql);
    const all = await found();
    expect([...all].sort()).toEqual([...expected].sort());
  });

  it('is found when a row is copied under its id', async () => {
    await eightRows();
    await audited.tamper(`INSERT INTO audit
      SELECT (jsonb_populate_record(audit, '{"at": "2027-01-01"}')).* FROM audit WHERE id = 5`);
    expect(await found()).toContain('inserted 5');
  });

  it.each([
    ['at', "at = at + interval '1 second'"],
    ['month', "month = '2020-01'"],
    ['bounds', 'after_id = after_id + 1'],
    ['number of rows', 'row_count = 2'],
    ['promise', 'vouches = false'],
    ['key', "key_id = '0123456789abcdef'"],
    ['signature', 'signature = set_byte(signature, 3, get_byte(signature, 3) # 1)'],
    ['hash', "hash = sha256('x')"],
    ['previous hash', "prev_hash = sha256('x')"],
  ])('is found when the %s of a checkpoint is changed', async (_, change) => {
    await eightRows();
    await audited.tamper(`UPDATE audit_checkpoints SET ${change} WHERE number = 2`);
    expect(await found()).toContain('changed checkpoint 2');
  });

  it.each([
    ['that the installation does not have', true],
    ['that it names as one of the installation', false],
  ])('is found when a checkpoint is forged with a key %s, and when it is sealed over', async (_, isOther) => {
    await eightRows();
    const forger = await AuditedDatabase.create();
    try {
      const mine = audited.authority.keys()[0].keyId;
      forger.keys = [Buffer.alloc(32, 66)];
      const theirs = forger.authority.sign.bind(forger.authority);
      const keyId = isOther ? forger.authority.keys()[0].keyId : mine;
      const forged = Object.assign(forger.authority, {
        keys: () => [{ keyId, publicKey: Buffer.alloc(32) }],
        sign: theirs,
      });
      await audited.test.database.knex.transaction(async (sql) => {
        const bounds = { after: '7', until: '8', limit: 10 };
        const draft = {
          at: '2026-11-20T12:00:00.000000Z',
          month: '2026-11',
          rows: await rowsBetween(sql, bounds),
        };
        await insertCheckpoint(sql, nextCheckpoint(await newestCheckpoint(sql), draft, forged));
      });
    } finally {
      await forger.drop();
    }
    expect(await found()).toEqual(['changed checkpoint 4']);
    await write(1, 9);
    audited.clock.time = new Date(audited.clock.time.getTime() + 3_600_000);
    await audited.sealer().sealAll();
    expect(await audited.verify()).toMatchObject({ checkpoints: 5, unsealed: 0 });
    expect(await found()).toEqual(['changed checkpoint 4']);
  });

  it('is found when what a restored installation has sealed is exchanged for what it had sealed before', async () => {
    await eightRows();
    await audited.seal();
    const { knex } = audited.test.database;
    await knex.raw('CREATE TABLE kept AS SELECT * FROM audit WHERE id = 8');
    await knex.raw('CREATE TABLE kept_checkpoints AS SELECT * FROM audit_checkpoints WHERE number = 4');
    await audited.tamper('DELETE FROM audit WHERE id > 6; DELETE FROM audit_checkpoints WHERE number > 2');
    await audited.tamper("SELECT setval('audit_id_seq', 6)");
    await write(1, 70);
    await audited.seal();
    expect(await found()).toEqual([]);
    await audited.tamper(
      'INSERT INTO audit SELECT * FROM kept; INSERT INTO audit_checkpoints SELECT * FROM kept_checkpoints',
    );
    expect(await found()).toEqual(['changed checkpoint 4']);
  });

  it('is found when sealed rows and the newest checkpoints are removed, by a checkpoint of the log alone', async () => {
    await eightRows();
    const checkpoint = await audited.seal();
    expect((await audited.verify(checkpoint)).all).toEqual([]);
    await audited.tamper('DELETE FROM audit WHERE id > 6; DELETE FROM audit_checkpoints WHERE number > 2');
    await write(1, 9);
    await audited.seal();
    expect((await audited.verify()).all).toEqual([]);
    expect(shortly((await audited.verify(checkpoint)).all)).toEqual(['removed checkpoint']);
  });

  it('is found when everything is removed, while there is an administrator', async () => {
    await audited.test.database.knex('administrators').insert({ name: 'alice', password_hash: 'hash' });
    await audited.test.database.audit.autocommit.write(
      { ...ACT, action: 'administrator/add' },
      'alice',
      'created',
    );
    await audited.seal();
    expect((await audited.verify()).all).toEqual([]);
    await audited.tamper('TRUNCATE audit, audit_checkpoints');
    await eightRows();
    expect((await audited.verify()).all).toMatchObject([
      { kind: 'removed', target: 'row', reason: "none tells who made the administrator 'alice'" },
    ]);
  });
});

describe('keys of the installation', () => {
  it('that are no longer there are vouched for by those that came after them', async () => {
    const [first, second, third] = [7, 8, 9].map((byte) => Buffer.alloc(32, byte)) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    for (const keys of [[first], [second, first], [third, second], [third]]) {
      audited.keys = keys;
      await write(2);
      await audited.seal();
    }
    expect(await audited.verify()).toMatchObject({ rows: 8, unsealed: 0, all: [] });
    audited.keys = [Buffer.alloc(32, 1)];
    expect(await found()).toEqual(['changed checkpoint 4']);
  });

  it('that a server does not have yet let others seal', async () => {
    const [old, fresh] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];
    audited.keys = [fresh, old];
    await write(1);
    await audited.seal();
    audited.keys = [old];
    await write(1);
    await audited.sealer().sealAll();
    audited.keys = [fresh, old];
    expect(await audited.verify()).toMatchObject({ checkpoints: 1, unsealed: 1, all: [] });
    await audited.seal();
    expect(await audited.verify()).toMatchObject({ checkpoints: 2, unsealed: 0, all: [] });
  });
});

describe('a checkpoint that keeps rows from being sealed', () => {
  const later = (minutes: number): void => {
    audited.clock.time = new Date(audited.clock.time.getTime() + minutes * 60_000);
  };

  it.each([0, 40])('of an unknown key, %d minutes ahead, is told of after five minutes', async (ahead) => {
    const at = (): string =>
      `'${new Date(audited.clock.time.getTime() + ahead * 60_000).toISOString()}'::timestamptz`;
    const sealer = audited.sealer();
    await eightRows();
    await audited.tamper(`INSERT INTO audit_checkpoints
      SELECT number + 1, ${at()}, month, after_id, last_id, row_count, leaves, leaves_hash, prunes, vouches, prev_hash,
        'other', hash, signature
      FROM audit_checkpoints ORDER BY number DESC LIMIT 1`);
    // Renewed, it is as young each time.
    for (let time = 0; time < 2; time += 1) {
      await audited.tamper(`UPDATE audit_checkpoints SET at = ${at()} WHERE key_id = 'other'`);
      expect(await sealer.seal(PATIENCE_MS)).toBe(false);
      later(3);
    }
    await expect(sealer.seal(PATIENCE_MS)).rejects.toThrow('does not have the key of the newest checkpoint');
    later(120);
    await sealer.sealAll();
    expect(await audited.verify()).toMatchObject({ unsealed: 0 });
    expect(await found()).not.toEqual([]);
  });

  it('is told of where its rows are those to come, and does not keep the trail from being exported', async () => {
    await eightRows();
    await audited.tamper("SELECT setval('audit_id_seq', 3)");
    await expect(audited.sealer().seal(PATIENCE_MS)).rejects.toThrow('behind its newest checkpoint');
    const lines: string[] = [];
    const write = (text: string): Promise<void> =>
      Promise.resolve(void lines.push(...text.trim().split('\n')));
    await audited.service().export(OPERATOR, { format: 'jsonl' }, write);
    expect(lines.filter((line) => line.includes('"subject 8"'))).toHaveLength(1);
  });
});
