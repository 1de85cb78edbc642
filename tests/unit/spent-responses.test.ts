import { describe, expect, it } from '@jest/globals';
import { isSpent, markOf, spend } from '../../src/ocra/spent-responses.ts';

describe('the mark of an accepted response', () => {
  it('is the same for the same question and position, and another for any other', () => {
    const mark = markOf('12345678', { counter: 5n });
    expect(markOf('12345678', { counter: 5n })).toBe(mark);
    expect(markOf('12345679', { counter: 5n })).not.toBe(mark);
    expect(markOf('12345678', { counter: 6n })).not.toBe(mark);
    expect(markOf('12345678', { counter: 5n, stepStart: 60n })).not.toBe(mark);
    expect(markOf('12345678', { stepStart: 5n })).not.toBe(mark);
  });

  it('does not hold the question itself', () => {
    expect(markOf('12345678', { counter: 5n })).not.toContain('12345678');
  });

  it('is none where neither counter nor time plays a part', () => {
    expect(markOf('12345678', {})).toBeNull();
    expect(isSpent(['5:x'], null)).toBe(false);
    expect(spend(['5:x'], null, 0n)).toEqual(['5:x']);
  });
});

describe('spending', () => {
  it('makes the response spent', () => {
    const mark = markOf('1', { counter: 7n });
    expect(isSpent([], mark)).toBe(false);
    expect(isSpent(spend([], mark, 0n), mark)).toBe(true);
  });

  it('forgets what can no longer match, and nothing else', () => {
    const marks = [1n, 4n, 5n].map((counter) => markOf('q', { counter }) ?? '');
    expect(spend(marks, markOf('q', { counter: 9n }), 5n)).toEqual([
      '5:',
      marks[2],
      markOf('q', { counter: 9n }),
    ]);
  });

  it('counts what was forgotten as spent, also when a wider window reaches it again', () => {
    const old = markOf('q', { counter: 1n });
    const spent = spend(spend([], old, -4n), markOf('q', { counter: 9n }), 5n);
    expect(spent).not.toContain(old);
    expect(isSpent(spent, old)).toBe(true);
    expect(isSpent(spent, markOf('q', { counter: 4n }))).toBe(true);
    expect(isSpent(spent, markOf('q', { counter: 5n }))).toBe(false);
  });

  it('never remembers further back than before', () => {
    const spent = spend(spend([], markOf('q', { counter: 9n }), 5n), markOf('q', { counter: 8n }), 2n);
    expect(isSpent(spent, markOf('q', { counter: 4n }))).toBe(true);
    expect(spent.filter((entry) => entry.endsWith(':'))).toEqual(['5:']);
  });
});
