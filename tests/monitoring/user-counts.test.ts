import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Resolver } from '../../src/configuration/configuration.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { type KeptUserCount, UserCountStore } from '../../src/monitoring/user-count-store.ts';
import { type CountedUsers, UserCounts } from '../../src/monitoring/user-counts.ts';
import { ServiceMetrics } from '../../src/observability/metrics.ts';
import { type Deferred, deferred } from '../support/values/until.ts';
import { eventualRefusal } from '../support/values/refusal.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { countingSources } from '../support/application/user-sources.ts';
import { configurationOf } from '../support/values/configuration-value.ts';

/** Milliseconds: long enough for whatever answers at once, on any machine. */
const SHORT = 200;
const START = new Date('2026-11-20T12:00:00Z');
const STAFF: Resolver = {
  id: '1',
  name: 'Staff',
  kind: 'passwd',
  settings: { fileName: '/a' },
  isBounded: false,
};
const REFUSED = new ServiceError('resolver.unavailable', "The resolver 'Staff' is unavailable: it refuses");

let now: Date;
let asks: Deferred<number>[];
let logged: string[];
let metrics: ServiceMetrics;
let counts: UserCounts;
const test = databaseOfTests();
let stored: UserCountStore;
/** Every count that was to be stored, and the ends of the writes. */
let given: KeptUserCount[];
let writes: Promise<void>[];
/** Where counts are stored: `stored`, unless a test puts a fault there. */
let store: Pick<UserCountStore, 'find' | 'keep'>;

beforeAll(async () => {
  await test.database
    .knex('resolvers')
    .insert({ name: STAFF.name, kind: STAFF.kind, settings: STAFF.settings });
  stored = new UserCountStore(test);
});

beforeEach(async () => {
  await test.database.knex('resolver_user_counts').delete();
  now = START;
  [given, writes] = [[], []];
  store = {
    find: (ids) => stored.find(ids),
    keep: (count) => {
      given.push(count);
      const write = stored.keep(count);
      writes.push(write);
      return write;
    },
  };
  counts = newCounts();
});

afterEach(() => Promise.all(writes));

async function kept(): Promise<KeptUserCount | undefined> {
  await Promise.all(writes);
  return (await stored.find([STAFF.id]))[0];
}

/** As a server that has just started has them. */
function newCounts(timeoutMs = 30_000): UserCounts {
  asks = [];
  logged = [];
  const clock = { now: () => now };
  metrics = new ServiceMetrics({ clock });
  const line = (message: string, fields?: object): void => {
    logged.push(JSON.stringify({ message, ...fields }));
  };
  return new UserCounts({
    sources: countingSources(() => {
      const ask = deferred<number>();
      asks.push(ask);
      return ask.promise;
    }),
    store: { find: (ids) => store.find(ids), keep: (count) => store.keep(count) },
    metrics: metrics.resolvers,
    observations: { resolverUsed: () => undefined },
    clock,
    timeoutMs,
    log: { error: line, warn: line, info: line, debug: line },
  });
}

const SETUP = configurationOf({ resolvers: [STAFF] });

async function count(configuration = SETUP): Promise<CountedUsers | undefined> {
  return (await counts.of(configuration, ['Staff'])).get('Staff');
}

async function counted(users: number): Promise<CountedUsers | undefined> {
  const answer = count();
  await turn();
  asks.at(-1)?.resolve(users);
  return answer;
}

async function refused(): Promise<CountedUsers | undefined> {
  const answer = count();
  await turn();
  asks.at(-1)?.reject(REFUSED);
  return answer;
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

function advance(seconds: number): void {
  now = new Date(now.getTime() + seconds * 1000);
}

describe('a resolver that fails', () => {
  it('with a reason that is not meant for clients is reported without it', async () => {
    await counted(40);
    const answer = count();
    await turn();
    asks.at(-1)?.reject(new Error('password=secret'));
    expect((await answer)?.stale?.reason).toBe('Its users could not be counted');
    expect(logged.join()).not.toContain('secret');
  });
});

describe('a resolver that hangs', () => {
  beforeEach(() => {
    counts = newCounts(SHORT);
  });

  it('is queried again when its late answer was a failure, or when it was given up', async () => {
    await counted(40);
    await count();
    asks.at(-1)?.reject(REFUSED);
    await turn();
    expect(await counted(41)).toEqual({ users: 41 });
    await count();
    const lost = asks.at(-1);
    advance((SHORT / 1000) * 10);
    expect(await counted(42)).toEqual({ users: 42 });
    lost?.resolve(1);
    await turn();
    expect((await refused())?.users).toBe(42);
  });
});

describe('the last known count', () => {
  it('is not taken from the answer to a query under older settings', async () => {
    counts = newCounts(SHORT);
    const old = eventualRefusal(count());
    await turn();
    const changed = configurationOf({ resolvers: [{ ...STAFF, settings: { fileName: '/b' } }] });
    const context = count(changed);
    await turn();
    asks[1]?.resolve(5);
    expect(await context).toEqual({ users: 5 });
    await old;
    asks[0]?.resolve(99);
    await turn();
    expect((await kept())?.users).toBe(5);
  });

  it('is missed of several resolvers: the refusal names all of them', async () => {
    const other = { ...STAFF, id: '77', name: 'Other' };
    const answer = counts.of(configurationOf({ resolvers: [STAFF, other] }), ['Staff', 'Other']);
    const refusal = expect(answer).rejects.toMatchObject({
      code: 'resolver.unavailable',
      message: "Users cannot be counted, resolver unavailable: 'Other', 'Staff'",
    });
    await turn();
    asks.forEach((ask) => {
      ask.reject(REFUSED);
    });
    await refusal;
  });

  it('that cannot be read or written delays and fails nothing', async () => {
    store.keep = () => Promise.reject(new Error('disk full'));
    store.find = () => Promise.reject(new Error('disk full'));
    expect(await counted(40)).toEqual({ users: 40 });
    expect(await refused()).toMatchObject({ users: 40 });
    store.keep = () => new Promise(() => undefined);
    expect(await counted(41)).toEqual({ users: 41 });
  });
});

describe('a managed resolver', () => {
  const own = configurationOf({ resolvers: [{ ...STAFF, kind: 'managed' }] });

  it('is queried by each request: a user who was added just before counts', async () => {
    const answers = [count(own), count(own)];
    await turn();
    expect(asks).toHaveLength(2);
    asks[0]?.resolve(3);
    asks[1]?.resolve(4);
    expect(await Promise.all(answers)).toEqual([{ users: 3 }, { users: 4 }]);
  });
});
