import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';

import type { AuditFinding } from '../../../src/audit/verification.ts';
import type { AuditRow } from '../../../src/audit/audit-row.ts';
import type { JournalRecord } from '../../../src/audit/journal-record.ts';
import { verifyTrail } from '../../../src/audit/verify-trail.ts';
import { AdministratorStore } from '../../../src/administrators/administrator-store.ts';
import { auditEntry } from '../../../src/audit/rows-store.ts';
import { AuditStore } from '../../../src/audit/audit-store.ts';
import type { Database } from '../../../src/database/database.ts';
import { registerKey } from '../../support/application/test-keys.ts';
import { campaignSeed, shortOrLong } from '../../support/campaign.ts';
import { AuditedDatabase, shortly } from '../../support/database/audited-database.ts';
import { OPERATOR } from '../../support/values/callers.ts';
import { ACT } from '../../support/values/token-values.ts';

// Signatures by the thousand, which take some seconds of a machine that has nothing else to do.
jest.setTimeout(1_200_000);

const RUNS = shortOrLong(200, 4_000);
/** A failure names it, for CAMPAIGN_SEED. */
const SEED = campaignSeed(20_261_125);

interface Trail {
  readonly rows: readonly AuditRow[];
  readonly records: readonly JournalRecord[];
}

let audited: AuditedDatabase;
let trail: Trail;
beforeAll(async () => {
  audited = await AuditedDatabase.create();
  await writeTrail();
  trail = await readTrail();
});
afterAll(() => audited.drop());

/**
 * Three writers with several lanes, each at its end but one; the last one ends with a checkpoint, too. A quarter of the
 * rows share a signature with others.
 */
async function writeTrail(): Promise<void> {
  for (let writer = 1; writer <= 3; writer += 1) {
    const server = audited.server();
    for (let round = 1; round <= 4; round += 1) {
      await Promise.all(
        [1, 2, 3].map((number) =>
          server.transact(async ({ sql, audit }) => {
            await audit.write(ACT, `${writer} ${round} ${number}`, 'done', ['north']);
            await sql.raw('SELECT pg_sleep(0.01)');
          }),
        ),
      );
      const together = [1, 2, 3].map((number) => auditEntry(ACT, `${writer} ${round} ${number}`, 'shared'));
      await server.audit.autocommit.writeAll(together);
      await server.audit.checkpoint();
    }
    await server.close();
  }
}

async function readTrail(): Promise<Trail> {
  const store = new AuditStore({ database: audited.test.database });
  return store.read(async (snapshot) => {
    const rows: AuditRow[] = [];
    const records: JournalRecord[] = [];
    for await (const some of snapshot.records()) {
      records.push(...some);
    }
    for await (const some of snapshot.rows()) {
      rows.push(...some);
    }
    return { rows, records };
  });
}

async function verify({ rows, records }: Trail): Promise<readonly AuditFinding[]> {
  const inOrder = [...rows].sort(
    (left, right) =>
      left.writer - right.writer ||
      left.lane - right.lane ||
      left.seq - right.seq ||
      Number(BigInt(left.id) - BigInt(right.id)),
  );
  const found: AuditFinding[] = [];
  const keys = audited.authority.keys();
  const snapshot = {
    records: async function* () {
      yield await Promise.resolve([...records].sort((left, right) => left.number - right.number));
    },
    rows: async function* () {
      yield await Promise.resolve(inOrder);
    },
  };
  await verifyTrail(snapshot, { keys, report: (finding) => found.push(finding) });
  return found;
}

const bytes = (given: Buffer, at: number): Buffer => {
  const copy = Buffer.from(given);
  copy.writeUInt8(copy.readUInt8(at % copy.length) ^ 1, at % copy.length);
  return copy;
};

function nth<Item>(list: readonly Item[], number: number): Item {
  const item = list[number % list.length];
  if (item === undefined) {
    throw new Error('The trail is empty');
  }
  return item;
}

/** Every column of a row, and a way to change it. */
const CHANGES: Readonly<Record<keyof AuditRow, (row: AuditRow, how: number) => AuditRow>> = {
  id: (row, how) => ({ ...row, id: String(BigInt(row.id) + 100_000n + BigInt(how)) }),
  at: (row) => ({ ...row, at: row.at.replace('Z', '1Z') }),
  actor: (row, how) => ({ ...row, actor: `${row.actor}${how}` }),
  action: (row, how) => ({ ...row, action: `${row.action}${how}` }),
  subject: (row, how) => ({ ...row, subject: `${row.subject}${how}` }),
  realm: (row, how) => ({ ...row, realm: `${row.realm}${how}` }),
  outcome: (row, how) => ({ ...row, outcome: `${row.outcome}${how}` }),
  client: (row, how) => ({ ...row, client: `${row.client}${how}` }),
  requestId: (row, how) => ({ ...row, requestId: `${row.requestId}${how}` }),
  transaction: (row, how) => ({ ...row, transaction: `${row.transaction}${how}` }),
  writer: (row, how) => ({ ...row, writer: row.writer + 1 + how }),
  lane: (row, how) => ({ ...row, lane: row.lane + 1 + how }),
  seq: (row, how) => ({ ...row, seq: row.seq + 1 + how }),
  prevHash: (row, how) => ({ ...row, prevHash: bytes(row.prevHash, how) }),
  hash: (row, how) => ({ ...row, hash: bytes(row.hash, how) }),
  // Also the path, where the row has one.
  signature: (row, how) => ({ ...row, signature: bytes(row.signature, how * 5) }),
};

