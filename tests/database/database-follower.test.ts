import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

import { type Database, openDatabase } from '../../src/database/database.ts';
import { DatabaseClock } from '../../src/database/database-clock.ts';
import { DatabaseFollower } from '../../src/database/database-follower.ts';
import { ConfigurationStore } from '../../src/configuration/configuration-store.ts';
import { DatabaseProxy } from '../support/database/database-proxy.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { ACT } from '../support/values/token-values.ts';
import { until } from '../support/values/until.ts';

/** So long that within a test it never comes. */
const NEVER = 600_000;
const LISTENER = 'test listener';

const test = databaseOfTests();
let elsewhere: ConfigurationStore;
const cleanUps: (() => Promise<void>)[] = [];

beforeAll(() => {
  elsewhere = new ConfigurationStore({ database: test.database, clock: { now: () => new Date() } });
});

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) {
    await cleanUp();
  }
  // The next test must not take the listener of this one for its own.
  await until(async () => (await listeners(0)).length === 0);
});

/** A server as far as its configuration goes: a store that follows, and the log. */
interface Following {
  readonly store: ConfigurationStore;
  readonly follower: DatabaseFollower;
  readonly logged: string[];
  /** The number of times that the configuration was asked for and answered. */
  readonly requested: () => number;
}

interface World {
  /** The connection of the store to the database. */
  readonly database?: Database;
  /** The connection of the listener to it. */
  readonly listenTo?: string;
  readonly poll?: number;
  readonly answer?: number;
  readonly window?: number;
  readonly clock?: DatabaseClock;
}

function follow(world: World = {}): Following {
  const { database = test.database, listenTo = test.url, poll = NEVER, window = NEVER } = world;
  const store = new ConfigurationStore({ database, clock: { now: () => new Date() }, window });
  const logged: string[] = [];
  const line = (message: string, fields: object = {}): void => {
    logged.push(`${message} ${JSON.stringify(fields)}`);
  };
  let requested = 0;
  const follower = new DatabaseFollower({
    memory: {
      confirm: async () => {
        await store.confirm();
        requested += 1;
      },
      expire: () => {
        store.expire();
      },
      follow: () => undefined,
    },
    database: { connection: listenTo, applicationName: LISTENER, acquireTimeoutMs: NEVER },
    log: { error: line, warn: line, info: line, debug: line },
    clock: world.clock ?? new DatabaseClock(),
    poll,
    ...(world.answer !== undefined && { answer: world.answer }),
  });
  cleanUps.push(() => follower.stop());
  follower.start();
  return { store, follower, logged, requested: () => requested };
}

