import { describe, expect, it } from '@jest/globals';
import { systemClock } from '../../src/kernel/clock.ts';
import { openDatabase } from '../../src/database/database.ts';
import { AttemptLimit, LocalCounts } from '../../src/limits/attempt-limit.ts';
import { LimitStore } from '../../src/limits/limit-store.ts';
import { databaseOfTests } from '../support/database/test-database.ts';

const database = databaseOfTests();

function limit(name: string, points: number, clock = systemClock, at = database.database): AttemptLimit {
  return new AttemptLimit({ name, points, duration: 600, clock, store: new LimitStore({ database: at }) });
}

async function countTimes(times: number, counted: AttemptLimit, key = 'x'): Promise<boolean[]> {
  const allowed: boolean[] = [];
  for (let index = 0; index < times; index += 1) {
    allowed.push((await counted.count(key)) === 0);
  }
  return allowed;
}

describe('a shared limit', () => {
  it('allows as many as it says, and knows in memory from the last one on that the key has to wait', async () => {
    const counted = limit('a', 3);
    expect(await countTimes(2, counted)).toEqual([true, true]);
    expect(counted.wait('x')).toBe(0);
    expect(await countTimes(3, counted)).toEqual([true, false, false]);
    expect(counted.wait('x')).toBeGreaterThan(500_000);
    expect(counted.wait('x')).toBeLessThanOrEqual(600_000);
    expect(counted.wait('y')).toBe(0);
    expect(await countTimes(1, counted, 'y')).toEqual([true]);
  });

  it('goes on where it was for a server that was started anew, and not for a limit of another name', async () => {
    await countTimes(3, limit('b', 3));
    expect(await countTimes(1, limit('b', 3))).toEqual([false]);
    expect(await countTimes(1, limit('c', 3))).toEqual([true]);
  });

  it('counts exactly what comes at once to several servers', async () => {
    const servers = Array.from({ length: 4 }, () => limit('d', 25));
    const waits = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => servers[index % 4]?.count('x')),
    );
    expect(waits.filter((wait) => wait === 0)).toHaveLength(25);
  });

  it('begins anew when its time is over', async () => {
    let later = 0;
    const counted = limit('e', 1, { now: () => new Date(Date.now() + later) });
    expect(await countTimes(2, counted)).toEqual([true, false]);
    later = 600_000;
    expect(counted.wait('x')).toBe(0);
    expect(await countTimes(1, counted)).toEqual([true]);
  });

  it('keeps nobody out for longer than its time, also when the clock is set back', async () => {
    let later = 0;
    const counted = limit('clock', 1, { now: () => new Date(Date.now() + later) });
    // A year ahead.
    later = 31_536_000_000;
    expect(await countTimes(1, counted)).toEqual([true]);
    expect(counted.wait('x')).toBeGreaterThan(0);
    later = 0;
    expect(counted.wait('x')).toBe(0);
    const wait = await counted.count('x');
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(600_000);
    later = 600_000;
    expect(await countTimes(1, counted)).toEqual([true]);
  });

  it('goes by what this server has counted while the database is away', async () => {
    const away = openDatabase({ connection: 'postgres://nobody@127.0.0.1:1/none' });
    const counted = limit('f', 2, systemClock, away);
    expect(await countTimes(3, counted)).toEqual([true, true, false]);
    expect(counted.wait('x')).toBeGreaterThan(0);
    await away.close();
  });

  it('leaves rows that say when they expire', async () => {
    await limit('g', 5).count('x');
    const [row] = await database.rows<{ points: number; expire: string }>(
      `SELECT points, expire FROM rate_limits WHERE key = 'g:x'`,
    );
    expect(row?.points).toBe(1);
    expect(Number(row?.expire)).toBeGreaterThan(Date.now() + 500_000);
  });
});

describe('counts in memory', () => {
  it('begin anew when the window of a key ends, which began with its first attempt', () => {
    const counts = new LocalCounts(1_000);
    expect(counts.change('a', 1, 0)).toEqual({ attempts: 1, wait: 1_000 });
    expect(counts.change('a', 1, 400)).toEqual({ attempts: 2, wait: 600 });
    expect(counts.change('b', 1, 500)).toEqual({ attempts: 1, wait: 1_000 });
    expect(counts.change('a', -1, 999)).toEqual({ attempts: 1, wait: 1 });
    expect(counts.change('a', 1, 1_000)).toEqual({ attempts: 1, wait: 1_000 });
    expect(counts.change('b', 1, 1_499)).toEqual({ attempts: 2, wait: 1 });
  });

  it('of a flood of keys take bounded room: the latest are still known', () => {
    const counts = new LocalCounts(60_000, 100);
    for (let index = 0; index < 10_000; index += 1) {
      counts.change(`key ${index}`, 1, index);
    }
    const known = Array.from({ length: 10_000 }, (_, index) => counts.of(`key ${index}`, 10_000).attempts);
    expect(known).toEqual([...Array<number>(9_900).fill(0), ...Array<number>(100).fill(1)]);
  });

  it('do not hold up anybody for longer than a window when the clock is set back', () => {
    const counts = new LocalCounts(1_000);
    counts.change('a', 1, 1_000_000);
    expect(counts.change('a', 1, 0)).toEqual({ attempts: 1, wait: 1_000 });
  });
});
