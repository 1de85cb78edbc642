import { describe, expect, it } from '@jest/globals';
import { pinVerifier } from '../../src/tokens/token-settings.ts';
import type { PolicyDraft } from '../../src/policy/policy.ts';
import type { NewToken, Token } from '../../src/tokens/token.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import type { Verdict } from '../../src/challenges/challenge.ts';
import { computeResponse, timeStepAt } from '../../src/ocra/compute.ts';
import { replayMarker } from '../../src/challenges/accepted-position.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { ANNA, BERND, KEY, keyedToken, OcraRules, vault } from '../support/database/ocra-house.ts';
import { storedToken } from '../support/values/token-values.ts';

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
  readonly syncMarker?: string | null;
  readonly question?: string;
  readonly policies?: readonly PolicyDraft[];
  readonly settings?: Readonly<Record<string, string>>;
  readonly isExplained?: true;
}

/** @returns the verdict on a response (PIN in front) of a token with that suite */
async function search(pass: string, sketch: Sketch = {}): Promise<Verdict | null> {
  const { policies = [], settings = {}, question = QUESTION } = sketch;
  const rules = new OcraRules({ policies, settings });
  const configuration = await rules.configuration.current();
  const given = rules.check.prepare(pass);
  given.search.begin(1);
  const stored = tokenOf(sketch);
  const verdicts = await rules.check.verify(configuration, stored, [question], given);
  const [verdict = null] = verdicts ?? [];
  return verdict !== null && sketch.isExplained === true
    ? rules.check.explain(verdict, configuration, stored, question, given)
    : verdict;
}

function tokenOf({ suite = COUNTER, token, syncMarker = null }: Sketch): Token {
  const window = { counter: 100n, counterWindow: 10, syncWindow: 50 };
  return { ...storedToken(keyedToken('T1', { ocraSuite: suite, ...window, ...token })), syncMarker };
}

/** The answer of the token: at a counter, and at a time in seconds from noon. */
function response(suite: string, counter = 100, seconds = 0, pin = ''): string {
  const parsed = parseOcraSuite(suite);
  return computeResponse(parsed, KEY, {
    question: QUESTION,
    counter: BigInt(counter),
    pin,
    session: '',
    timeStep: timeStepAt(parsed, new Date(NOON.getTime() + seconds * 1000)),
  });
}

function counterMarker(counter: number, question = QUESTION): string {
  return replayMarker(question, { counter: BigInt(counter) }) ?? '';
}

describe('a response of a suite with a counter', () => {
  it.each([
    [95, 100n],
    [99, 100n],
    [100, 101n],
    [109, 110n],
  ])('at %i is found, and the counter goes to %i, never back', async (counter, next) => {
    expect(await search(response(COUNTER, counter))).toEqual({
      kind: 'right',
      advance: { counter: next, replayMarkers: [`${next - 5n}:`, counterMarker(counter)], syncMarker: null },
      // The store looks then whether it was made for another text.
      ...(counter < 100 && { isBehind: true }),
    });
  });

  it.each([94, 110, 149])('at %i is wrong', async (counter) => {
    expect(await search(response(COUNTER, counter))).toEqual(WRONG);
  });

  it.each([2n ** 63n - 1n, 2n ** 63n])('at %s, from where no counter leads on, is wrong', async (counter) => {
    const pass = computeResponse(parseOcraSuite(COUNTER), KEY, { question: QUESTION, counter });
    expect(await search(pass, { token: { counter: 2n ** 63n - 2n } })).toEqual(WRONG);
  });

  it('is wrong where it was used before, also for another transaction', async () => {
    const replayMarkers = [counterMarker(99)];
    expect(await search(response(COUNTER, 99), { token: { replayMarkers } })).toEqual(WRONG);
    expect(await search(response(COUNTER, 98), { token: { replayMarkers } })).toMatchObject({
      kind: 'right',
    });
    expect(await search(response(COUNTER, 97), { token: { replayMarkers: ['98:'] } })).toEqual(WRONG);
  });

  it('is wrong where it was used for the same question in another spelling', async () => {
    const pass = computeResponse(parseOcraSuite(COUNTER), KEY, { question: '05478395', counter: 99n });
    const marker = counterMarker(99, '05478395');
    for (const question of ['05478395', '87654320']) {
      expect(await search(pass, { token: { replayMarkers: [marker] }, question })).toEqual(WRONG);
      const accepted = await search(pass, { question });
      expect(accepted).toMatchObject({ advance: { replayMarkers: ['95:', marker] } });
    }
  });

  it('keeps the replay markers of responses that could still be tried', async () => {
    const [old, kept] = [counterMarker(95), counterMarker(99)];
    const verdict = await search(response(COUNTER, 101), { token: { replayMarkers: [old, kept] } });
    expect(verdict).toMatchObject({
      advance: { counter: 102n, replayMarkers: ['97:', kept, counterMarker(101)] },
    });
    const odd = await search(response(COUNTER, 101), { token: { counterWindow: 7 } });
    expect(odd).toMatchObject({ advance: { replayMarkers: ['99:', counterMarker(101)] } });
  });
});