const spot = fc.nat({ max: 10_000 });
const edits = fc.oneof(
  fc.record({
    kind: fc.constant('change' as const),
    spot,
    column: fc.constantFrom(...(Object.keys(CHANGES) as (keyof AuditRow)[])),
    how: fc.nat({ max: 40 }),
  }),
  fc.record({ kind: fc.constant('remove' as const), spot }),
  fc.record({ kind: fc.constant('copy' as const), spot, how: fc.nat({ max: 40 }) }),
  fc.record({ kind: fc.constant('swap' as const), spot, other: spot }),
);
type Edit = typeof edits extends fc.Arbitrary<infer Kind> ? Kind : never;

/** @returns the trail after the edit, and the rows that a finding must name */
function apply(edit: Edit): { readonly rows: readonly AuditRow[]; readonly about: readonly AuditRow[] } {
  const row = nth(trail.rows, edit.spot);
  const others = trail.rows.filter((one) => one !== row);
  switch (edit.kind) {
    case 'change':
      return { rows: [...others, CHANGES[edit.column](row, edit.how)], about: [row] };
    case 'remove':
      return { rows: others, about: [row] };
    case 'copy': {
      const copy = { ...row, id: String(BigInt(row.id) + 100_000n + BigInt(edit.how)) };
      return { rows: [...trail.rows, copy], about: [copy] };
    }
    case 'swap': {
      const other = nth(others, edit.other);
      const place = ({ writer, lane, seq }: AuditRow): Partial<AuditRow> => ({ writer, lane, seq });
      const swapped = [
        { ...row, ...place(other) },
        { ...other, ...place(row) },
      ];
      return { rows: [...others.filter((one) => one !== other), ...swapped], about: [row, other] };
    }
  }
}

/** By its id, or, where it is gone, by its place. */
function isNamed(row: AuditRow, findings: readonly AuditFinding[]): boolean {
  return findings.some(({ id, writer, lane, seq }) => {
    const [first = 0, last = first] = (seq ?? '').split('-').map(Number);
    const isThere = writer === row.writer && lane === row.lane && first <= row.seq && row.seq <= last;
    return id === row.id || isThere;
  });
}

