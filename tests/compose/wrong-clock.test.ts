import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { computeResponse, timeStepAt } from '../../src/ocra/compute.ts';
import { parseQrTanUrl } from '../../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { type ServerProcess, runTankeeper, startServerProcess } from '../support/servers/server-process.ts';
import { ServerClient } from '../support/servers/server-client.ts';
import { until } from '../support/values/until.ts';

const [HOUR, DAY] = [3_600_000, 86_400_000];
const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:QN08-T1M');
const KEY = '31'.repeat(32);
const SHIFTED = pathToFileURL(join(import.meta.dirname, '../support/environment/shifted-clock.js')).href;
/** Makes the removal of everything that is old by any measure a matter of seconds. */
const EAGER = { HOUSEKEEPING_INTERVAL: '1', CHALLENGE_RETENTION: '1', AUDIT_RETENTION: '400D' };

let folder: string;
let database: TestDatabase;
let first: ServerProcess;
let client: ServerClient;
const running: ServerProcess[] = [];
let number = 0;

function environment(shift?: number): Record<string, string> {
  const own = { DATABASE_URL: database.url, DATA_DIR: folder, LIMIT_EXEMPT: 'loopback' };
  if (shift === undefined) {
    return own;
  }
  number += 1;
  const file = join(folder, `shift-${number}`);
  writeFileSync(file, String(shift));
  return { ...own, NODE_OPTIONS: `--import ${SHIFTED}`, TEST_CLOCK_SHIFT_FILE: file };
}

/** @param shift milliseconds by which the clock of its machine is ahead */
async function start(shift: number, more: Record<string, string> = {}): Promise<Shifted> {
  const own = environment(shift);
  const server = await startServerProcess({ ...own, ...more });
  running.push(server);
  return { server, file: own.TEST_CLOCK_SHIFT_FILE ?? '' };
}

interface Shifted {
  readonly server: ServerProcess;
  readonly file: string;
}

async function startFirst(): Promise<ServerProcess> {
  return startServerProcess({ ...environment(), HOUSEKEEPING_INTERVAL: 'off' });
}

/** Runs the test while the server is away that has lived through all and would know that no clock has jumped. */
async function withoutWitness(test: () => Promise<void>): Promise<void> {
  await first.stop();
  try {
    await test();
  } finally {
    await Promise.all(running.splice(0).map((server) => server.stop()));
    first = await startFirst();
  }
}

function jump({ server, file }: Shifted, shift: number): void {
  writeFileSync(file, String(shift));
  server.process.kill('SIGUSR2');
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-wrong-clock-'));
  database = await createTestDatabase({ schema: 'empty' });
  first = await startFirst();
  client = await ServerClient.open(first);
  await client.post('/admin/init', { type: 'ocra', serial: 'TIMED', otpkey: KEY, ocrasuite: SUITE.text });
});

