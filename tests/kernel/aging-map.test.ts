import { describe, expect, it } from '@jest/globals';

import { AgingMap } from '../../src/kernel/aging-map.ts';

function mapAt(): { map: AgingMap<string>; time: { now: number } } {
  const time = { now: 1_000 };
  return { map: new AgingMap({ lifetime: 100, max: 3, elapsed: () => time.now }), time };
}

describe('a value', () => {
  it('is kept for its time, however often it is used', () => {
    const { map, time } = mapAt();
    map.set('a', 'one');
    time.now += 60;
    expect(map.get('a')).toBe('one');
    time.now += 39;
    expect(map.get('a')).toBe('one');
    time.now += 1;
    expect(map.get('a')).toBeUndefined();
    expect(map.get('b')).toBeUndefined();
  });

  it('that is set again lives on from then', () => {
    const { map, time } = mapAt();
    map.set('a', 'one');
    time.now += 60;
    map.set('a', 'two');
    time.now += 60;
    expect(map.get('a')).toBe('two');
  });
});

describe('a full map', () => {
  it('drops the oldest for a new value, and none for one that is set again', () => {
    const { map } = mapAt();
    for (const key of ['a', 'b', 'c', 'a', 'd']) {
      map.set(key, key);
    }
    expect(['a', 'b', 'c', 'd'].map((key) => map.get(key))).toEqual(['a', undefined, 'c', 'd']);
    expect(map.size).toBe(3);
  });

  it('drops what has aged first', () => {
    const { map, time } = mapAt();
    map.set('a', 'a');
    map.set('b', 'b');
    time.now += 60;
    map.set('c', 'c');
    time.now += 40;
    map.set('d', 'd');
    expect(map.size).toBe(2);
    expect(map.get('c')).toBe('c');
  });
});

it('leaves nothing in memory that has aged', () => {
  const { map, time } = mapAt();
  map.set('a', 'a');
  time.now += 50;
  map.set('b', 'b');
  time.now += 50;
  map.dropAged();
  expect(map.size).toBe(1);
});