describe('any single edit of a trail without a key', () => {
  it('is found, and the row is named', async () => {
    expect(await verify(trail)).toEqual([]);
    await fc.assert(
      fc.asyncProperty(edits, async (edit) => {
        const { rows, about } = apply(edit);
        const findings = await verify({ ...trail, rows });
        expect(about.filter((row) => !isNamed(row, findings))).toEqual([]);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  it('of the journal is found, and the record is named', async () => {
    const columns = ['at', 'kind', 'writer', 'keyId', 'body', 'prevHash', 'hash', 'signature'] as const;
    const change = (record: JournalRecord, column: (typeof columns)[number]): JournalRecord => {
      const value = record[column];
      if (Buffer.isBuffer(value)) {
        return { ...record, [column]: bytes(value, 5) };
      }
      return { ...record, [column]: typeof value === 'number' ? value + 1 : `${value} ` };
    };
    await fc.assert(
      fc.asyncProperty(spot, fc.constantFrom(...columns, 'removed' as const), async (where, column) => {
        // The last one can be cut off: what anchors it is the log.
        const record = nth(trail.records.slice(0, -1), where);
        const others = trail.records.filter((one) => one !== record);
        const records = column === 'removed' ? others : [...others, change(record, column)];
        const findings = await verify({ ...trail, records });
        const number = String(record.number);
        const isReported = findings.some(({ of, id, reason }) =>
          column === 'removed'
            ? reason.includes(`record ${number} of the journal`)
            : of === 'journal' && id === number,
        );
        expect(isReported).toBe(true);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  it('is found with any number of rows for one place', async () => {
    const rows = [...trail.rows];
    const [row] = rows as [AuditRow];
    for (let number = 1; number <= 5_000; number += 1) {
      rows.push({ ...row, id: String(BigInt(row.id) + 100_000n + BigInt(number)) });
    }
    const findings = await verify({ ...trail, rows });
    expect(findings).toHaveLength(5_000);
    expect(new Set(findings.map(({ kind }) => kind))).toEqual(new Set(['inserted']));
  });
});

describe('a trail that is emptied', () => {
  let attacked: AuditedDatabase;
  beforeEach(async () => {
    attacked = await AuditedDatabase.create();
    attacked.clock.time = new Date('2026-08-10T12:00:00Z');
    const server = attacked.server();
    await register(server);
    await server.audit.open();
    await add(server, 'alice');
    await server.close();
    expect(await attacked.verify()).toMatchObject({ rows: 1, findings: 0 });
  });
  afterEach(() => attacked.drop());

  const register = (server: Database): Promise<unknown> =>
    registerKey(server, { keyId: '0123456789abcdef', canary: Buffer.alloc(1) });
  const add = (server: Database, name: string): Promise<void> =>
    new AdministratorStore({ database: server }).insert(name, 'hash', {
      ...ACT,
      action: 'administrator/add',
    });
  const reasons = async (): Promise<readonly string[]> =>
    (await attacked.verify()).all.map(({ kind, of, reason }) => `${kind} ${of}: ${reason}`);
  const EMPTY = "removed row: there is none at all, though there is the administrator 'alice'";
  const EVERYTHING = 'TRUNCATE audit, audit_journal';

  it.each(['TRUNCATE audit', EVERYTHING, 'DELETE FROM audit; DELETE FROM audit_journal'])(
    'does not verify while there is an administrator: %s',
    async (sql) => {
      await attacked.tamper(sql);
      expect(await reasons()).toContain(EMPTY);
    },
  );

  it('does not verify while there is a key, though the administrators were removed as well', async () => {
    await attacked.tamper(`${EVERYTHING}; DELETE FROM administrators`);
    expect(await reasons()).toEqual([
      'removed row: there is none at all, and no journal, though the encryption key 0123456789abcdef is in use',
    ]);
  });

  it('does not verify when servers have begun another one without the earlier administrators', async () => {
    await attacked.tamper(EVERYTHING);
    const server = attacked.server();
    await add(server, 'bob');
    await server.audit.autocommit.write(ACT, 'alice', 'created');
    await server.close();
    expect(await reasons()).toEqual(["removed row: none tells who made the administrator 'alice'"]);
  });

  it('does not verify for an administrator who was inserted into the database', async () => {
    await attacked.tamper("INSERT INTO administrators (name, password_hash) VALUES ('eve', 'hash')");
    expect(await reasons()).toEqual(["removed row: none tells who made the administrator 'eve'"]);
  });

  it('verifies after the month that recorded the administrators was pruned, and not when it is emptied then', async () => {
    attacked.clock.time = new Date('2026-10-10T12:00:00Z');
    const server = attacked.server();
    const pruned = await attacked
      .service(server)
      .prune(OPERATOR, { before: new Date('2026-09-01'), force: false });
    await server.close();
    expect(pruned.rows).toBe(1);
    expect(await reasons()).toEqual([]);
    await attacked.tamper(EVERYTHING);
    expect(await reasons()).toEqual([EMPTY]);
  });

  it('verifies where no act was recorded: with no key, or one and its journal', async () => {
    const fresh = await AuditedDatabase.create();
    try {
      expect(await fresh.verify()).toMatchObject({ rows: 0, records: 0, findings: 0 });
      const server = fresh.server();
      await register(server);
      await server.audit.open();
      expect(await fresh.verify()).toMatchObject({ rows: 0, findings: 0 });
    } finally {
      await fresh.drop();
    }
  });
});

describe('values that no server writes', () => {
  it.each([
    ['an instant before Christ that reads the same', "at = (at::text || ' BC')::timestamptz"],
    ['a time without end', "at = 'infinity'"],
    ['a time without beginning', "at = '-infinity'"],
  ])('are found: %s', async (_, change) => {
    const attacked = await AuditedDatabase.create();
    try {
      const server = attacked.server();
      await server.audit.autocommit.write(ACT, 'first', 'done');
      await server.audit.autocommit.write(ACT, 'second', 'done');
      await attacked.tamper(`UPDATE audit SET ${change} WHERE subject = 'first'`);
      expect(shortly((await attacked.verify()).all)).toEqual(['changed 1/1']);
    } finally {
      await attacked.drop();
    }
  });

  it.each(['actor', 'subject', 'realm', 'request_id', 'prev_hash', 'hash', 'signature'])(
    'are found: nothing at all as %s',
    async (column) => {
      const attacked = await AuditedDatabase.create();
      try {
        await attacked.server().audit.autocommit.write({ ...ACT, actor: '' }, 'first', 'done');
        await attacked.tamper(`ALTER TABLE audit ALTER ${column} DROP NOT NULL`);
        await attacked.tamper(`UPDATE audit SET ${column} = NULL`);
        expect(shortly((await attacked.verify()).all)).toEqual(['changed 1/1']);
      } finally {
        await attacked.drop();
      }
    },
  );
});
