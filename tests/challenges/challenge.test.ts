import fc from 'fast-check';
import type { Token } from '../../src/tokens/token.ts';
import { storedToken } from '../support/values/token-values.ts';
import { describe, expect, it } from '@jest/globals';
import {
  type Challenge,
  decide,
  decideWithoutResponse,
  decideUnverifiable,
  expiryOf,
  isOpen,
} from '../../src/challenges/challenge.ts';
import { type OcraSettings, readOcraSettings } from '../../src/configuration/settings.ts';
import type { Random } from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { decimalTransactionIds, hexTransactionIds } from '../../src/challenges/challenge-factory.ts';
import { nodeResponder, computingTurns } from '../../src/challenges/response-check.ts';
import { responder } from '../../src/ocra/compute.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { isReplay, replayMarker, withReplayMarker } from '../../src/challenges/accepted-position.ts';

const settings: OcraSettings = readOcraSettings(new Map());

const issuedAt = new Date('2026-11-20T12:00:00Z');

const soon = new Date('2026-11-20T12:01:00Z');

const challenge = (change: Partial<Challenge> = {}): Challenge => ({
  id: '1',
  transactionId: 'a1',
  question: '12345678',
  data: '',
  issuedAt,
  expiresAt: new Date('2026-11-20T12:20:00Z'),
  wrongCount: 0,
  receivedTan: false,
  validTan: false,
  closedBy: null,
  ...change,
});

const token = (change: Partial<Token> = {}): Token =>
  storedToken('T1', {
    type: 'ocra',
    maxFail: 10,
    counter: 5n,
    algorithm: 'OCRA-1:HOTP-SHA256-8:C-QN08',
    secrets: { seed: null, sharedSecret: null, nonce: null, pin: null, ocraPin: null },
    createdAt: issuedAt,
    ...change,
  });

const right = { kind: 'right', advance: { counter: 6n, replayMarkers: ['5:x'] } } as const;

const wrong = { kind: 'wrong' } as const;

describe('a right response', () => {
  it('closes the challenge for ever, clears the fail counter and moves the counter on', () => {
    const decision = decide(challenge({ wrongCount: 2 }), token({ failCount: 4 }), right, settings, soon);
    expect(decision).toMatchObject({ result: true, failCount: 0, reason: 'accepted' });
    expect(decision.change?.challenge).toEqual({
      wrongCount: 2,
      receivedTan: true,
      validTan: true,
      closedBy: 'accepted',
    });
    expect(decision.change?.token).toEqual({
      counter: 6n,
      replayMarkers: ['5:x'],
      failCount: 0,
      lastSuccessAt: soon,
    });
  });

  it('completes a roll-out in phase 2 and erases shared secret and nonce', () => {
    const decision = decide(challenge(), token({ rollout: 'phase2' }), right, settings, soon);
    expect(decision.change?.token).toMatchObject({
      rollout: 'complete',
      secrets: { sharedSecret: null, nonce: null },
    });
  });
});

describe('a wrong response', () => {
  it('counts once and leaves the challenge open', () => {
    const decision = decide(challenge(), token({ failCount: 3 }), wrong, settings, soon);
    expect(decision).toMatchObject({ result: false, failCount: 4, reason: 'wrong' });
    expect(decision.change).toEqual({
      challenge: { wrongCount: 1, receivedTan: true, validTan: false, closedBy: null },
      token: { failCount: 4 },
    });
  });

  it('closes the challenge when it is one too many', () => {
    const decision = decide(challenge({ wrongCount: 2 }), token(), wrong, settings, soon);
    expect(decision).toMatchObject({ reason: 'exhausted', failCount: 1 });
    expect(decision.change?.challenge).toMatchObject({ closedBy: 'exhausted', wrongCount: 3 });
    expect(decision.change?.token).toEqual({ failCount: 1 });
  });

  it('one too many in roll-out phase 2 falls back to phase 1, without the key and the nonce', () => {
    const decision = decide(
      challenge({ wrongCount: 2 }),
      token({ rollout: 'phase2' }),
      wrong,
      settings,
      soon,
    );
    expect(decision.change?.token).toEqual({
      failCount: 1,
      rollout: 'phase1',
      active: false,
      secrets: { seed: null, nonce: null },
    });
  });
});

describe('a locked token', () => {
  it('decides right and wrong responses the very same way', () => {
    const locked = token({ failCount: 10 });
    const decisions = [right, wrong].map((verdict) => decide(challenge(), locked, verdict, settings, soon));
    expect(decisions[0]).toEqual(decisions[1]);
    expect(decisions[0]).toMatchObject({ result: false, failCount: 11, reason: 'locked' });
    expect(decisions[0]?.change).toEqual({
      challenge: { wrongCount: 0, receivedTan: true, validTan: false, closedBy: null },
      token: { failCount: 11 },
    });
  });

  it('locks at the limit, not before', () => {
    expect(decide(challenge(), token({ failCount: 9 }), right, settings, soon).result).toBe(true);
  });
});

describe('a response that is not verified', () => {
  it.each([
    ['accepted', 'closed'],
    ['exhausted', 'dropped'],
    ['superseded', 'dropped'],
  ] as const)('when the challenge is closed (%s)', (closedBy, reason) => {
    const decision = decideWithoutResponse(challenge({ closedBy }), token({ failCount: 2 }), soon);
    expect(decision).toEqual({ result: false, failCount: 2, reason, change: null });
  });

  it('when the challenge has expired, on the very second', () => {
    const at = (seconds: number): Date => new Date(issuedAt.getTime() + seconds * 1000);
    expect(decideWithoutResponse(challenge(), token(), at(1199))).toBeNull();
    expect(decideWithoutResponse(challenge(), token(), at(1200))).toMatchObject({
      reason: 'expired',
      change: null,
    });
    expect(isOpen(challenge(), at(1199))).toBe(true);
    expect(isOpen(challenge(), at(1200))).toBe(false);
    expect(isOpen(challenge({ closedBy: 'accepted' }), at(0))).toBe(false);
  });

  it('when the token is disabled', () => {
    const decision = decideWithoutResponse(challenge(), token({ active: false, failCount: 2 }), soon);
    expect(decision).toEqual({ result: false, failCount: 2, reason: 'disabled', change: null });
  });

  it('when the server cannot verify it', () => {
    expect(decideUnverifiable(token({ failCount: 1 }))).toEqual({
      result: false,
      failCount: 1,
      reason: 'unverifiable',
      change: null,
    });
  });
});

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
          const expected = responder(suite, key);
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

  it('begin again after all have ended', async () => {
    const turn = computingTurns();
    await turn();
    await turn();
    await expect(turn()).resolves.toBeUndefined();
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