/** @returns the process numbers of the listeners that stand, but for one */
async function listeners(except: number, and = ''): Promise<readonly number[]> {
  const { rows } = await test.database.knex.raw<{ rows: { pid: number }[] }>(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = ? AND pid <> ? ${and}`,
    [LISTENER, except],
  );
  return rows.map(({ pid }) => pid);
}

/** Waits until a listener stands that is not the one of that process number. @returns its number */
async function untilListening(except = 0): Promise<number> {
  let found: number | undefined;
  await until(async () => {
    // A look that was answered, which comes after LISTEN: whoever ends the connection then disturbs none.
    [found] = await listeners(except, "AND query LIKE '% AS writable' AND state = 'idle'");
    return found !== undefined;
  });
  return found ?? 0;
}

/** Waits until a new server listens and has asked for all that came before, so that it will not ask by itself. */
async function untilInStep({ requested }: Following): Promise<number> {
  const pid = await untilListening();
  await until(() => requested() === 2);
  return pid;
}

const noticed = (store: ConfigurationStore, key: string): Promise<void> =>
  until(() => store.kept?.settings.has(key) === true);

/** Changes something on another server. */
const change = (key: string): Promise<void> => elsewhere.putSettings(new Map([[key, '1']]), ACT);

describe('a server without requests', () => {
  it('is told of a change of each kind on another server, also of one that was made by hand', async () => {
    const { store } = follow();
    await untilListening();
    await change('reported');
    await noticed(store, 'reported');
    await elsewhere.putResolver({ name: 'people', kind: 'managed', settings: {} }, ACT);
    await until(() => store.kept?.resolvers.length === 1);
    await elsewhere.putRealm('north', ['people'], ACT);
    await until(() => store.kept?.realms[0]?.resolvers[0] === 'people');
    await test.database.knex('realm_resolvers').delete();
    await until(() => store.kept?.realms[0]?.resolvers.length === 0);
    await test.database.knex('policies').update({ active: false });
    await until(() => store.kept?.policies[0]?.active === false);
    expect(store.kept?.revision).toBe((await elsewhere.current()).revision);
  });

  it('learns of a change that was made before it listened', async () => {
    const { store } = follow();
    await until(() => store.kept !== undefined);
    await change('early');
    await untilListening();
    await noticed(store, 'early');
    expect(store.kept?.revision).toBe((await elsewhere.current()).revision);
  });

  it('notices by asking where nothing tells', async () => {
    const { store, logged } = follow({ listenTo: 'postgres://127.0.0.1:1/nobody', poll: 20 });
    await until(() => store.kept !== undefined);
    await change('asked');
    await noticed(store, 'asked');
    await until(() => logged.length > 0);
    // Another look, which says it no more.
    await sleep(700);
    expect(logged).toEqual([
      expect.stringMatching(/^The database is away.*database\.unavailable.*ECONNREFUSED/),
    ]);
  });
});

describe('a connection that tells of changes', () => {
  it('comes back after its end', async () => {
    const { store, logged } = follow();
    const pid = await untilListening();
    await test.database.knex.raw('SELECT pg_terminate_backend(?)', [pid]);
    await untilListening(pid);
    await change('after the end');
    await noticed(store, 'after the end');
    expect(logged).toEqual([]);
  });

  it('has the configuration asked for at once when it ends', async () => {
    const following = follow();
    const pid = await untilInStep(following);
    const { store } = following;
    const before = await store.current();
    // As if the notice had been lost with the connection.
    await test.database.knex.transaction(async (transaction) => {
      await transaction.raw('SET LOCAL session_replication_role = replica');
      await transaction('configuration').insert({ key: 'lost', value: '1' });
      await transaction('configuration_state').update({ revision: before.revision + 1n });
    });
    await sleep(100);
    expect(await store.current()).toBe(before);
    await test.database.knex.raw('SELECT pg_terminate_backend(?)', [pid]);
    await noticed(store, 'lost');
  });

  it('counts as lost, and is made anew, when it gives no sign of life', async () => {
    const proxy = await DatabaseProxy.start(test.url);
    cleanUps.push(() => proxy.stop());
    const { store, logged } = follow({ listenTo: proxy.url, answer: 1_000 });
    const pid = await untilListening();
    proxy.silence();
    await until(() => logged.length > 0);
    await until(() => logged.length > 1);
    expect(await untilListening(pid)).not.toBe(pid);
    await change('after the silence');
    await noticed(store, 'after the silence');
  });

  it('can be ended while it is still being made, and its end is not logged', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    const { follower, logged } = follow({ listenTo: `postgres://127.0.0.1:${port}/nobody` });
    await until(() => sockets.length > 0);
    // Far sooner than an answer is waited for, which is longer than a test may take.
    await follower.stop();
    sockets.forEach((socket) => socket.destroy());
    silent.close();
    await sleep(300);
    expect(logged).toEqual([]);
  });
});