describe('a response of a suite with time', () => {
  const token = { counter: 0n };

  it.each([-180, -60, 0, 60, 179])('%i seconds from noon is found', async (seconds) => {
    const step = (NOON_SECOND + BigInt(seconds)) / 60n;
    const first = step * 60n > NOON_SECOND - 180n ? step * 60n : NOON_SECOND - 180n;
    expect(await search(response(TIME, 0, seconds), { suite: TIME, token })).toEqual({
      kind: 'right',
      advance: {
        counter: first + 1n,
        replayMarkers: [`${first + 1n - 480n}:`, replayMarker(QUESTION, { stepStart: step * 60n })],
        syncMarker: null,
      },
    });
  });

  it.each([-240, 240])('%i seconds from noon is wrong', async (seconds) => {
    expect(await search(response(TIME, 0, seconds), { suite: TIME, token })).toEqual(WRONG);
  });

  it('is searched at the known clocks of server and token', async () => {
    const pass = response(TIME, 0, 600);
    const shifts = [
      { settings: { 'ocra.timeShift': '600' } },
      { token: { counter: 0n, timeShift: 600 } },
      { token: { counter: 0n, timeShift: 1_200 }, settings: { 'ocra.timeShift': '-600' } },
      { settings: { 'ocra.timeWindow': '660' } },
    ];
    for (const shift of shifts) {
      expect(await search(pass, { suite: TIME, token, ...shift })).toMatchObject({ kind: 'right' });
    }
    expect(await search(pass, { suite: TIME, token })).toEqual(WRONG);
  });

  it('is wrong where it was used before', async () => {
    const replayMarkers = [replayMarker(QUESTION, { stepStart: NOON_SECOND }) ?? ''];
    expect(await search(response(TIME, 0), { suite: TIME, token: { counter: 0n, replayMarkers } })).toEqual(
      WRONG,
    );
  });
});

