import { describe, expect, it } from '@jest/globals';
import { pinVerifier } from '../../src/tokens/pin.ts';
import type { PolicyDraft } from '../../src/policy/policy.ts';
import type { NewToken } from '../../src/tokens/token.ts';
import { systemRandom } from '../../src/kernel/clock.ts';
import type { Verdict } from '../../src/challenges/challenge.ts';
import { computeResponse } from '../../src/ocra/compute.ts';
import { timeStepAt } from '../../src/ocra/data-input.ts';
import { readOcraSettings } from '../../src/challenges/ocra-settings.ts';
import { markOf } from '../../src/challenges/replay-markers.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { ANNA, BERND, KEY, keyedToken, OcraHouse, vault } from '../support/fakes/ocra-house.ts';

const COUNTER = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const TIME = 'OCRA-1:HOTP-SHA256-8:QN08-T1M';
const BOTH = 'OCRA-1:HOTP-SHA256-8:C-QN08-T1M';
const NEITHER = 'OCRA-1:HOTP-SHA256-8:QN08';
const QUESTION = '12345678';
const NOON = new Date('2026-11-20T12:00:00Z');
const NOON_SECOND = BigInt(NOON.getTime() / 1000);
const WRONG = { kind: 'wrong' };

interface Sketch {
  readonly suite?: string;
  readonly token?: Partial<NewToken>;
  readonly syncMark?: string | null;
  readonly question?: string;
  readonly policies?: readonly PolicyDraft[];
  readonly configuration?: Readonly<Record<string, string>>;
}

/** @returns what is said of a response (PIN in front) of a token with that suite */
async function look(pass: string, sketch: Sketch = {}): Promise<Verdict | null> {
  const { suite = COUNTER, token, policies = [], configuration = {} } = sketch;
  const house = new OcraHouse({
    tokens: [
      keyedToken('T1', { ocraSuite: suite, counter: 100n, counterWindow: 10, syncWindow: 50, ...token }),
    ],
    policies,
    configuration,
  });
  const setup = await house.setup.current();
  const [stored] = await house.tokens.list({});
  const { syncMark = null, question = QUESTION } = sketch;
  if (stored === undefined) {
    throw new Error('no token');
  }
  const given = house.check.given(pass);
  given.search.begin(1);
  const verdicts = await house.check.look(
    setup,
    readOcraSettings(setup.configuration),
    { ...stored, syncMark },
    [question],
    given,
  );
  return verdicts?.[0] ?? null;
}

/** What the token answers: at a counter, and at a time in seconds from noon. */
function response(suite: string, counter = 100, seconds = 0, pin = ''): string {
  const parsed = parseOcraSuite(suite);
  return computeResponse(parsed, KEY, {
    ...{ question: QUESTION, counter: BigInt(counter), pin, session: '' },
    timeStep: timeStepAt(parsed, new Date(NOON.getTime() + seconds * 1000)),
  });
}

function counterMark(counter: number, question = QUESTION): string {
  return markOf(question, { counter: BigInt(counter) }) ?? '';
}

describe('a response of a suite with a counter', () => {
  it.each([
    [95, 100n],
    [99, 100n],
    [100, 101n],
    [109, 110n],
  ])('at %i is found, and the counter goes to %i, never back', async (counter, next) => {
    expect(await look(response(COUNTER, counter))).toEqual({
      kind: 'right',
      advance: { counter: next, spent: [`${next - 5n}:`, counterMark(counter)], syncMark: null },
    });
  });

  it.each([94, 110, 149])('at %i is wrong', async (counter) => {
    expect(await look(response(COUNTER, counter))).toEqual(WRONG);
  });

  it.each([2n ** 63n - 1n, 2n ** 63n])('at %s, from where no counter leads on, is wrong', async (counter) => {
    const pass = computeResponse(parseOcraSuite(COUNTER), KEY, { question: QUESTION, counter });
    expect(await look(pass, { token: { counter: 2n ** 63n - 2n } })).toEqual(WRONG);
  });

  it('is wrong where it was used before, also for another transaction', async () => {
    const spent = [counterMark(99)];
    expect(await look(response(COUNTER, 99), { token: { spent } })).toEqual(WRONG);
    expect(await look(response(COUNTER, 98), { token: { spent } })).toMatchObject({ kind: 'right' });
    expect(await look(response(COUNTER, 97), { token: { spent: ['98:'] } })).toEqual(WRONG);
  });

  it('is wrong where it was used for the same question in another spelling', async () => {
    const pass = computeResponse(parseOcraSuite(COUNTER), KEY, { question: '05478395', counter: 99n });
    const mark = counterMark(99, '05478395');
    for (const question of ['05478395', '87654320']) {
      expect(await look(pass, { token: { spent: [mark] }, question })).toEqual(WRONG);
      const accepted = await look(pass, { question });
      expect(accepted).toMatchObject({ advance: { spent: ['95:', mark] } });
    }
  });

  it('keeps the marks of what could still be tried', async () => {
    const [old, kept] = [counterMark(95), counterMark(99)];
    const verdict = await look(response(COUNTER, 101), { token: { spent: [old, kept] } });
    expect(verdict).toMatchObject({ advance: { counter: 102n, spent: ['97:', kept, counterMark(101)] } });
    const odd = await look(response(COUNTER, 101), { token: { counterWindow: 7 } });
    expect(odd).toMatchObject({ advance: { spent: ['99:', counterMark(101)] } });
  });
});

