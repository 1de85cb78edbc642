import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { expiryOf } from '../../src/challenges/challenge.ts';
import { type OcraSettings, readOcraSettings } from '../../src/configuration/settings.ts';
import type { Random } from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { decimalTransactionIds, hexTransactionIds } from '../../src/challenges/challenge-factory.ts';
import { nodeResponder, computingTurns } from '../../src/challenges/response-check.ts';
import { responseValues } from '../../src/ocra/compute.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { isReplay, replayMarker, withReplayMarker } from '../../src/challenges/accepted-position.ts';

const settings: OcraSettings = readOcraSettings(new Map());

const issuedAt = new Date('2026-11-20T12:00:00Z');

describe('the expiry of a challenge', () => {
  it('is the time-out after its issue', () => {
    expect(expiryOf(issuedAt, settings)).toEqual(new Date('2026-11-20T12:20:00Z'));
  });

  it('is a time also with a time-out beyond all dates', () => {
    const expiry = expiryOf(issuedAt, { challengeTimeout: 999_999_999 * 86_400 });
    expect(expiry).toEqual(new Date('9999-12-31T00:00:00Z'));
  });
});

describe('a transaction id', () => {
  it('is 20 hexadecimal digits, drawn at random', () => {
    expect(hexTransactionIds(systemRandom)).toMatch(/^[0-9a-f]{20}$/);
    expect(hexTransactionIds(systemRandom)).not.toBe(hexTransactionIds(systemRandom));
  });

  it('is 12 decimal digits where LinOTP’s clients need that, zeros in front', () => {
    const draws = [7, 999_999, 0, 123_456];
    const bounds: number[] = [];
    const random: Random = {
      bytes: (size) => Buffer.alloc(size),
      below: (bound) => {
        bounds.push(bound);
        return draws.shift() ?? 0;
      },
    };
    expect([decimalTransactionIds(random), decimalTransactionIds(random)]).toEqual([
      '000007999999',
      '000000123456',
    ]);
    expect(new Set(bounds)).toEqual(new Set([1_000_000]));
  });
});

describe("the responses by Node's hashes", () => {
  it('equal those by the HMAC of `ocra/`, for each hash, key and data input', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('SHA1', 'SHA256', 'SHA512'),
        fc.constantFrom(0, 4, 6, 8, 10),
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        fc.uint8Array({ maxLength: 300 }),
        fc.uint8Array({ maxLength: 300 }),
        (hash, digits, key, dataInput, otherInput) => {
          const suite = parseOcraSuite(`OCRA-1:HOTP-${hash}-${digits}:QA64`);
          const respond = nodeResponder(suite, key);
          const expected = responseValues(suite, key);
          for (const input of [dataInput, dataInput, otherInput, dataInput]) {
            expect(respond(input)).toBe(expected(input));
          }
        },
      ),
    );
  });

  it('need a key', () => {
    expect(() => nodeResponder(parseOcraSuite('OCRA-1:HOTP-SHA1-6:QN08'), new Uint8Array())).toThrow(
      /the key is empty/,
    );
  });
});

/** Counts turns of the event loop until it is stopped. */
class TurnCounter {
  turn = 0;
  #next: NodeJS.Immediate | undefined;

  constructor() {
    this.#schedule();
  }

  #schedule(): void {
    this.#next = setImmediate(() => {
      this.turn += 1;
      this.#schedule();
    });
  }

  stop(): void {
    clearImmediate(this.#next);
  }
}

describe('computations of one process', () => {
  it('get one piece in a turn of the event loop, all together', async () => {
    const turn = computingTurns();
    const counter = new TurnCounter();
    const pieces: { name: string; turn: number }[] = [];
    const compute = async (name: string): Promise<void> => {
      for (let piece = 0; piece < 3; piece += 1) {
        await turn();
        pieces.push({ name, turn: counter.turn });
      }
    };
    await Promise.all(['one', 'two', 'three'].map(compute));
    counter.stop();
    expect(pieces.map(({ name }) => name).join(' ')).toBe('one two three one two three one two three');
    expect(new Set(pieces.map(({ turn }) => turn)).size).toBe(9);
  });
});

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