describe('a response of other suites', () => {
  it('with counter and time records both, and the counter moves on', async () => {
    expect(await search(response(BOTH, 103, 60), { suite: BOTH })).toEqual({
      kind: 'right',
      advance: {
        counter: 104n,
        replayMarkers: ['99:', replayMarker(QUESTION, { counter: 103n, stepStart: NOON_SECOND + 60n })],
        syncMarker: null,
      },
    });
  });

  it('with neither leaves no replay marker: the same question can be answered again', async () => {
    expect(await search(response(NEITHER), { suite: NEITHER, token: { replayMarkers: ['5:x'] } })).toEqual({
      kind: 'right',
      advance: { counter: 101n, replayMarkers: ['5:x'], syncMarker: null },
    });
  });

  it('with an OCRA PIN takes that of the token, or an empty one', async () => {
    const suite = 'OCRA-1:HOTP-SHA256-8:C-QN08-PSHA1';
    const ocraPin = vault.seal(Buffer.from('pä'), 'ocra-pin', 'T1');
    const seed = vault.seal(KEY, 'seed', 'T1');
    const secrets = { seed, sharedSecret: null, nonce: null, pin: null, ocraPin };
    const pass = response(suite, 100, 0, 'pä');
    expect(await search(pass, { suite, token: { secrets } })).toMatchObject({ kind: 'right' });
    expect(await search(pass, { suite })).toEqual(WRONG);
    expect(await search(response(suite), { suite })).toMatchObject({ kind: 'right' });
  });

  it('cannot be verified without a key, a suite or the session', async () => {
    const secrets = { seed: null, sharedSecret: null, nonce: null, pin: null, ocraPin: null };
    expect(await search('12345678', { token: { secrets } })).toBeNull();
    expect(await search('12345678', { token: { ocraSuite: null } })).toBeNull();
    expect(await search('12345678', { suite: 'OCRA-1:HOTP-SHA256-8:C-QN08-S064' })).toBeNull();
  });

  it('of a token in roll-out phase 1 is computed with the shared secret', async () => {
    const sharedSecret = vault.seal(KEY, 'shared-secret', 'T1');
    const secrets = { seed: null, sharedSecret, nonce: null, pin: null, ocraPin: null };
    const token = { rollout: 'phase1', secrets } as const;
    expect(await search(response(COUNTER), { token })).toMatchObject({ kind: 'right' });
    expect(await search(response(COUNTER), { token: { ...token, rollout: 'phase2' } })).toBeNull();
  });
});

describe('the PIN or password before the response', () => {
  const pin = vault.seal(pinVerifier('1234', systemRandom), 'pin', 'T1');
  const seed = vault.seal(KEY, 'seed', 'T1');
  const withPin = {
    owner: ANNA,
    realms: ['alpha'],
    secrets: { seed, sharedSecret: null, nonce: null, pin, ocraPin: null },
  };
  const policy = (name: string, mode: number): PolicyDraft => ({
    name,
    scope: 'authentication',
    action: `otppin=${mode}`,
    realm: '*',
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
    const verdict = await search(before + response(COUNTER), { token: withPin, policies });
    expect(verdict?.kind).toBe(isRight ? 'right' : 'wrong');
  });

  it('must be nothing for a token that never had a PIN', async () => {
    expect(await search(response(COUNTER))).toMatchObject({ kind: 'right' });
    expect(await search(`1${response(COUNTER)}`)).toEqual({ ...WRONG, cause: 'right response' });
  });

  it.each<[string, readonly number[], string | undefined]>([
    ['1234', [], 'right PIN'],
    ['12345', [], undefined],
    ['password', [1], 'right PIN'],
    ['1234', [1], undefined],
    ['', [2], undefined],
  ])('%j with the policies %j before a wrong response is told as %s', async (before, modes, cause) => {
    const policies = modes.map((mode) => policy(`p${mode}`, mode));
    const verdict = await search(before + response(COUNTER, 94), { token: withPin, policies });
    expect(verdict).toEqual(cause === undefined ? WRONG : { ...WRONG, cause });
  });

  it('is never a password where the token has no owner, or the owner has no password', async () => {
    const policies = [policy('p1', 1)];
    for (const owner of [null, BERND]) {
      for (const before of ['', 'password']) {
        const token = { ...withPin, owner };
        const verdict = await search(before + response(COUNTER), { token, policies });
        expect(verdict).toEqual({ ...WRONG, cause: 'right response' });
      }
    }
  });

  it('leaves a response that is too short as it is', async () => {
    expect(await search('1234')).toEqual(WRONG);
    expect(await search('')).toEqual(WRONG);
  });

  it('that is wrong lets nothing be remembered', async () => {
    const settings = { AutoResync: 'True' };
    expect(await search(`x${response(COUNTER, 120)}`, { settings })).toEqual(WRONG);
  });
});

