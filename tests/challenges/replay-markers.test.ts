import { describe, expect, it } from '@jest/globals';
import { isSpent, markOf, spend } from '../../src/challenges/replay-markers.ts';

describe('the mark of an accepted response', () => {
  it('is the same for the same question and position, and another for any other', () => {
    const mark = markOf('12345678', { counter: 5n });
    expect(markOf('12345678', { counter: 5n })).toBe(mark);
    expect(markOf('12345679', { counter: 5n })).not.toBe(mark);
    expect(markOf('12345678', { counter: 6n })).not.toBe(mark);
    expect(markOf('12345678', { counter: 5n, stepStart: 60n })).not.toBe(mark);
    expect(markOf('12345678', { stepStart: 5n })).not.toBe(mark);
  });

  // These lie in the database: another form would make responses that were accepted acceptable once more.
  it('stays what it was', () => {
    expect(markOf('12345678', { counter: 5n })).toBe('5:fc07ba3c115bf422bb007f5b6e1cf728');
    expect(markOf('12345678', { stepStart: 60n })).toBe('60:ae8dedc75513f3e0fb10a8dfdfe7bd22');
    expect(markOf('12345678', { counter: 5n, stepStart: 60n })).toBe('5:cdbdedea11c69503a051e69123d37f22');
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

  it('says nothing of a bottom while nothing was forgotten', () => {
    const mark = markOf('q', { counter: 1n });
    expect(spend([], mark, 0n)).toEqual([mark]);
    expect(spend([], mark, -5n)).toEqual([mark]);
    expect(spend(['1:'], mark, 1n)).toEqual(['1:', mark]);
  });

  it('of a response without position changes nothing, whatever is known', () => {
    expect(isSpent(['5:'], null)).toBe(false);
    expect(spend(['5:', '6:x'], null, 9n)).toEqual(['5:', '6:x']);
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
