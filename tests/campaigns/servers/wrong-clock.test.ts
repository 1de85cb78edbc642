import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { computeResponse, timeStepAt } from '../../../src/ocra/compute.ts';
import { questionOf } from '../../support/values/asked-question.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { databaseOfTests } from '../../support/database/test-database.ts';
import {
  type ProcessEnd,
  type ServerProcess,
  runTankeeper,
  startServerProcess,
} from '../../support/servers/server-process.ts';
import { ServerClient } from '../../support/servers/server-client.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';
import { until } from '../../support/values/until.ts';

const [HOUR, DAY] = [3_600_000, 86_400_000];
const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:QN08-T1M');
const KEY = '31'.repeat(32);
const SHIFTED = pathToFileURL(join(import.meta.dirname, '../../support/environment/shifted-clock.js')).href;
/** Makes the removal of everything that is old by any measure a matter of seconds. */
const EAGER = { HOUSEKEEPING_INTERVAL: '1', CHALLENGE_RETENTION: '1', AUDIT_RETENTION: '400D' };

let first: ServerProcess;
let client: ServerClient;
const running: ServerProcess[] = [];
let number = 0;

afterAll(() => Promise.all([first, ...running].map((server) => server.stop())));

const folder = temporaryFolder();
const database = databaseOfTests({ schema: 'empty' });

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
async function start(shift: number, more: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startServerProcess({ ...environment(shift), ...more });
  running.push(server);
  return server;
}

beforeAll(async () => {
  first = await startServerProcess({ ...environment(), HOUSEKEEPING_INTERVAL: 'off' });
  client = await ServerClient.open(first);
  await client.post('/admin/init', { type: 'ocra', serial: 'TIMED', otpkey: KEY, ocrasuite: SUITE.text });
});

afterEach(() => {
  client.turnTo(first);
});

/** @returns the transaction, and the response of a phone whose clock is right */
async function request(): Promise<{ transactionid: string; pass: string }> {
  const { body } = await client.post('/ocra/request', { serial: 'TIMED', data: '' });
  const question = questionOf(body.detail?.data ?? '');
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
    const server = await start(1_000 * DAY, EAGER);
    const metrics = await rounds(server, 2);
    const after = await Promise.all(['audit', 'challenges', 'sessions'].map(rowsOf));
    expect(after.map((rows, index) => rows >= (before[index] ?? Infinity))).toEqual([true, true, true]);
    expect(metrics).toMatch(/^tankeeper_clock_offset_seconds 86(?:400|399)/m);
    const { output } = await server.stop();
    expect(output).toMatch(/clock of this machine differs from the database's.*"clockOffset":86(?:400|399)/);
    expect(output).toMatch(
      /Housekeeping fails.*clock of this machine is 86(?:400|399)\d{3} s ahead of the database's/,
    );

    const command = environment(1_000 * DAY);
    const removal = await runTankeeper(['housekeeping', 'run', '--confirm-time'], { ...command, ...EAGER });
    expect(removal.code).not.toBe(0);
    expect(removal.output).toContain('Nothing is removed while the time is in doubt');
    const prune = ['audit', 'prune', '--before', '30D', '--unverified', '--yes'];
    expect((await runTankeeper(prune, command)).output).toContain('Nothing is removed');
    const report = (await runTankeeper(['--json', 'doctor'], command)).output;
    expect(report).toContain('clock.differs');
    expect(report).toMatch(/86(?:400|399)\d{3}\.\d s behind the clock here.*nothing is removed here/);
    expect(await rowsOf('audit')).toBeGreaterThanOrEqual(before[0] ?? Infinity);
  });
});