afterEach(async () => {
  client.turnTo(first);
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

afterAll(async () => {
  await first.stop();
  rmSync(folder, { recursive: true });
  await database.drop();
});

/** @returns the transaction, and the response of a phone whose clock is right */
async function request(): Promise<{ transactionid: string; pass: string }> {
  const { body } = await client.post('/ocra/request', { serial: 'TIMED', data: '' });
  const url = parseQrTanUrl(body.detail?.data ?? '');
  const question = url.kind === 'req' ? url.question : '';
  const timeStep = timeStepAt(SUITE, new Date());
  const pass = computeResponse(SUITE, Buffer.from(KEY, 'hex'), {
    question,
    ...(timeStep !== undefined && { timeStep }),
  });
  return { transactionid: body.detail?.transactionid ?? '', pass };
}

async function check(open: { transactionid: string; pass: string }): Promise<unknown> {
  return (await client.post('/ocra/check_t', open)).body.result?.value;
}

const ACCEPTED = { failcount: 0, result: true };

async function rowsOf(table: string): Promise<number> {
  const [row] = await database.database.knex(table).count<{ count: string }[]>();
  return Number(row?.count);
}

async function metricsOf({ baseUrl }: ServerProcess): Promise<string> {
  client.turnTo({ baseUrl });
  return client.text('/metrics');
}

/** Waits for so many rounds of housekeeping, of whatever outcome. */
async function rounds(server: ServerProcess, wanted: number): Promise<string> {
  let text = '';
  await until(
    async () => {
      text = await metricsOf(server);
      const ended = text.matchAll(/background_rounds_total\{component="housekeeping".*\} (\d+)/g);
      return [...ended].reduce((sum, [, count]) => sum + Number(count), 0) >= wanted;
    },
    { pollMs: 200, describe: () => server.output() },
  );
  return text;
}

describe('a server whose clock is 1000 days ahead', () => {
  it('removes nothing, however short all is kept, and tells why in its log, its metrics and doctor', async () => {
    await request();
    const before = await Promise.all(['audit', 'challenges', 'sessions'].map(rowsOf));
    const { server } = await start(1_000 * DAY, EAGER);
    const metrics = await rounds(server, 3);
    const after = await Promise.all(['audit', 'challenges', 'sessions'].map(rowsOf));
    expect(after.map((rows, index) => rows >= (before[index] ?? Infinity))).toEqual([true, true, true]);
    expect(metrics).toMatch(/^tankeeper_clock_offset_seconds 86(?:400|399)/m);
    const output = server.output();
    expect(output).toMatch(/clock of this machine differs from the database's.*"clockOffset":86(?:400|399)/);
    expect(output).toMatch(
      /Housekeeping fails.*clock of this machine is 86(?:400|399)\d{3} s ahead of the database's/,
    );

    const command = environment(1_000 * DAY);
    const removal = await runTankeeper(['housekeeping', 'run', '--confirm-time'], { ...command, ...EAGER });
    expect(removal.code).not.toBe(0);
    expect(removal.output).toContain('Nothing is removed while the time is in doubt');
    const prune = ['audit', 'prune', '--before', '30D', '--force', '--yes'];
    expect((await runTankeeper(prune, command)).output).toContain('Nothing is removed');
    const report = (await runTankeeper(['--json', 'doctor'], command)).output;
    expect(report).toContain('clock.differs');
    expect(report).toMatch(/86(?:400|399)\d{3}\.\d s behind the clock here.*nothing is removed here/);
    expect(await rowsOf('audit')).toBeGreaterThanOrEqual(before[0] ?? Infinity);
  });
});

describe('a database whose clock has jumped, or that no server has used for days', () => {
  it('has nothing removed until an operator confirms its time', async () => {
    await request();
    const { knex } = database.database;
    await knex.raw(`SELECT add_audit_month(now() - interval '5 days')`);
    await knex.raw('ALTER TABLE audit DISABLE TRIGGER USER');
    await knex.raw(`UPDATE audit SET at = at - interval '5 days' WHERE id = (SELECT min(id) FROM audit)`);
    await knex.raw('ALTER TABLE audit ENABLE TRIGGER USER');
    await knex.raw(`UPDATE challenges SET issued_at = issued_at - interval '3 days'`);
    const challenges = await rowsOf('challenges');
    await withoutWitness(async () => {
      await knex.raw(`UPDATE clock_state SET seen_at = seen_at - interval '2 days'`);
      const { server } = await start(0, EAGER);
      await rounds(server, 2);
      expect(await rowsOf('challenges')).toBe(challenges);
      expect(server.output()).toMatch(/Housekeeping fails.*was last seen at/);
      const report = (await runTankeeper(['--json', 'doctor'], environment())).output;
      expect(report).toContain('clock.jumped');
      const confirmed = await runTankeeper(['housekeeping', 'run', '--confirm-time'], environment());
      // Either the command or the server removes them.
      expect(confirmed).toMatchObject({ code: 0 });
      await until(async () => (await rowsOf('challenges')) === 0);
      expect((await runTankeeper(['--json', 'doctor'], environment())).output).not.toContain('clock.jumped');
    });
  });
});

describe('a database whose clock has gone on steadily for a day after a jump', () => {
  it('has all removed that is old but months of the audit, which the log and doctor tell', async () => {
    await request();
    const { knex } = database.database;
    await knex.raw(`SELECT add_audit_month(now() - interval '500 days')`);
    await knex.raw('ALTER TABLE audit DISABLE TRIGGER USER');
    await knex.raw(`UPDATE audit SET at = at - interval '500 days' WHERE id = (SELECT min(id) FROM audit)`);
    await knex.raw('ALTER TABLE audit ENABLE TRIGGER USER');
    await knex.raw(`UPDATE challenges SET issued_at = issued_at - interval '3 days'`);
    const rows = await rowsOf('audit');
    await withoutWitness(async () => {
      await knex.raw(`
      UPDATE clock_state SET seen_at = now() - interval '9 days', looked_at = now(),
        steady_since = now() - interval '1 day'`);
      const { server } = await start(0, EAGER);
      await until(async () => (await rowsOf('challenges')) === 0, { describe: () => server.output() });
      await rounds(server, 2);
      expect(server.output()).toMatch(/Housekeeping fails.*No month of the audit is removed.*--confirm-time/);
      expect(await rowsOf('audit')).toBeGreaterThanOrEqual(rows);
      const doctor = async (more: Record<string, string>): Promise<string> =>
        (await runTankeeper(['--json', 'doctor'], { ...environment(), ...more })).output;
      expect(await doctor(EAGER)).toMatch(/clock.jumped[^]*no month of the audit is removed/);
      expect(await doctor({})).not.toContain('clock.jumped');
      await runTankeeper(['housekeeping', 'run', '--confirm-time'], environment());
      expect(await doctor(EAGER)).not.toContain('clock.jumped');
    });
  });
});

describe('two servers of which one or both are hours off', () => {
  it('accept each right response that uses the time, whoever issued the challenge', async () => {
    const servers = [first, (await start(2 * HOUR)).server, (await start(-2 * HOUR)).server];
    for (const issuer of servers) {
      for (const checker of servers) {
        client.turnTo(issuer);
        const open = await request();
        client.turnTo(checker);
        expect(await check(open)).toEqual(ACCEPTED);
      }
    }
  });

  it('let challenges and sessions expire when they do, not earlier and not later', async () => {
    const ahead = (await start(2 * HOUR)).server;
    const behind = (await start(-2 * HOUR)).server;
    const late = await request();
    await database.database.knex.raw(
      `UPDATE challenges SET issued_at = issued_at - interval '21 minutes' WHERE transaction_id = ?`,
      [late.transactionid],
    );
    client.turnTo(behind);
    expect(await check(late)).toEqual({ failcount: 0, result: false });
    // A session that ends in a minute is valid there, one that has ended is not.
    const ends = async (seconds: number): Promise<number> => {
      await database.database.knex.raw(`UPDATE sessions SET expires_at = now() + ? * interval '1 second'`, [
        seconds,
      ]);
      return (await client.post('/ocra/request', { serial: 'TIMED', data: '' })).status;
    };
    client.turnTo(ahead);
    expect(await ends(60)).toBe(200);
    client.turnTo(behind);
    expect(await ends(-60)).not.toBe(200);
    expect(await ends(3_600)).toBe(200);
  });

  it('count failures in the same minute', async () => {
    const { server } = await start(2 * HOUR, { LIMIT_EXEMPT: 'none', LIMIT_TRANSACTION_FAILURES: '3' });
    const open = await request();
    client.turnTo(server);
    for (let time = 0; time < 3; time += 1) {
      await client.post('/ocra/check_t', { ...open, pass: '00000000' });
    }
    const [row] = await database.database.knex('rate_limits').max<{ max: string }[]>('expire');
    const left = Number(row?.max) - Date.now();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(61_000);
  });
});

describe('a server whose clock jumps', () => {
  it('goes on as before, and says so once', async () => {
    const shifted = await start(0);
    const { server } = shifted;
    client.turnTo(server);
    for (const shift of [400 * DAY, -3 * HOUR, 0]) {
      const open = await request();
      jump(shifted, shift);
      expect(await check(open)).toEqual(ACCEPTED);
      expect(await check(await request())).toEqual(ACCEPTED);
      await until(
        () => (server.output().match(/"component":"clock"/g) ?? []).length === (shift === 0 ? 2 : 1),
      );
    }
    expect(server.output().match(/differs from the database's/g)).toHaveLength(1);
    expect(server.output().match(/agrees with the database's again/g)).toHaveLength(1);
  });
});