describe('while the database is away', () => {
  it('nobody is served by an old configuration; it is logged once, and once that it is back', async () => {
    const proxy = await DatabaseProxy.start(test.url);
    const database = openDatabase({ connection: proxy.url, acquireTimeoutMs: 20_000 });
    cleanUps.push(
      () => proxy.stop(),
      () => database.close(),
    );
    const { store, logged } = follow({ database, listenTo: proxy.url, poll: 50, window: 200 });
    await untilListening();
    await store.current();
    await proxy.cut();
    await until(() => logged.length > 0);
    // Longer than what was read is trusted.
    await sleep(400);
    await expect(store.current()).rejects.toMatchObject({ code: 'database.unavailable' });
    expect(logged).toHaveLength(1);
    await change('meanwhile');
    await proxy.restore();
    await noticed(store, 'meanwhile');
    await until(() => logged.length === 2);
    expect(logged[1]).toMatch(/^The database is back/);
    expect((await store.current()).settings.has('meanwhile')).toBe(true);
  });
});

describe('a database that takes no writes any more', () => {
  it('is away', async () => {
    const { logged } = follow();
    const pid = await untilListening();
    const name = new URL(test.url).pathname.slice(1);
    await test.database.knex.raw(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    // Between two looks: one that is cut off would be the fault that is logged.
    await until(async () => {
      const { rows } = await test.database.knex.raw<{ rows: unknown[] }>(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE pid = ? AND state = 'idle' AND query LIKE '% AS writable'`,
        [pid],
      );
      return rows.length > 0;
    });
    await until(() => logged.length > 0);
    expect(logged[0]).toMatch(/^The database is away.*accepts no writes/);
    await test.database.knex.raw(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await until(() => logged.length > 1);
    expect(logged[1]).toMatch(/^The database is back/);
  });
});

describe('the clock of the database', () => {
  it('is followed, and a difference to that of the machine is told once, as its end', async () => {
    let fast = 60_000;
    const clock = new DatabaseClock({ machine: () => Date.now() + fast });
    const { logged } = follow({ clock });
    await until(() => logged.length > 0);
    expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(4_000);
    fast = 0;
    await until(() => logged.length > 1);
    expect(logged).toEqual([
      expect.stringMatching(/^The clock of this machine differs .*"clockOffset":60/),
      expect.stringMatching(/^The clock of this machine agrees/),
    ]);
  });
});

describe('the notice of a change', () => {
  it('comes once for each transaction, when it is committed, and names the schema', async () => {
    const client = new pg.Client({ connectionString: test.url });
    await client.connect();
    cleanUps.push(() => client.end());
    const notices: unknown[] = [];
    client.on('notification', ({ channel, payload }) => notices.push([channel, payload]));
    await client.query('LISTEN tankeeper_configuration');
    const { knex } = test.database;
    await knex.transaction(async (transaction) => {
      await transaction('configuration').insert({ key: 'one', value: '1' });
      await transaction('configuration').insert({ key: 'two', value: '2' });
      await transaction('policies').update({ active: true });
    });
    await knex
      .transaction(async (transaction) => {
        await transaction('configuration').delete();
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    await client.query('SELECT 1');
    expect(notices).toEqual([['tankeeper_configuration', 'public']]);
  });

  it('of another schema in the same database is not for us', async () => {
    let requested = 0;
    const memory = {
      confirm: () => Promise.resolve((requested += 1)),
      expire: (): void => undefined,
      follow: (): void => undefined,
    };
    const silent = (): void => undefined;
    const log = { error: silent, warn: silent, info: silent, debug: silent };
    const database = { connection: test.url, applicationName: LISTENER };
    const clock = new DatabaseClock();
    const follower = new DatabaseFollower({ memory, database, log, clock, poll: NEVER });
    cleanUps.push(() => follower.stop());
    follower.start();
    await untilListening();
    await until(() => requested === 2);
    await test.database.knex.raw("NOTIFY tankeeper_configuration, 'other'");
    await sleep(200);
    expect(requested).toBe(2);
    await test.database.knex.raw("NOTIFY tankeeper_configuration, 'public'");
    await until(() => requested === 3);
  });
});