describe('a response of a suite with time', () => {
  const token = { counter: 0n };

  it.each([-180, -60, 0, 60, 179])('%i seconds from noon is found', async (seconds) => {
    const step = (NOON_SECOND + BigInt(seconds)) / 60n;
    const first = step * 60n > NOON_SECOND - 180n ? step * 60n : NOON_SECOND - 180n;
    expect(await look(response(TIME, 0, seconds), { suite: TIME, token })).toEqual({
      kind: 'right',
      advance: {
        counter: first + 1n,
        spent: [`${first + 1n - 480n}:`, markOf(QUESTION, { stepStart: step * 60n })],
        syncMark: null,
      },
    });
  });

  it.each([-240, 240])('%i seconds from noon is wrong', async (seconds) => {
    expect(await look(response(TIME, 0, seconds), { suite: TIME, token })).toEqual(WRONG);
  });

  it('is looked for where the clocks of server and token are known to be', async () => {
    const pass = response(TIME, 0, 600);
    const shifts = [
      { configuration: { 'ocra.timeShift': '600' } },
      { token: { counter: 0n, timeShift: 600 } },
      { token: { counter: 0n, timeShift: 1_200 }, configuration: { 'ocra.timeShift': '-600' } },
      { configuration: { 'ocra.timeWindow': '660' } },
    ];
    for (const shift of shifts) {
      expect(await look(pass, { suite: TIME, token, ...shift })).toMatchObject({ kind: 'right' });
    }
    expect(await look(pass, { suite: TIME, token })).toEqual(WRONG);
  });

  it('is wrong where it was used before', async () => {
    const spent = [markOf(QUESTION, { stepStart: NOON_SECOND }) ?? ''];
    expect(await look(response(TIME, 0), { suite: TIME, token: { counter: 0n, spent } })).toEqual(WRONG);
  });
});

describe('a response of other suites', () => {
  it('with counter and time marks both, and the counter moves on', async () => {
    expect(await look(response(BOTH, 103, 60), { suite: BOTH })).toEqual({
      kind: 'right',
      advance: {
        counter: 104n,
        spent: ['99:', markOf(QUESTION, { counter: 103n, stepStart: NOON_SECOND + 60n })],
        syncMark: null,
      },
    });
  });

  it('with neither leaves no mark: the same question can be answered again', async () => {
    expect(await look(response(NEITHER), { suite: NEITHER, token: { spent: ['5:x'] } })).toEqual({
      kind: 'right',
      advance: { counter: 101n, spent: ['5:x'], syncMark: null },
    });
  });

  it('with an OCRA PIN takes that of the token, or an empty one', async () => {
    const suite = 'OCRA-1:HOTP-SHA256-8:C-QN08-PSHA1';
    const ocraPin = vault.seal(Buffer.from('pä'), 'ocra-pin', 'T1');
    const seed = vault.seal(KEY, 'seed', 'T1');
    const secrets = { seed, sharedSecret: null, nonce: null, pin: null, ocraPin };
    const pass = response(suite, 100, 0, 'pä');
    expect(await look(pass, { suite, token: { secrets } })).toMatchObject({ kind: 'right' });
    expect(await look(pass, { suite })).toEqual(WRONG);
    expect(await look(response(suite), { suite })).toMatchObject({ kind: 'right' });
  });

  it('cannot be looked at without a key, a suite or the session', async () => {
    const secrets = { seed: null, sharedSecret: null, nonce: null, pin: null, ocraPin: null };
    expect(await look('12345678', { token: { secrets } })).toBeNull();
    expect(await look('12345678', { token: { ocraSuite: null } })).toBeNull();
    expect(await look('12345678', { suite: 'OCRA-1:HOTP-SHA256-8:C-QN08-S064' })).toBeNull();
  });

  it('of a token in roll-out phase 1 is computed with the shared secret', async () => {
    const sharedSecret = vault.seal(KEY, 'shared-secret', 'T1');
    const secrets = { seed: null, sharedSecret, nonce: null, pin: null, ocraPin: null };
    const token = { rollout: 'phase1', secrets } as const;
    expect(await look(response(COUNTER), { token })).toMatchObject({ kind: 'right' });
    expect(await look(response(COUNTER), { token: { ...token, rollout: 'phase2' } })).toBeNull();
  });
});

