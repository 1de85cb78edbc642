import { describe, expect, it } from '@jest/globals';

import { SharedWork, type SharedWorkOptions } from '../../src/database/shared-statements.ts';
import { type Deferred, deferred } from '../support/values/deferred.ts';

type Outcomes = readonly PromiseSettledResult<string>[];

/** Groups at work, each of which the test ends. */
interface Groups {
  readonly shared: SharedWork<string, string>;
  readonly begun: { readonly items: readonly string[]; readonly end: Deferred<Outcomes> }[];
}

function open(options: Partial<SharedWorkOptions<string, string>> = {}): Groups {
  const begun: Groups['begun'] = [];
  const shared = new SharedWork<string, string>({
    maxItems: 3,
    maxGroups: 1,
    maxWaitMs: 60_000,
    refuse: () => new Error('too late'),
    work: (items) => {
      const end = deferred<Outcomes>();
      begun.push({ items, end });
      return end.promise;
    },
    ...options,
  });
  return { shared, begun };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const settled = (...items: readonly string[]): Outcomes =>
  items.map((item) => ({ status: 'fulfilled', value: `done ${item}` }));

function itemsOf({ begun }: Groups): readonly (readonly string[])[] {
  return begun.map(({ items }) => items);
}

describe('shared work', () => {
  it('begins with a lone item at once', async () => {
    const groups = open();
    const one = groups.shared.do('a');
    await turn();
    expect(itemsOf(groups)).toEqual([['a']]);
    groups.begun[0]?.end.resolve(settled('a'));
    expect(await one).toBe('done a');
  });

  it('takes items that come together, or while a group is at work, as one group', async () => {
    const groups = open();
    const all = ['a', 'b'].map((item) => groups.shared.do(item));
    await turn();
    all.push(groups.shared.do('c'));
    await turn();
    all.push(groups.shared.do('d'));
    await turn();
    expect(itemsOf(groups)).toEqual([['a', 'b']]);
    groups.begun[0]?.end.resolve(settled('a', 'b'));
    await turn();
    await turn();
    expect(itemsOf(groups)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    groups.begun[1]?.end.resolve(settled('c', 'd'));
    expect(await Promise.all(all)).toEqual(['done a', 'done b', 'done c', 'done d']);
  });

  it('takes no more items than allowed, in the order in which they came', async () => {
    const groups = open({ maxGroups: 2 });
    const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((item) => groups.shared.do(item));
    await turn();
    await turn();
    await turn();
    expect(itemsOf(groups)).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e', 'f'],
    ]);
    groups.begun[1]?.end.resolve(settled('d', 'e', 'f'));
    await turn();
    await turn();
    expect(itemsOf(groups)).toHaveLength(3);
    groups.begun[0]?.end.resolve(settled('a', 'b', 'c'));
    groups.begun[2]?.end.resolve(settled('g'));
    expect(await Promise.all(all)).toHaveLength(7);
  });

  it('works on each item alone, and on all at once, where it is not shared', async () => {
    const groups = open({ maxItems: 1, maxGroups: Infinity });
    const all = ['a', 'b', 'c'].map((item) => groups.shared.do(item));
    await turn();
    await turn();
    await turn();
    expect(itemsOf(groups)).toEqual([['a'], ['b'], ['c']]);
    groups.begun.forEach(({ items, end }) => {
      end.resolve(settled(...items));
    });
    expect(await Promise.all(all)).toEqual(['done a', 'done b', 'done c']);
  });

  it('gives each item its own outcome, also an error, and one that is missing', async () => {
    const groups = open();
    const all = Promise.allSettled(['a', 'b', 'c'].map((item) => groups.shared.do(item)));
    await turn();
    const reason = new Error('b is wrong');
    groups.begun[0]?.end.resolve([...settled('a'), { status: 'rejected', reason }]);
    expect(await all).toMatchObject([
      { status: 'fulfilled', value: 'done a' },
      { status: 'rejected', reason },
      { status: 'rejected', reason: { message: expect.stringContaining('no outcome') as unknown } },
    ]);
  });

  it.each<[string, (reason: Error) => Promise<Outcomes>]>([
    ['is refused', (reason) => Promise.reject(reason)],
    [
      'throws at once',
      (reason) => {
        throw reason;
      },
    ],
  ])('fails for the items of a group that %s, and goes on with the next group', async (_title, fail) => {
    const reason = new Error('all are wrong');
    let groups = 0;
    const { shared } = open({
      work: (items) => {
        groups += 1;
        return groups === 1 ? fail(reason) : Promise.resolve(settled(...items));
      },
    });
    const all = await Promise.allSettled(['a', 'b', 'c', 'd'].map((item) => shared.do(item)));
    expect(all.slice(0, 3)).toEqual([1, 2, 3].map(() => ({ status: 'rejected', reason })));
    expect(all[3]).toEqual({ status: 'fulfilled', value: 'done d' });
  });

  it('refuses an item that waits too long for its group, and no other', async () => {
    const groups = open({ maxItems: 1, maxWaitMs: 20 });
    const first = groups.shared.do('a');
    await turn();
    await expect(groups.shared.do('b')).rejects.toThrow('too late');
    const third = groups.shared.do('c');
    groups.begun[0]?.end.resolve(settled('a'));
    expect(await first).toBe('done a');
    await turn();
    await turn();
    expect(itemsOf(groups)).toEqual([['a'], ['c']]);
    groups.begun[1]?.end.resolve(settled('c'));
    expect(await third).toBe('done c');
  });
});
