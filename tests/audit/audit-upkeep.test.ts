import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { readExportedTrail } from '../../src/audit/export-trail.ts';
import { type AuditFinding, verifyTrail } from '../../src/audit/verification.ts';
import { AuditRetention, type AuditService } from '../../src/audit/audit-service.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import type { AuditRow } from '../../src/audit/audit-row.ts';
import type { AuditFilter } from '../../src/audit/audit-row.ts';
import { AuditStore } from '../../src/audit/audit-store.ts';
import { auditUpkeep } from '../../src/audit/audit-upkeep.ts';
import { ensureAuditMonths } from '../../src/audit/pruning-store.ts';
import type { Database } from '../../src/database/database.ts';
import { AuditedDatabase, shortly } from '../support/database/audited-database.ts';
import { OPERATOR, callerNamed } from '../support/values/callers.ts';
import { ACT } from '../support/values/token-values.ts';
import { expectSoon } from '../support/values/expect-soon.ts';

let audited: AuditedDatabase;
beforeEach(async () => {
  audited = await AuditedDatabase.create();
  audited.clock.time = new Date('2026-11-20T12:00:00Z');
});
afterEach(() => audited.drop());

/** Three rows a month, from August to November 2026, and another one in September. */
async function fourMonths(): Promise<Database> {
  const server = audited.server();
  for (const month of ['2026-08', '2026-09', '2026-10', '2026-11']) {
    audited.clock.time = new Date(`${month}-20T12:00:00Z`);
    for (const number of [1, 2, 3]) {
      await server.audit.autocommit.write(ACT, `${month} ${number}`, number === 3 ? 'refused' : 'done', [
        'north',
      ]);
    }
    if (month === '2026-09') {
      await server.audit.autocommit.write(ACT, 'another', 'done');
    }
  }
  await audited.seal();
  return server;
}

const subjects = (): Promise<string[]> =>
  audited.test.database.knex('audit').orderBy(['at', 'id']).pluck<string[]>('subject');

