import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { StatusWatch, type Waited } from '../../../src/challenges/status-wait-service.ts';
import { StatusWatchStore } from '../../../src/challenges/status-watch-store.ts';
import { ConfigurationFollower } from '../../../src/database/configuration-follower.ts';
import { type Database, openDatabase } from '../../../src/database/database.ts';
import {
  OPERATOR,
  type PortalChallenge,
  TestApplication,
  wrongResponse,
} from '../../support/application/test-application.ts';
import { DatabaseProxy } from '../../support/database/database-proxy.ts';
import { untilWaiting } from '../../support/database/lock-waits.ts';
import { whileHeld } from '../../support/database/held-statement.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import { until } from '../../support/values/until.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const MARK = /UPDATE challenges SET watched_until/;
/** So long that within a test it never comes: no state is read without a cause. */
const NEVER = 600_000;
const SILENT = { error: nothing, warn: nothing, info: nothing, debug: nothing };

let application: TestApplication;
let number = 0;
const cleanUps: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  application = await TestApplication.open();
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) {
    await cleanUp();
  }
});
afterAll(() => application.close());

function nothing(): void {
  // No log is wanted.
}

/** Another server, as far as it waits for transactions. */
interface Watching {
  readonly watch: StatusWatch;
  readonly database: Database;
  /** Waits for a change of the transaction's state, as it is now. Begins before this returns. */
  readonly wait: (transactionid: string) => Promise<{ readonly waited: Promise<Waited> }>;
}

/** @param url the address at which the server listens; undefined: it does not listen */
async function watching(url: string | undefined, poll = NEVER): Promise<Watching> {
  const database = openDatabase({ connection: application.databaseUrl, applicationName: 'watching' });
  const watched = new StatusWatchStore({ database });
  const watch = new StatusWatch({
    watched,
    metrics: { waitingAre: nothing, waitEnded: nothing },
    max: 100,
    poll,
    pollWithNotices: NEVER,
  });
  cleanUps.push(
    () => database.close(),
    () => watch.end(),
  );
  if (url !== undefined) {
    await listen(url, watch);
  }
  return { watch, database, wait: (transactionid) => begin(watch, transactionid) };
}

async function listen(url: string, watch: StatusWatch): Promise<void> {
  await new Promise<void>((resolve) => {
    const follower = new ConfigurationFollower({
      kept: { confirm: () => Promise.resolve(), expire: nothing },
      database: { connection: url, applicationName: 'listening', acquireTimeoutMs: NEVER },
      log: SILENT,
      poll: NEVER,
      challenges: {
        listening: () => {
          watch.listening();
          resolve();
        },
        changed: (id) => {
          watch.changed(id);
        },
        lost: () => {
          watch.lost();
        },
      },
    });
    cleanUps.push(() => follower.stop());
    follower.start();
  });
}

async function begin(
  watch: StatusWatch,
  transactionid: string,
): Promise<{ readonly waited: Promise<Waited> }> {
  const [row] = await rowsOf(transactionid);
  if (row === undefined) {
    throw new Error(`there is no transaction ${transactionid}`);
  }
  const since = {
    receivedTan: row.received_tan,
    validTan: row.valid_tan,
    failCount: row.fail_count,
    closedBy: null,
  };
  const waited = watch.wait(
    { id: row.id, administrator: 'portal', since, waitMs: 60_000, openMs: NEVER },
    new AbortController().signal,
  );
  waited.catch(nothing);
  await until(async () => (await rowsOf(transactionid))[0]?.watched === true);
  return { waited };
}

/** Listens as a server does. @returns the payloads of the notices */
async function listener(): Promise<{ readonly notices: readonly string[] }> {
  const notices: string[] = [];
  const client = new pg.Client({ connectionString: application.databaseUrl });
  await client.connect();
  cleanUps.push(() => client.end());
  client.on('notification', ({ payload = '' }) => notices.push(payload));
  await client.query('LISTEN tankeeper_challenges');
  return { notices };
}

interface Row {
  readonly id: string;
  readonly received_tan: boolean;
  readonly valid_tan: boolean;
  readonly fail_count: number;
  readonly version: string;
  readonly watched: boolean;
}

function rowsOf(transactionid: string): Promise<Row[]> {
  return queryOnce<Row>(
    application.databaseUrl,
    `SELECT challenges.id, received_tan, valid_tan, fail_count, version,
       coalesce(watched_until > now() + interval '20 seconds', false) AS watched
     FROM challenges JOIN tokens ON tokens.id = token_id WHERE transaction_id = $1`,
    [transactionid],
  );
}

async function enrol(): Promise<string> {
  number += 1;
  const serial = `NOTIFIED${number}`;
  await application.enrolPlain(serial, SUITE);
  return serial;
}