describe('two servers of which one or both are hours off', () => {
  let ahead: ServerProcess;
  let behind: ServerProcess;
  beforeAll(async () => {
    const limits = { LIMIT_EXEMPT: 'none', LIMIT_TRANSACTION_FAILURES: '3' };
    [ahead, behind] = await Promise.all([start(2 * HOUR, limits), start(-2 * HOUR)]);
  });
  afterAll(() => Promise.all([ahead.stop(), behind.stop()]));

  it('accept each right response that uses the time, whoever issued the challenge', async () => {
    for (const issuer of [first, ahead, behind]) {
      for (const checker of [first, ahead, behind]) {
        client.turnTo(issuer);
        const open = await request();
        client.turnTo(checker);
        expect(await check(open)).toEqual(ACCEPTED);
      }
    }
  });

  it('let challenges and sessions expire when they do, not earlier and not later', async () => {
    const late = await request();
    await database.database.knex.raw(
      `UPDATE challenges SET open_until = open_until - interval '21 minutes' WHERE transaction_id = ?`,
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
    const open = await request();
    client.turnTo(ahead);
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
    const server = await start(0);
    const file = join(folder, `shift-${number}`);
    client.turnTo(server);
    for (const shift of [400 * DAY, -3 * HOUR, 0]) {
      const open = await request();
      writeFileSync(file, String(shift));
      server.process.kill('SIGUSR2');
      expect(await check(open)).toEqual(ACCEPTED);
      expect(await check(await request())).toEqual(ACCEPTED);
      await until(
        () => (server.output().match(/"component":"clock"/g) ?? []).length === (shift === 0 ? 2 : 1),
      );
    }
    const { output } = await server.stop();
    expect(output.match(/differs from the database's/g)).toHaveLength(1);
    expect(output.match(/agrees with the database's again/g)).toHaveLength(1);
  });
});

describe('a database without a server that has lived through all and would know that no clock has jumped', () => {
  beforeAll(() => first.stop());

  const doctor = async (more: Record<string, string> = {}): Promise<string> =>
    (await runTankeeper(['--json', 'doctor'], { ...environment(), ...more })).output;
  const confirmTime = (): Promise<ProcessEnd> =>
    runTankeeper(['housekeeping', 'run', '--confirm-time'], environment());

  /** Makes the oldest audit row so old, and an old challenge the only one. */
  async function age(auditDays: number): Promise<void> {
    await database.database.knex.raw(`
      SELECT add_audit_month(date_trunc('month', now() - interval '${auditDays} days', 'UTC'));
      ALTER TABLE audit DISABLE TRIGGER USER;
      UPDATE audit SET at = at - interval '${auditDays} days' WHERE id = (SELECT min(id) FROM audit);
      ALTER TABLE audit ENABLE TRIGGER USER;
      DELETE FROM challenges;
      INSERT INTO challenges (transaction_id, token_id, question, data, issued_at, open_until)
        SELECT 'old', id, '1', '', now() - interval '3 days', now() - interval '3 days' FROM tokens`);
  }

  it('whose clock has jumped, or that none has used for days, has nothing removed until an operator confirms its time', async () => {
    await age(5);
    await database.database.knex.raw(`UPDATE clock_state SET seen_at = seen_at - interval '2 days'`);
    const server = await start(0, EAGER);
    await rounds(server, 2);
    expect(await rowsOf('challenges')).toBe(1);
    expect(server.output()).toMatch(/Housekeeping fails.*was last seen at/);
    expect(await doctor()).toContain('clock.jumped');
    // Either the command or the server removes them.
    expect(await confirmTime()).toMatchObject({ code: 0 });
    await until(async () => (await rowsOf('challenges')) === 0);
    expect(await doctor()).not.toContain('clock.jumped');
    await server.stop();
  });

  it('whose clock has gone on steadily for a day after a jump has all removed that is old but months of the audit, which the log and doctor tell', async () => {
    await age(500);
    const rows = await rowsOf('audit');
    await database.database.knex.raw(`
      UPDATE clock_state SET seen_at = now() - interval '9 days', looked_at = now(),
        steady_since = now() - interval '1 day'`);
    const server = await start(0, EAGER);
    await until(async () => (await rowsOf('challenges')) === 0, { describe: () => server.output() });
    await rounds(server, 2);
    const { output } = await server.stop();
    expect(output).toMatch(/Housekeeping fails.*No month of the audit is removed.*--confirm-time/);
    expect(await rowsOf('audit')).toBeGreaterThanOrEqual(rows);
    expect(await doctor(EAGER)).toMatch(/clock.jumped[^]*no month of the audit is removed/);
    expect(await doctor()).not.toContain('clock.jumped');
    await confirmTime();
    expect(await doctor(EAGER)).not.toContain('clock.jumped');
  });
});
