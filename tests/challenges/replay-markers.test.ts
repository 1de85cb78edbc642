import { describe, expect, it } from '@jest/globals';
import { isReplay, replayMarker, withReplayMarker } from '../../src/challenges/accepted-position.ts';

describe('the replay marker of an accepted response', () => {
  it('is the same for the same question and position, and another for any other', () => {
    const marker = replayMarker('12345678', { counter: 5n });
    expect(replayMarker('12345678', { counter: 5n })).toBe(marker);
    expect(replayMarker('12345679', { counter: 5n })).not.toBe(marker);
    expect(replayMarker('12345678', { counter: 6n })).not.toBe(marker);
    expect(replayMarker('12345678', { counter: 5n, stepStart: 60n })).not.toBe(marker);
    expect(replayMarker('12345678', { stepStart: 5n })).not.toBe(marker);
  });

  // These lie in the database: another form would make responses that were accepted acceptable once more.
  it('stays what it was', () => {
    expect(replayMarker('12345678', { counter: 5n })).toBe('5:fc07ba3c115bf422bb007f5b6e1cf728');
    expect(replayMarker('12345678', { stepStart: 60n })).toBe('60:ae8dedc75513f3e0fb10a8dfdfe7bd22');
    expect(replayMarker('12345678', { counter: 5n, stepStart: 60n })).toBe(
      '5:cdbdedea11c69503a051e69123d37f22',
    );
  });

  it('does not hold the question itself', () => {
    expect(replayMarker('12345678', { counter: 5n })).not.toContain('12345678');
  });

  it('is none where neither counter nor time plays a part', () => {
    expect(replayMarker('12345678', {})).toBeNull();
    expect(isReplay(['5:x'], null)).toBe(false);
    expect(withReplayMarker(['5:x'], null, 0n)).toEqual(['5:x']);
  });
});

describe('spending', () => {
  it('makes the response spent', () => {
    const marker = replayMarker('1', { counter: 7n });
    expect(isReplay([], marker)).toBe(false);
    expect(isReplay(withReplayMarker([], marker, 0n), marker)).toBe(true);
  });

  it('forgets only markers that can no longer match', () => {
    const markers = [1n, 4n, 5n].map((counter) => replayMarker('q', { counter }) ?? '');
    expect(withReplayMarker(markers, replayMarker('q', { counter: 9n }), 5n)).toEqual([
      '5:',
      markers[2],
      replayMarker('q', { counter: 9n }),
    ]);
  });

  it('says nothing of a bottom while nothing was forgotten', () => {
    const marker = replayMarker('q', { counter: 1n });
    expect(withReplayMarker([], marker, 0n)).toEqual([marker]);
    expect(withReplayMarker([], marker, -5n)).toEqual([marker]);
    expect(withReplayMarker(['1:'], marker, 1n)).toEqual(['1:', marker]);
  });

  it('of a response without position changes nothing, whatever is known', () => {
    expect(isReplay(['5:'], null)).toBe(false);
    expect(withReplayMarker(['5:', '6:x'], null, 9n)).toEqual(['5:', '6:x']);
  });

  it('treats forgotten markers as spent, even when a wider window reaches them again', () => {
    const old = replayMarker('q', { counter: 1n });
    const replayMarkers = withReplayMarker(
      withReplayMarker([], old, -4n),
      replayMarker('q', { counter: 9n }),
      5n,
    );
    expect(replayMarkers).not.toContain(old);
    expect(isReplay(replayMarkers, old)).toBe(true);
    expect(isReplay(replayMarkers, replayMarker('q', { counter: 4n }))).toBe(true);
    expect(isReplay(replayMarkers, replayMarker('q', { counter: 5n }))).toBe(false);
  });

  it('never remembers further back than before', () => {
    const replayMarkers = withReplayMarker(
      withReplayMarker([], replayMarker('q', { counter: 9n }), 5n),
      replayMarker('q', { counter: 8n }),
      2n,
    );
    expect(isReplay(replayMarkers, replayMarker('q', { counter: 4n }))).toBe(true);
    expect(replayMarkers.filter((entry) => entry.endsWith(':'))).toEqual(['5:']);
  });
});