const answerTo = ({ question }: PortalChallenge, counter = 0n): string =>
  application.respond(SUITE, question, { counter });
const wrong = (challenge: PortalChallenge): Promise<unknown> =>
  application.check(challenge.transactionid, wrongResponse(answerTo(challenge)));

/** Each way to change the state of a challenge: its cause, the end of the wait, and the state by then. */
const CHANGES: readonly [
  string,
  (challenge: PortalChallenge, serial: string) => Promise<unknown>,
  Waited['end'],
  object | undefined,
][] = [
  [
    'a right response',
    (challenge) => application.check(challenge.transactionid, answerTo(challenge)),
    'changed',
    { receivedTan: true, validTan: true, closedBy: 'accepted' },
  ],
  ['a wrong response', wrong, 'changed', { receivedTan: true, validTan: false, failCount: 1 }],
  [
    'a right response that names no transaction',
    (challenge, serial) =>
      application.send('/validate/check_s', { serial, pass: answerTo(challenge) }).then(nothing),
    'changed',
    { validTan: true },
  ],
  [
    'a wrong response to another challenge of the token',
    async (_challenge, serial) => wrong(await application.challenge(serial)),
    'changed',
    { receivedTan: false, failCount: 1 },
  ],
  [
    'newer challenges',
    async (_challenge, serial) => {
      for (let times = 0; times < 4; times += 1) {
        await application.challenge(serial);
      }
    },
    'closed',
    { receivedTan: false, closedBy: 'superseded' },
  ],
  [
    'a new key of the token',
    (_challenge, serial) => application.enrolPlain(serial, SUITE, { otpkey: '32'.repeat(32) }),
    'closed',
    { closedBy: 'superseded' },
  ],
  [
    'the removal of the token',
    (_challenge, serial) => application.asAdmin('/admin/remove', { serial }),
    'closed',
    undefined,
  ],
  [
    'a change by hand',
    ({ transactionid }) =>
      queryOnce(
        application.databaseUrl,
        "UPDATE challenges SET closed_by = 'superseded', closed_at = now() WHERE transaction_id = $1",
        [transactionid],
      ),
    'closed',
    { closedBy: 'superseded' },
  ],
];

describe('a request that waits on another server', () => {
  it.each(CHANGES)('is woken by %s', async (_cause, change, end, state) => {
    const { wait } = await watching(application.databaseUrl);
    const serial = await enrol();
    const challenge = await application.challenge(serial);
    const { waited } = await wait(challenge.transactionid);
    await change(challenge, serial);
    expect(await waited).toEqual({
      end,
      state: state === undefined ? undefined : expect.objectContaining(state),
    });
  });

  it('is woken by the reset of the fail counter', async () => {
    const { wait } = await watching(application.databaseUrl);
    const serial = await enrol();
    const challenge = await application.challenge(serial);
    await wrong(challenge);
    const { waited } = await wait(challenge.transactionid);
    await application.asAdmin('/admin/reset', { serial });
    expect(await waited).toMatchObject({ end: 'changed', state: { receivedTan: true, failCount: 0 } });
  });

  it('is woken by the response that gives the challenge up, and by one to a locked token', async () => {
    const { wait } = await watching(application.databaseUrl);
    const serial = await enrol();
    const challenge = await application.challenge(serial);
    for (const closedBy of [null, null, 'exhausted']) {
      const { waited } = await wait(challenge.transactionid);
      await wrong(challenge);
      expect(await waited).toMatchObject({ end: 'changed', state: { closedBy } });
    }
    await application.asAdmin('/admin/set', { serial, MaxFailCount: '3' });
    const second = await application.challenge(serial);
    const { waited } = await wait(second.transactionid);
    await application.check(second.transactionid, answerTo(second));
    expect(await waited).toMatchObject({ end: 'changed', state: { receivedTan: true, failCount: 4 } });
  });

  it('is woken by housekeeping', async () => {
    const { wait } = await watching(application.databaseUrl);
    const challenge = await application.challenge(await enrol());
    const { waited } = await wait(challenge.transactionid);
    application.clock.advance(8 * 86_400);
    await application.services.housekeeping.run(OPERATOR, true);
    expect(await waited).toEqual({ end: 'closed', state: undefined });
  });

  it('is woken with all others that wait for the transaction, on any server', async () => {
    const [one, other] = [await watching(application.databaseUrl), await watching(application.databaseUrl)];
    const challenge = await application.challenge(await enrol());
    const waits = [
      await one.wait(challenge.transactionid),
      await one.wait(challenge.transactionid),
      await other.wait(challenge.transactionid),
    ];
    await application.check(challenge.transactionid, answerTo(challenge));
    const ends = await Promise.all(waits.map(({ waited }) => waited));
    expect(ends.map(({ end, state }) => [end, state?.validTan])).toEqual(waits.map(() => ['changed', true]));
  });

  it('sees a change without a notice, where none can come', async () => {
    const { wait } = await watching(undefined, 20);
    const challenge = await application.challenge(await enrol());
    const { waited } = await wait(challenge.transactionid);
    await application.check(challenge.transactionid, answerTo(challenge));
    expect((await waited).end).toBe('changed');
  });

  it('sees a change that came while the notices were cut off', async () => {
    const proxy = await DatabaseProxy.start(application.databaseUrl);
    cleanUps.push(() => proxy.stop());
    const { wait, watch } = await watching(proxy.url);
    const challenge = await application.challenge(await enrol());
    const { waited } = await wait(challenge.transactionid);
    await proxy.cut();
    await application.check(challenge.transactionid, answerTo(challenge));
    await proxy.restore();
    expect((await waited).end).toBe('changed');
    const next = await application.challenge(await enrol());
    const second = await begin(watch, next.transactionid);
    await application.check(next.transactionid, answerTo(next));
    expect((await second.waited).end).toBe('changed');
  });
});

