import { describe, expect, it } from '@jest/globals';
import { SharedWork, type SharedWorkOptions, KeyedQueue } from '../../src/database/shared-statements.ts';
import { type Deferred, deferred } from '../support/values/until.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { assertStorable, isRowId, isStorable, storableForm } from '../../src/kernel/text.ts';

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

/** Work that ends when it is told to. */
class Work {
  begun = false;
  readonly #end = deferred<string>();
  readonly end = this.#end.resolve;

  readonly run = (): Promise<string> => {
    this.begun = true;
    return this.#end.promise;
  };

  fail(fault = new Error('failed')): void {
    this.#end.reject(fault);
  }
}

describe('work of one key', () => {
  it('begins when all before it has ended, in the order in which it came', async () => {
    const turns = new KeyedQueue();
    const [first, second, third] = [new Work(), new Work(), new Work()];
    const results = [first, second, third].map(({ run }) => turns.run('key', run));
    expect([first.begun, second.begun, third.begun]).toEqual([true, false, false]);
    first.end('one');
    expect(await results[0]).toBe('one');
    expect([second.begun, third.begun]).toEqual([true, false]);
    second.end('two');
    third.end('three');
    expect(await Promise.all(results)).toEqual(['one', 'two', 'three']);
  });
});

describe('work that has waited for long', () => {
  const AWAY = new ServiceError('database.unavailable', 'the database took too long');

  it('is given up with the one before that the database kept waiting in vain, and so on', async () => {
    const turns = new KeyedQueue(0);
    const work = [new Work(), new Work(), new Work()];
    const results = Promise.allSettled(work.map(({ run }) => turns.run('key', run)));
    work[0]?.fail(AWAY);
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(work.map(({ begun }) => begun)).toEqual([true, false, false]);
    // Whoever comes now has not waited.
    const next = new Work();
    next.end('next');
    expect(await turns.run('key', next.run)).toBe('next');
  });

  it('begins after what failed for another reason, or soon', async () => {
    for (const [turns, fault] of [
      [new KeyedQueue(0), new Error('failed')],
      [new KeyedQueue(), AWAY],
    ] as const) {
      const [first, second] = [new Work(), new Work()];
      const results = Promise.allSettled([first, second].map(({ run }) => turns.run('key', run)));
      first.fail(fault);
      second.end('two');
      expect((await results).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    }
  });
});

const UNSTORABLE = ['\0', 'a\0b', '\ud800', 'x\udfff', '\udc00\ud800'];

describe('text that the database cannot hold', () => {
  it.each(UNSTORABLE)('%j is told apart, refused, or made storable', (text) => {
    expect(isStorable('fine', text)).toBe(false);
    expect(() => {
      assertStorable('fine', null, undefined, text);
    }).toThrow(/NUL/);
    expect(isStorable(storableForm(text))).toBe(true);
    expect(storableForm(text)).toHaveLength(text.length);
  });
});

describe('the id of a row', () => {
  it.each(['', '0', '-1', '01', '1.0', ' 1', '1\n', '1e3', 'x', '*', '1;', '9223372036854775808', '\0'])(
    'cannot be %j',
    (text) => {
      expect(isRowId(text)).toBe(false);
    },
  );
});
