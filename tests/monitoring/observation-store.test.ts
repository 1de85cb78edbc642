import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ResponseMinute } from '../../src/monitoring/observation-store.ts';
import { ObservationStore } from '../../src/monitoring/observation-store.ts';
import { databaseOfTests } from '../support/database/test-database.ts';

const FIRST = new Date('2026-11-20T12:00:00Z');
const SECOND = new Date('2026-11-20T12:01:00Z');

const test = databaseOfTests();
let store: ObservationStore;

beforeAll(() => {
  store = new ObservationStore({ database: test.database });
});

const seen = (minute: Date, outcome: ResponseMinute['outcome'], durations: number[]): ResponseMinute => ({
  minute,
  outcome,
  durations,
});

async function resolver(name: string): Promise<void> {
  await test.database.knex('resolvers').insert({ name, kind: 'managed', settings: {} });
}

describe('numbers of responses', () => {
  it('of several processes add up, also where these write at once', async () => {
    const some = [seen(FIRST, 'wrong', [1, 0, 2]), seen(FIRST, 'accepted', [1]), seen(SECOND, 'wrong', [5])];
    await Promise.all(
      Array.from({ length: 8 }, (_, place) =>
        store.add({ responses: place % 2 === 0 ? some : [...some].reverse(), resolvers: [] }),
      ),
    );
    await store.add({ responses: [seen(FIRST, 'accepted', [0, 0, 0, 7])], resolvers: [] });
    expect(await store.responsesSince(FIRST)).toEqual([
      seen(FIRST, 'accepted', [8, 0, 0, 7]),
      seen(FIRST, 'wrong', [8, 0, 16]),
      seen(SECOND, 'wrong', [40]),
    ]);
    expect(await store.responsesSince(SECOND)).toEqual([seen(SECOND, 'wrong', [40])]);
  });
});

describe('uses of resolvers', () => {
  it('keep the last of each kind, whatever order they are written in', async () => {
    await resolver('one');
    await resolver('two');
    await store.add({
      responses: [],
      resolvers: [
        { resolver: 'one', succeededAt: SECOND },
        { resolver: 'two', failedAt: FIRST },
        { resolver: 'gone', failedAt: FIRST },
      ],
    });
    await store.add({ responses: [], resolvers: [{ resolver: 'one', succeededAt: FIRST, failedAt: FIRST }] });
    const uses = await store.resolverUses();
    expect([...uses].sort((one, other) => (one.resolver < other.resolver ? -1 : 1))).toEqual([
      { resolver: 'one', succeededAt: SECOND, failedAt: FIRST },
      { resolver: 'two', failedAt: FIRST },
    ]);
  });

  it('are not hidden by a use that a server with a wrong clock dates ahead', async () => {
    await resolver('ahead');
    const tomorrow = new Date(Date.now() + 86_400_000);
    await store.add({ responses: [], resolvers: [{ resolver: 'ahead', failedAt: tomorrow }] });
    await store.add({ responses: [], resolvers: [{ resolver: 'ahead', succeededAt: tomorrow }] });
    const use = (await store.resolverUses()).find((one) => one.resolver === 'ahead');
    expect(use?.failedAt?.getTime()).toBeLessThan(tomorrow.getTime());
    // Both were written now, perhaps in the same millisecond.
    expect(use?.succeededAt?.getTime()).toBeGreaterThanOrEqual(use?.failedAt?.getTime() ?? Number.NaN);
  });

  it('go with the resolver', async () => {
    await resolver('short');
    await store.add({ responses: [], resolvers: [{ resolver: 'short', succeededAt: FIRST }] });
    await test.database.knex('resolvers').where({ name: 'short' }).delete();
    expect((await store.resolverUses()).map((use) => use.resolver)).not.toContain('short');
  });
});