async function partitions(): Promise<readonly string[]> {
  const { rows } = await audited.test.database.knex.raw<{ rows: { name: string }[] }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'audit'::regclass ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

/** Makes the partition of a month, as a server that ran then would have. */
const addMonth = (month: string): Promise<void> =>
  audited.tamper('SELECT add_audit_month(?::timestamptz)', [`${month}-01T00:00:00Z`]);

describe('pruning', () => {
  it.each(['2026-12-01', '2027-03-20'])('refuses a month that is not over (%s)', async (date) => {
    const service = audited.service(await fourMonths());
    const prune = service.prune(OPERATOR, { before: new Date(date), force: true });
    await expect(prune).rejects.toMatchObject({ code: 'parameter.invalid' });
    expect(await subjects()).toHaveLength(13);
  });

  it('refuses a trail that does not verify, unless it is forced', async () => {
    const service = audited.service(await fourMonths());
    await audited.tamper("UPDATE audit SET outcome = 'other' WHERE subject = '2026-08 1'");
    const before = new Date('2026-10-01');
    await expect(service.prune(OPERATOR, { before, force: false })).rejects.toMatchObject({
      code: 'audit.unverifiable',
    });
    expect(await service.prune(OPERATOR, { before, force: true })).toMatchObject({ rows: 7 });
    expect(await audited.verify()).toMatchObject({ findings: 0 });
  });
});

describe('an export', () => {
  async function exported(period: { since?: Date; until?: Date } = {}): Promise<string> {
    const pieces: string[] = [];
    await audited.service(audited.server()).export(OPERATOR, { format: 'jsonl', ...period }, (text) => {
      pieces.push(text);
      return Promise.resolve();
    });
    return pieces.join('');
  }

  async function verifyText(
    text: string,
  ): Promise<{ readonly rows: number; readonly found: readonly string[] }> {
    const lines = async function* (): AsyncGenerator<string> {
      yield* await Promise.resolve(text.trimEnd().split('\n'));
    };
    const { trail, keys } = await readExportedTrail(lines());
    const all: AuditFinding[] = [];
    const { rows } = await verifyTrail(trail, { keys, report: (finding) => all.push(finding) });
    return { rows, found: shortly(all) };
  }

  it('is itself recorded in the trail and in the export, with the period', async () => {
    await fourMonths();
    await exported();
    const text = await exported({ since: new Date('2026-09-01'), until: new Date('2027-01-01') });
    const mine = /"actor":"operator:root","action":"audit\/export","subject":"audit".*"outcome":"([^"]*)"/g;
    expect([...text.matchAll(mine)].map(([, outcome]) => outcome)).toEqual([
      'handed out as jsonl',
      'handed out as jsonl, since 2026-09-01T00:00:00.000Z, until 2027-01-01T00:00:00.000Z',
    ]);
    expect(await audited.verify()).toMatchObject({ findings: 0 });
  });

  it('is refused where the row cannot be written, and nothing is handed out', async () => {
    await fourMonths();
    await audited.tamper(
      `CREATE FUNCTION no_audit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no audit'; END $$`,
    );
    await audited.tamper(
      'CREATE TRIGGER no_audit BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION no_audit()',
    );
    const pieces: string[] = [];
    const refused = audited.service(audited.server()).export(OPERATOR, { format: 'csv' }, (text) => {
      pieces.push(text);
      return Promise.resolve();
    });
    await expect(refused).rejects.toThrow('no audit');
    expect(pieces).toEqual([]);
  });

  it.each([
    ['changed', (text: string) => text.replace('"subject":"2026-09 1"', '"subject":"other"'), ['changed 4']],
    [
      'removed',
      (text: string) => text.replace(/\{"row":.*"2026-09 1".*\n/, '').replace('"rows":14', '"rows":13'),
      ['removed 4'],
    ],
    [
      'repeated',
      (text: string) => text.replace(/(\{"checkpoint":\{"number":1,.*\n)/, '$1$1'),
      ['removed 1', 'removed 2', 'removed 3', 'inserted checkpoint 1'],
    ],
  ])('reports a row or checkpoint that was %s in the file', async (_, alter, found) => {
    await fourMonths();
    expect((await verifyText(alter(await exported()))).found).toEqual(found);
  });

  it('that was cut off is refused', async () => {
    await fourMonths();
    const text = await exported();
    const cut = `${text.split('\n').slice(0, -4).join('\n')}\n`;
    await expect(verifyText(cut)).rejects.toMatchObject({ code: 'request.malformed' });
  });

  it('of a period holds its rows alone, each of which verifies', async () => {
    await fourMonths();
    const period = { since: new Date('2026-09-01'), until: new Date('2026-10-01') };
    const text = await exported(period);
    expect(await verifyText(text)).toEqual({ rows: 4, found: [] });
    expect((await verifyText(text.replace('"2026-09 2"', '"2026-09 9"'))).found).toEqual(['changed 5']);
    await audited.tamper("UPDATE audit SET at = '2026-09-21' WHERE id = 1");
    expect((await verifyText(await exported(period))).found).toEqual(['changed 1']);
  });
});

describe('a text from users', () => {
  const NASTY = 'T\u{1b}[2J\u{9b}31m\u{202e}\r\n=1';

  it.each(['jsonl', 'csv'] as const)('does a terminal no harm in an export (%s)', async (format) => {
    await audited.server().audit.autocommit.write(ACT, NASTY, 'done');
    await audited.server().audit.autocommit.write(ACT, ' =1;=2', '\uff1d1');
    const pieces: string[] = [];
    await audited.service().export(OPERATOR, { format }, (text) => {
      pieces.push(text);
      return Promise.resolve();
    });
    const text = pieces.join('');
    // eslint-disable-next-line no-control-regex -- control characters are what this is about
    expect(text).not.toMatch(/[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f\u202e]/);
    const rows = text.split('\n').filter((line) => line.includes('T\\u001b[2J\\u009b31m\\u202e'));
    expect(rows).toHaveLength(1);
    if (format === 'jsonl') {
      expect((JSON.parse(rows[0] ?? '') as { row: { subject: string } }).row.subject).toBe(NASTY);
    } else {
      expect(text).toContain(`,"' =1;'=2",,'\uff1d1,`);
    }
  });
});

describe('a retention', () => {
  it('removes the months before it, by one server at a time', async () => {
    const server = await fourMonths();
    await addMonth('2026-08');
    await addMonth('2026-09');
    audited.clock.time = new Date('2026-11-20T12:00:00Z');
    const days = (count: number, database = server): AuditRetention =>
      new AuditRetention({
        store: new AuditStore({ database }),
        audit: audited.service(database),
        retention: count * 86_400,
      });
    // September is over since 50.5 days.
    const now = audited.clock.now();
    expect([await days(51).due(now), await days(50).due(now), await days(90).due(now)]).toEqual([1, 2, 0]);
    expect(await days(51).remove(now)).toBe(1);
    expect(await partitions()).not.toContain('audit_2026_08');
    expect(await partitions()).toContain('audit_2026_09');
    expect(await audited.verify()).toMatchObject({ findings: 0 });
    const both = [days(50), days(50, audited.server())].map((retention) => retention.remove(now));
    expect((await Promise.all(both)).reduce((sum, months) => sum + months, 0)).toBe(1);
    const [act] = await search({ action: 'audit/prune' });
    expect(act).toMatchObject({ actor: 'housekeeping' });
    expect(await audited.verify()).toMatchObject({ findings: 0 });
  });

  it('removes nothing of a trail that does not verify, and tries again a day later', async () => {
    const server = await fourMonths();
    await addMonth('2026-08');
    await audited.tamper("UPDATE audit SET outcome = 'other' WHERE subject = '2026-11 1'");
    const retention = new AuditRetention({
      store: new AuditStore({ database: server }),
      audit: audited.service(server),
      retention: 86_400,
    });
    await expect(retention.remove(audited.clock.now())).rejects.toMatchObject({ code: 'audit.unverifiable' });
    expect(await retention.remove(audited.clock.now())).toBe(0);
    audited.clock.time = new Date(audited.clock.time.getTime() + 86_400_000);
    await expect(retention.remove(audited.clock.now())).rejects.toMatchObject({ code: 'audit.unverifiable' });
    expect(await subjects()).toHaveLength(13);
  });

  it('does not verify the trail repeatedly while the database is held, but an hour later', async () => {
    const server = await fourMonths();
    await addMonth('2026-08');
    const store = new AuditStore({ database: server });
    let verified = 0;
    const held: Pick<AuditService, 'prune'> = {
      prune: () => {
        verified += 1;
        throw new ServiceError('database.unavailable', 'the database took too long');
      },
    };
    const retention = new AuditRetention({
      store,
      audit: held,
      retention: 86_400,
    });
    const now = audited.clock.now();
    const later = new Date(now.getTime() + 3_600_000);
    await expect(retention.remove(now)).rejects.toMatchObject({ code: 'database.unavailable' });
    expect(await retention.remove(now)).toBe(0);
    expect(verified).toBe(1);
    await expect(retention.remove(later)).rejects.toMatchObject({ code: 'database.unavailable' });
    expect(verified).toBe(2);
  });
});

it('leaves months to a server that removes them at the same time', async () => {
  const retention = new AuditRetention({
    store: { monthsBefore: () => Promise.resolve(1) },
    audit: {
      prune: () => {
        throw new ServiceError('server.busy', 'Months of the audit were removed meanwhile: begin again');
      },
    },
    retention: 86_400,
  });
  expect(await retention.remove(new Date('2026-11-20T12:00:00Z'))).toBe(0);
});

async function search(filter: Partial<AuditFilter>): Promise<readonly AuditRow[]> {
  return (await new AuditStore({ database: audited.test.database }).searchStep({ limit: 100, ...filter }))
    .rows;
}

describe('the audit as a whole', () => {
  it('is for operators only', async () => {
    const service = audited.service();
    const admin = callerNamed('alice');
    const attempts = [
      service.verify(admin, { report: () => undefined }),
      service.export(admin, { format: 'csv' }, () => Promise.resolve()),
      service.prune(admin, { before: new Date('2026-01-01'), force: true }),
    ];
    for (const attempt of attempts) {
      await expect(attempt).rejects.toMatchObject({ code: 'right.missing' });
    }
  });
});

describe('the partitions of months', () => {
  it('are made ahead, and take the rows that had none', async () => {
    const server = audited.server();
    await ensureAuditMonths(server);
    // The last one that is there, by the clock of the database.
    const { rows } = await audited.test.database.knex.raw<{ rows: { name: string; day: string }[] }>(
      `SELECT max(inhrelid::regclass::text) AS name,
         to_char(max(to_date(inhrelid::regclass::text, '"audit_"YYYY_MM')), 'YYYY-MM-DD') AS day
       FROM pg_inherits WHERE inhparent = 'audit'::regclass AND inhrelid <> 'audit_default'::regclass`,
    );
    const { name: month = '', day = '' } = rows[0] ?? {};
    audited.clock.time = new Date(`${day}T12:00:00Z`);
    await audited.tamper(`DROP TABLE ${month}`);
    await server.audit.autocommit.write(ACT, 'stray', 'done');
    expect(await audited.test.database.knex('audit_default').pluck('subject')).toEqual(['stray']);
    expect(await ensureAuditMonths(server)).toBe(1);
    expect(await ensureAuditMonths(server)).toBe(0);
    expect(await audited.test.database.knex('audit_default').pluck('subject')).toEqual([]);
    expect(await audited.test.database.knex(month).pluck('subject')).toEqual(['stray']);
    expect(await audited.verify()).toMatchObject({ rows: 1, findings: 0 });
  });

  it('and checkpoints are kept by servers', async () => {
    const lines: string[] = [];
    const line = (message: string): void => {
      lines.push(message);
    };
    const log = { error: line, warn: line, info: line, debug: line };
    const server = audited.server();
    const nothing = (): Promise<void> => Promise.resolve();
    const options = { flush: nothing, makeMonths: nothing, pause: 20 };
    const upkeep = auditUpkeep({ sealer: audited.sealer(server), log, ...options });
    await server.audit.autocommit.write(ACT, 'first', 'done');
    upkeep.start();
    const checkpoints = async (): Promise<number> =>
      (await audited.test.database.knex('audit_checkpoints')).length;
    await expectSoon(checkpoints).toBe(1);
    await server.audit.autocommit.write(ACT, 'second', 'done');
    await expectSoon(checkpoints).toBe(2);
    await upkeep.stop();
    // Nothing was written since: no third one.
    await sleep(100);
    expect(await checkpoints()).toBe(2);
    expect(lines).toEqual([]);
    expect(await audited.verify()).toMatchObject({ rows: 2, unsealed: 0, findings: 0 });
  });
});