describe('a change at the moment at which the wait begins', () => {
  it('is seen where it comes before the mark', async () => {
    const { watch } = await watching(application.databaseUrl);
    const challenge = await application.challenge(await enrol());
    const [row] = await rowsOf(challenge.transactionid);
    const since = { receivedTan: false, validTan: false, failCount: 0, closedBy: null };
    const wanted = { id: row?.id ?? '', administrator: 'portal', since, waitMs: 60_000, openMs: NEVER };
    const waited = await whileHeld(
      MARK,
      () => watch.wait(wanted, new AbortController().signal),
      () => application.check(challenge.transactionid, answerTo(challenge)),
    );
    expect(waited).toMatchObject({ end: 'changed', state: { validTan: true } });
  });

  it('is notified where the response was decided before the mark', async () => {
    const { wait } = await watching(application.databaseUrl);
    const challenge = await application.challenge(await enrol());
    let waited: Promise<Waited> | undefined;
    await whileHeld(
      /UPDATE challenges\s+SET wrong_count/,
      () => application.check(challenge.transactionid, answerTo(challenge)),
      async () => {
        ({ waited } = await wait(challenge.transactionid));
      },
    );
    expect(await waited).toMatchObject({ end: 'changed', state: { validTan: true } });
  });

  it('is notified where the response has to wait for the mark', async () => {
    const { notices } = await listener();
    const challenge = await application.challenge(await enrol());
    const [row] = await rowsOf(challenge.transactionid);
    const marking = new pg.Client({ connectionString: application.databaseUrl });
    await marking.connect();
    cleanUps.push(() => marking.end());
    await marking.query('BEGIN');
    await marking.query("UPDATE challenges SET watched_until = now() + interval '1 hour' WHERE id = $1", [
      row?.id,
    ]);
    const answered = application.check(challenge.transactionid, answerTo(challenge));
    const { database } = await watching(undefined);
    await untilWaiting(database);
    await marking.query('COMMIT');
    expect(await answered).toEqual({ failcount: 0, result: true });
    await until(() => Promise.resolve(notices.length > 0));
    expect(notices).toEqual([`public ${row?.id ?? ''}`]);
  });
});

describe('a mark', () => {
  it('does not change the version of the token, and no decision', async () => {
    const { wait } = await watching(application.databaseUrl);
    const challenge = await application.challenge(await enrol());
    const [before] = await rowsOf(challenge.transactionid);
    await wait(challenge.transactionid);
    const [after] = await rowsOf(challenge.transactionid);
    expect(after).toEqual({ ...before, watched: true });
  });

  it('stays for the next wait, which writes nothing', async () => {
    const { wait, watch } = await watching(application.databaseUrl);
    const { transactionid } = await application.challenge(await enrol());
    const place = (): Promise<unknown[]> =>
      queryOnce(application.databaseUrl, 'SELECT ctid FROM challenges WHERE transaction_id = $1', [
        transactionid,
      ]);
    await wait(transactionid);
    const marked = await place();
    await wait(transactionid);
    watch.lost();
    expect(await place()).toEqual(marked);
  });
});

describe('a transaction that no request waits for', () => {
  it('is not notified', async () => {
    const { notices } = await listener();
    const serial = await enrol();
    const first = await application.challenge(serial);
    await wrong(first);
    await application.check(first.transactionid, answerTo(first));
    await application.asAdmin('/admin/remove', { serial });
    const watched = await application.challenge(await enrol());
    const { wait } = await watching(undefined);
    await wait(watched.transactionid);
    await application.check(watched.transactionid, answerTo(watched));
    await until(() => Promise.resolve(notices.length > 0));
    const [row] = await rowsOf(watched.transactionid);
    expect(notices).toEqual([`public ${row?.id ?? ''}`]);
  });
});