describe('what precedes the response', () => {
  const pin = vault.seal(pinVerifier('1234', systemRandom), 'pin', 'T1');
  const seed = vault.seal(KEY, 'seed', 'T1');
  const withPin = {
    owner: ANNA,
    realms: ['alpha'],
    secrets: { seed, sharedSecret: null, nonce: null, pin, ocraPin: null },
  };
  const policy = (name: string, mode: number): PolicyDraft => ({
    ...{ name, scope: 'authentication', action: `otppin=${mode}`, realm: '*' },
  });

  it.each<[string, readonly number[], boolean]>([
    ['1234', [], true],
    ['', [], false],
    ['12345', [], false],
    ['1234', [0], true],
    ['password', [0], false],
    ['password', [1], true],
    ['1234', [1], false],
    ['', [1], false],
    ['', [2], true],
    ['1234', [2], false],
    ['1234', [0, 2], true],
    ['', [0, 2], false],
    ['password', [0, 1, 2], true],
    ['1234', [0, 1], false],
  ])('%j with the policies %j: %s', async (before, modes, isRight) => {
    const policies = modes.map((mode) => policy(`p${mode}`, mode));
    const verdict = await look(before + response(COUNTER), { token: withPin, policies });
    expect(verdict?.kind).toBe(isRight ? 'right' : 'wrong');
  });

  it('must be nothing for a token that never had a PIN', async () => {
    expect(await look(response(COUNTER))).toMatchObject({ kind: 'right' });
    expect(await look(`1${response(COUNTER)}`)).toEqual(WRONG);
  });

  it('is never a password where nobody owns the token, or the owner has none', async () => {
    const policies = [policy('p1', 1)];
    for (const owner of [null, BERND]) {
      for (const before of ['', 'password']) {
        const token = { ...withPin, owner };
        expect(await look(before + response(COUNTER), { token, policies })).toEqual(WRONG);
      }
    }
  });

  it('leaves a response that is too short what it is', async () => {
    expect(await look('1234')).toEqual(WRONG);
    expect(await look('')).toEqual(WRONG);
  });

  it('that is wrong lets nothing be remembered', async () => {
    const configuration = { AutoResync: 'True' };
    expect(await look(`x${response(COUNTER, 120)}`, { configuration })).toEqual(WRONG);
  });
});

