import { type Token, UNBOUND_USE } from '../../src/tokens/token.ts';
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

const settings: OcraSettings = readOcraSettings(new Map());
const issuedAt = new Date('2026-11-20T12:00:00Z');
const soon = new Date('2026-11-20T12:01:00Z');

const challenge = (change: Partial<Challenge> = {}): Challenge => ({
  id: '1',
  transactionId: 'a1',
  question: '12345678',
  data: '',
  issuedAt,
  wrongCount: 0,
  receivedTan: false,
  validTan: false,
  closedBy: null,
  ...change,
});

const token = (change: Partial<Token> = {}): Token => ({
  id: '7',
  version: '1',
  serial: 'T1',
  type: 'ocra',
  description: '',
  active: true,
  owner: null,
  realms: [],
  isSecondFactor: false,
  use: UNBOUND_USE,
  failCount: 0,
  maxFail: 10,
  counter: 5n,
  counterWindow: 10,
  syncWindow: 1000,
  timeShift: 0,
  ocraSuite: 'OCRA-1:HOTP-SHA256-8:C-QN08',
  rollout: 'complete',
  replayMarkers: [],
  secrets: { seed: null, sharedSecret: null, nonce: null, pin: null, ocraPin: null },
  createdAt: issuedAt,
  lastSuccessAt: null,
  syncMarker: null,
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
    const decision = decideWithoutResponse(challenge({ closedBy }), token({ failCount: 2 }), settings, soon);
    expect(decision).toEqual({ result: false, failCount: 2, reason, change: null });
  });

  it('when the challenge has expired, on the very second', () => {
    const at = (seconds: number): Date => new Date(issuedAt.getTime() + seconds * 1000);
    expect(decideWithoutResponse(challenge(), token(), settings, at(1199))).toBeNull();
    expect(decideWithoutResponse(challenge(), token(), settings, at(1200))).toMatchObject({
      reason: 'expired',
      change: null,
    });
    expect(isOpen(challenge(), settings, at(1199))).toBe(true);
    expect(isOpen(challenge(), settings, at(1200))).toBe(false);
    expect(isOpen(challenge({ closedBy: 'accepted' }), settings, at(0))).toBe(false);
  });

  it('when the token is disabled', () => {
    const decision = decideWithoutResponse(
      challenge(),
      token({ active: false, failCount: 2 }),
      settings,
      soon,
    );
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
    expect(expiryOf(challenge(), settings)).toEqual(new Date('2026-11-20T12:20:00Z'));
  });

  it('is a time also with a time-out beyond all dates', () => {
    const expiry = expiryOf(challenge(), { challengeTimeout: 999_999_999 * 86_400 });
    expect(expiry.getTime()).toBe(8.64e15);
  });
});
