import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { clockJump } from '../../src/doctor/installation-findings.ts';
import { PruningClock, readClockState } from '../../src/housekeeping/pruning-clock-store.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { actOf } from '../../src/policy/caller.ts';
import { OPERATOR } from '../support/values/callers.ts';

const START = Date.parse('2026-11-20T12:00:00Z');
const [MINUTE, DAY] = [60_000, 86_400_000];

let test: TestDatabase;
let now: number;
let elapsed: number;
let offset: number;

/** That of a process which was started a moment ago: it remembers nothing by itself. */
function pruningClock(): PruningClock {
  const clock = { now: () => new Date(now), offset };
  return new PruningClock({ database: test.database, clock, elapsed: () => elapsed });
}

/** Lets time pass, for the database and for processes that run. */
function pass(milliseconds: number): void {
  now += milliseconds;
  elapsed += milliseconds;
}

async function auditRowAt(time: number): Promise<void> {
  const { knex } = test.database;
  await knex.raw("SELECT add_audit_month(date_trunc('month', ?::timestamptz, 'UTC'))", [new Date(time)]);
  await test.database.audit.autocommit.write(
    actOf(OPERATOR, 'housekeeping/run'),
    'housekeeping',
    'as a sign of life',
  );
  await knex.raw('ALTER TABLE audit DISABLE TRIGGER USER');
  await knex.raw('UPDATE audit SET at = ?', [new Date(time)]);
}

const doubt = (message: RegExp): object => ({
  code: 'clock.doubtful',
  message: expect.stringMatching(message),
});
const NOTHING = doubt(
  /^Nothing is removed.*last seen at 2026-11-20T12:00:00.000Z.*housekeeping run --confirm-time/,
);
const NO_AUDIT = doubt(/^No month of the audit is removed.*housekeeping run --confirm-time/);

/** @returns the number of doctor's findings about a jump */
async function findings(isAuditPruned: boolean): Promise<number> {
  const state = await readClockState(test.database.knex);
  return clockJump(state, new Date(now), isAuditPruned).length;
}

beforeEach(async () => {
  test = await createTestDatabase();
  [now, elapsed, offset] = [START, 5_000, 0];
});
afterEach(() => test.drop());

describe('the time by which rows are removed', () => {
  beforeEach(() => auditRowAt(START - 90 * DAY));
  beforeEach(async () => {
    await test.database.knex('clock_state').delete();
    await test.database.knex('clock_state').insert({ seen_at: new Date(START), looked_at: new Date(START) });
  });

  it('is that of the service, while it goes on', async () => {
    for (const later of [0, 1_000, DAY, 2 * DAY, 2 * DAY - 60_000]) {
      now = START + later;
      expect(await pruningClock().time('audit')).toEqual(new Date(now));
      expect(await pruningClock().time()).toEqual(new Date(now));
    }
  });

  it.each([DAY + 1_000, -DAY - 1_000, 1_000 * DAY])(
    'is in doubt after the clock of the database has jumped by %i ms, on any server, until it is set right',
    async (jump) => {
      const running = pruningClock();
      await running.time();
      now += jump;
      for (const later of [0, 500, Math.sign(jump) * 30 * DAY]) {
        now += later;
        for (const one of [running, pruningClock()]) {
          await expect(one.time()).rejects.toMatchObject(NOTHING);
          await expect(one.time('audit')).rejects.toMatchObject(NO_AUDIT);
        }
      }
      expect(await findings(false)).toBe(1);
      now = START + 3_600_000;
      expect(await pruningClock().time('audit')).toEqual(new Date(now));
      expect(await findings(true)).toBe(0);
    },
  );

  it('is there again after a steady day for all but the audit, also over restarts, as after a weekend', async () => {
    now += 3 * DAY;
    let server = pruningClock();
    for (let minute = 0; minute < 24 * 60; minute += 4) {
      await expect(server.time()).rejects.toMatchObject(NOTHING);
      pass(4 * MINUTE);
      server = minute % 100 === 96 ? pruningClock() : server;
    }
    expect(await server.time()).toEqual(new Date(now));
    await expect(server.time('audit')).rejects.toMatchObject(NO_AUDIT);
    expect([await findings(true), await findings(false)]).toEqual([1, 0]);
    await server.confirm();
    expect(await server.time('audit')).toEqual(new Date(now));
  });

  it.each([
    ['jumps again', -2 * DAY],
    ['is not looked at for some minutes', 6 * MINUTE],
  ])('is not there after a day in which the clock %s', async (_what, jump) => {
    now += 30 * DAY;
    for (let minute = 0; minute < 24 * 60; minute += 4) {
      await expect(pruningClock().time()).rejects.toMatchObject(NOTHING);
      now += minute === 720 ? jump : 4 * MINUTE;
    }
    await expect(pruningClock().time()).rejects.toMatchObject(NOTHING);
  });

  it('goes on by itself where a server has run while the database was away for days', async () => {
    const running = pruningClock();
    await running.time();
    pass(4 * DAY);
    expect(await running.time('audit')).toEqual(new Date(now));
    expect(await pruningClock().time('audit')).toEqual(new Date(now));
  });

  it('is in doubt again once the clock has crept away by a day in small jumps', async () => {
    const running = pruningClock();
    await running.time();
    let jumps = 0;
    const creeping = async (): Promise<void> => {
      for (; jumps < 100; jumps += 1) {
        await running.time('audit');
        pass(MINUTE);
        now += 3_600_000;
      }
    };
    await expect(creeping()).rejects.toMatchObject(doubt(/^No month/));
    expect(jumps).toBeLessThan(30);
  });

  it('is found again by a running server once the clock is set right, however long it was wrong', async () => {
    const running = pruningClock();
    await running.time();
    now += 1_000 * DAY;
    for (let day = 0; day < 10; day += 1) {
      await expect(running.time('audit')).rejects.toMatchObject(NO_AUDIT);
      pass(DAY);
    }
    now -= 1_000 * DAY;
    expect(await running.time('audit')).toEqual(new Date(now));
  });

  it.each([DAY + 1_000, -DAY - 1_000])(
    "is in doubt on a machine whose clock is %i ms from the database's, whatever an operator confirms",
    async (difference) => {
      await pruningClock().time();
      offset = difference;
      const refused = doubt(/^Nothing.*the clock of this machine is 86401 s/);
      await expect(pruningClock().time()).rejects.toMatchObject(refused);
      await expect(pruningClock().confirm()).rejects.toMatchObject(refused);
      offset = DAY;
      expect(await pruningClock().time()).toEqual(new Date(now));
    },
  );
});

describe('the first look at the clock', () => {
  beforeEach(() => test.database.knex('clock_state').delete());

  it('believes it where nothing is stored that could be lost, also where it is put right later', async () => {
    now = Date.parse('1970-01-01T00:00:20Z');
    const running = pruningClock();
    await running.time();
    now = START;
    expect(await running.time('audit')).toEqual(new Date(START));
    expect(await pruningClock().time('audit')).toEqual(new Date(START));
  });

  it('believes it where the newest row of the audit is of that day', async () => {
    await auditRowAt(START - DAY + 1_000);
    expect(await pruningClock().time('audit')).toEqual(new Date(START));
  });

  it('doubts a time that is far from the newest row of the audit', async () => {
    await auditRowAt(START);
    now += 1_000 * DAY;
    await expect(pruningClock().time('audit')).rejects.toMatchObject(NO_AUDIT);
    await expect(pruningClock().time()).rejects.toMatchObject(NOTHING);
    now = START + 1_000;
    expect(await pruningClock().time('audit')).toEqual(new Date(now));
  });
});