describe('a response ahead of the window, with AutoResync', () => {
  const configuration = { AutoResync: 'True' };

  it.each([110, 149])('at %i is remembered, and refused for now', async (counter) => {
    expect(await look(response(COUNTER, counter), { configuration })).toEqual({
      kind: 'wrong',
      remember: { syncMark: counterMark(counter) },
    });
  });

  it.each([94, 150])('at %i is nothing', async (counter) => {
    expect(await look(response(COUNTER, counter), { configuration })).toEqual(WRONG);
  });

  it('is nothing where the sync window is no wider than the other, or AutoResync is off', async () => {
    const pass = response(COUNTER, 110);
    for (const syncWindow of [5, 10]) {
      expect(await look(pass, { configuration, token: { syncWindow } })).toEqual(WRONG);
    }
    expect(await look(pass)).toEqual(WRONG);
  });

  it('that follows the one that is remembered brings the counter back in step; both are spent', async () => {
    const syncMark = counterMark(120, '87654321');
    expect(await look(response(COUNTER, 121), { configuration, syncMark })).toEqual({
      kind: 'right',
      advance: { counter: 122n, spent: ['117:', syncMark, counterMark(121)], syncMark: null },
    });
    expect(await look(response(COUNTER, 121), { syncMark })).toEqual(WRONG);
  });

  it.each([
    ['that does not follow', 120, 122],
    ['that is the same', 120, 120],
    ['before it', 120, 119],
  ])('%s is remembered in its place', async (_, first, second) => {
    const syncMark = counterMark(first, '87654321');
    expect(await look(response(COUNTER, second), { configuration, syncMark })).toEqual({
      kind: 'wrong',
      remember: { syncMark: counterMark(second) },
    });
  });

  it('does not follow one that the counter has passed', async () => {
    const syncMark = counterMark(99, '87654321');
    const verdict = await look(response(COUNTER, 100), { configuration, syncMark });
    expect(verdict).toMatchObject({ advance: { counter: 101n, spent: ['96:', counterMark(100)] } });
    const token = { counter: 111n, counterWindow: 1 };
    expect(await look(response(COUNTER, 110), { configuration, token, syncMark: counterMark(109) })).toEqual(
      WRONG,
    );
    const atCounter = { counter: 110n, counterWindow: 1 };
    expect(
      await look(response(COUNTER, 111), { configuration, token: atCounter, syncMark: counterMark(110) }),
    ).toMatchObject({ kind: 'right', advance: { counter: 112n } });
  });

  it('may be as far ahead as two that follow each other reach', async () => {
    const syncMark = counterMark(149, '87654321');
    expect(await look(response(COUNTER, 150), { configuration, syncMark })).toMatchObject({ kind: 'right' });
  });

  it('is wrong where the first of the two was used before', async () => {
    const syncMark = counterMark(120, '87654321');
    const token = { spent: [syncMark] };
    expect(await look(response(COUNTER, 121), { configuration, token, syncMark })).toEqual(WRONG);
  });

  it('is looked for in suites with a counter or a clock only', async () => {
    const token = { counter: 0n };
    expect(await look('xxxxxxxx', { suite: NEITHER, token, configuration })).toEqual(WRONG);
    const both = await look(response(BOTH, 120), { suite: BOTH, configuration });
    expect(both).toEqual({
      kind: 'wrong',
      remember: { syncMark: markOf(QUESTION, { counter: 120n, stepStart: NOON_SECOND }) },
    });
  });
});

describe('a response of a clock that is ahead, with AutoResync', () => {
  const configuration = { AutoResync: 'True' };
  const ahead = (seconds: number, sketch: Sketch = {}): Promise<Verdict | null> =>
    look(response(TIME, 0, seconds), { suite: TIME, configuration, token: { counter: 0n }, ...sketch });
  const clockMark = (seconds: number, question = QUESTION): string =>
    markOf(question, { stepStart: NOON_SECOND + BigInt(seconds) }) ?? '';

  it.each([180, 1_200, 2_940])('%i seconds is remembered, and refused for now', async (seconds) => {
    const remember = { syncMark: clockMark(seconds) };
    expect(await ahead(seconds)).toEqual({ kind: 'wrong', remember });
  });

  it.each([-2_940, -240, 3_000])('%i seconds is nothing', async (seconds) => {
    expect(await ahead(seconds)).toEqual(WRONG);
  });

  it('that follows the one that is remembered brings the clock back in step; both are spent', async () => {
    const syncMark = clockMark(1_200, '87654321');
    expect(await ahead(1_260, { syncMark })).toEqual({
      kind: 'right',
      advance: {
        counter: NOON_SECOND + 1_261n,
        spent: [`${NOON_SECOND + 1_261n - 480n}:`, syncMark, clockMark(1_260)],
        syncMark: null,
        timeShift: 1_260,
      },
    });
  });

  it('adds to the shift that is known, with that of the configuration', async () => {
    const token = { counter: 0n, timeShift: 600 };
    const verdict = await ahead(1_260, {
      ...{ token, syncMark: clockMark(1_200, '87654321') },
      configuration: { ...configuration, 'ocra.timeShift': '120' },
    });
    expect(verdict).toMatchObject({ kind: 'right', advance: { timeShift: 1_140 } });
  });

  it.each([
    ['is used', { spent: [clockMark(1_200, '87654321')] }],
    ['may have been used', { spent: [`${NOON_SECOND + 1_201n}:`] }],
  ])('is wrong where the first of the two %s', async (_, spent) => {
    const syncMark = clockMark(1_200, '87654321');
    expect(await ahead(1_260, { token: { counter: 0n, ...spent }, syncMark })).toEqual(WRONG);
  });

  it('is nothing before what was accepted last', async () => {
    const counter = NOON_SECOND + 1_321n;
    const syncMark = clockMark(1_200, '87654321');
    for (const seconds of [1_200, 1_260]) {
      expect(await ahead(seconds, { token: { counter }, syncMark })).toEqual(WRONG);
    }
  });
});