describe('a wrong response that is right within the sync window', () => {
  const isExplained = true;
  const OUT_OF_STEP = { kind: 'wrong', cause: 'out of step' };

  it.each([
    [94, WRONG],
    [110, OUT_OF_STEP],
    [149, OUT_OF_STEP],
    [150, WRONG],
  ])('at the counter %i is told apart: %j', async (counter, verdict) => {
    expect(await search(response(COUNTER, counter), { isExplained })).toEqual(verdict);
  });

  it.each([
    [-3_060, WRONG],
    [-240, OUT_OF_STEP],
    [240, OUT_OF_STEP],
    [3_060, WRONG],
  ])('of a clock that differs by %i seconds is told apart: %j', async (seconds, verdict) => {
    const pass = response(TIME, 0, seconds);
    expect(await search(pass, { suite: TIME, token: { counter: 0n }, isExplained })).toEqual(verdict);
  });

  it('is not told apart where the PIN is wrong, or where it was accepted before', async () => {
    expect(await search(`1${response(COUNTER, 120)}`, { isExplained })).toEqual(WRONG);
    const token = { replayMarkers: ['95:', counterMarker(105)] };
    expect(await search(response(COUNTER, 105), { token, isExplained })).toEqual(WRONG);
  });

  it('is not told apart for a suite that cannot be out of step', async () => {
    expect(await search('12345678', { suite: NEITHER, isExplained })).toEqual(WRONG);
  });

  it('is remembered as before with AutoResync', async () => {
    const settings = { AutoResync: 'True' };
    expect(await search(response(COUNTER, 120), { settings, isExplained })).toEqual({
      ...OUT_OF_STEP,
      remember: { syncMarker: counterMarker(120) },
    });
  });
});

describe('a response ahead of the window, with AutoResync', () => {
  const settings = { AutoResync: 'True' };

  it.each([110, 149])('at %i is remembered, and refused for now', async (counter) => {
    expect(await search(response(COUNTER, counter), { settings })).toEqual({
      kind: 'wrong',
      remember: { syncMarker: counterMarker(counter) },
    });
  });

  it.each([94, 150])('at %i is nothing', async (counter) => {
    expect(await search(response(COUNTER, counter), { settings })).toEqual(WRONG);
  });

  it('is nothing where the sync window is no wider than the other, or AutoResync is off', async () => {
    const pass = response(COUNTER, 110);
    for (const syncWindow of [5, 10]) {
      expect(await search(pass, { settings, token: { syncWindow } })).toEqual(WRONG);
    }
    expect(await search(pass)).toEqual(WRONG);
  });

  it('that follows the one that is remembered brings the counter back in step; both are spent', async () => {
    const syncMarker = counterMarker(120, '87654321');
    expect(await search(response(COUNTER, 121), { settings, syncMarker })).toEqual({
      kind: 'right',
      advance: { counter: 122n, replayMarkers: ['117:', syncMarker, counterMarker(121)], syncMarker: null },
    });
    expect(await search(response(COUNTER, 121), { syncMarker })).toEqual(WRONG);
  });

  it.each([
    ['that does not follow', 120, 122],
    ['that is the same', 120, 120],
    ['before it', 120, 119],
  ])('%s is remembered in its place', async (_, first, second) => {
    const syncMarker = counterMarker(first, '87654321');
    expect(await search(response(COUNTER, second), { settings, syncMarker })).toEqual({
      kind: 'wrong',
      remember: { syncMarker: counterMarker(second) },
    });
  });

  it('does not follow one that the counter has passed', async () => {
    const syncMarker = counterMarker(99, '87654321');
    const verdict = await search(response(COUNTER, 100), { settings, syncMarker });
    expect(verdict).toMatchObject({ advance: { counter: 101n, replayMarkers: ['96:', counterMarker(100)] } });
    const token = { counter: 111n, counterWindow: 1 };
    expect(await search(response(COUNTER, 110), { settings, token, syncMarker: counterMarker(109) })).toEqual(
      WRONG,
    );
    const atCounter = { counter: 110n, counterWindow: 1 };
    expect(
      await search(response(COUNTER, 111), { settings, token: atCounter, syncMarker: counterMarker(110) }),
    ).toMatchObject({ kind: 'right', advance: { counter: 112n } });
  });

  it('may be as far ahead as two that follow each other reach', async () => {
    const syncMarker = counterMarker(149, '87654321');
    expect(await search(response(COUNTER, 150), { settings, syncMarker })).toMatchObject({ kind: 'right' });
  });

  it('is wrong where the first of the two was used before', async () => {
    const syncMarker = counterMarker(120, '87654321');
    const token = { replayMarkers: [syncMarker] };
    expect(await search(response(COUNTER, 121), { settings, token, syncMarker })).toEqual(WRONG);
  });

  it('is searched in suites with a counter or a clock only', async () => {
    const token = { counter: 0n };
    expect(await search('xxxxxxxx', { suite: NEITHER, token, settings })).toEqual(WRONG);
    const both = await search(response(BOTH, 120), { suite: BOTH, settings });
    expect(both).toEqual({
      kind: 'wrong',
      remember: { syncMarker: replayMarker(QUESTION, { counter: 120n, stepStart: NOON_SECOND }) },
    });
  });
});

describe('a response of a clock that is ahead, with AutoResync', () => {
  const settings = { AutoResync: 'True' };
  const ahead = (seconds: number, sketch: Sketch = {}): Promise<Verdict | null> =>
    search(response(TIME, 0, seconds), { suite: TIME, settings, token: { counter: 0n }, ...sketch });
  const clockMarker = (seconds: number, question = QUESTION): string =>
    replayMarker(question, { stepStart: NOON_SECOND + BigInt(seconds) }) ?? '';

  it.each([180, 1_200, 2_940])('%i seconds is remembered, and refused for now', async (seconds) => {
    const remember = { syncMarker: clockMarker(seconds) };
    expect(await ahead(seconds)).toEqual({ kind: 'wrong', remember });
  });

  it.each([-2_940, -240, 3_000])('%i seconds is nothing', async (seconds) => {
    expect(await ahead(seconds)).toEqual(WRONG);
  });

  it('that follows the one that is remembered brings the clock back in step; both are spent', async () => {
    const syncMarker = clockMarker(1_200, '87654321');
    expect(await ahead(1_260, { syncMarker })).toEqual({
      kind: 'right',
      advance: {
        counter: NOON_SECOND + 1_261n,
        replayMarkers: [`${NOON_SECOND + 1_261n - 480n}:`, syncMarker, clockMarker(1_260)],
        syncMarker: null,
        timeShift: 1_260,
      },
    });
  });

  it('adds to the shift that is known, with that of the configuration', async () => {
    const token = { counter: 0n, timeShift: 600 };
    const verdict = await ahead(1_260, {
      token,
      syncMarker: clockMarker(1_200, '87654321'),
      settings: { ...settings, 'ocra.timeShift': '120' },
    });
    expect(verdict).toMatchObject({ kind: 'right', advance: { timeShift: 1_140 } });
  });

  it.each([
    ['is used', { replayMarkers: [clockMarker(1_200, '87654321')] }],
    ['may have been used', { replayMarkers: [`${NOON_SECOND + 1_201n}:`] }],
  ])('is wrong where the first of the two %s', async (_, replayMarkers) => {
    const syncMarker = clockMarker(1_200, '87654321');
    expect(await ahead(1_260, { token: { counter: 0n, ...replayMarkers }, syncMarker })).toEqual(WRONG);
  });

  it('is nothing before the last accepted response', async () => {
    const counter = NOON_SECOND + 1_321n;
    const syncMarker = clockMarker(1_200, '87654321');
    for (const seconds of [1_200, 1_260]) {
      expect(await ahead(seconds, { token: { counter }, syncMarker })).toEqual(WRONG);
    }
  });
});
