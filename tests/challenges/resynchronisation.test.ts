import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { replayMarker } from '../../src/challenges/accepted-position.ts';
import { ResponseChecker } from '../../src/challenges/response-check.ts';
import { resynchronise } from '../../src/challenges/resynchronisation.ts';
import { requireTokenKey, responseInputs } from '../../src/challenges/token-key.ts';
import { readOcraSettings } from '../../src/configuration/settings.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { Vault } from '../../src/keys/vault.ts';
import { computeResponse, timeStepAt } from '../../src/ocra/compute.ts';
import { type OcraSuite, parseOcraSuite } from '../../src/ocra/suite.ts';
import { type NewToken, type Token, type TokenStateChange, UNBOUND_USE } from '../../src/tokens/token.ts';
import { UserDirectory } from '../../src/users/user-directory.ts';
import { configurationOf } from '../support/values/configuration-value.ts';
import { storedToken, tokenValue } from '../support/values/token-values.ts';

const KEY = Buffer.alloc(32, 5);
const vault = new Vault({ keys: [Buffer.alloc(32, 7)], random: systemRandom });
const COUNTER = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const TIME = 'OCRA-1:HOTP-SHA256-8:QN08-T1M';
const BOTH = 'OCRA-1:HOTP-SHA256-8:C-QN08-T1M';
const [FIRST, SECOND] = ['11111111', '22222222'] as const;
const NOON = new Date('2026-11-20T12:00:00Z');
const NOON_SECOND = BigInt(NOON.getTime() / 1000);

interface Sketch {
  readonly suite?: string;
  readonly token?: Partial<NewToken>;
  readonly timeWindow?: number;
  readonly timeShift?: number;
  /** Both questions are the first one. */
  readonly sameQuestion?: boolean;
}

/** The position at which a response was made: its counter, or its seconds from noon. */
function resync(first: number, second: number, sketch: Sketch = {}): TokenStateChange | null {
  const { suite: text = COUNTER, timeWindow = 180, timeShift = 0, sameQuestion = false } = sketch;
  const settings = { timeWindow, timeShift };
  const keyed = { algorithm: text, counter: 100n, counterWindow: 10, syncWindow: 50, ...sketch.token };
  const secrets = { ...tokenValue('T1').secrets, seed: vault.seal(KEY, 'seed', 'T1') };
  const token = storedToken('T1', { ...keyed, secrets });
  const suite = parseOcraSuite(text);
  const response = (question: string, at: number): string =>
    computeResponse(suite, KEY, {
      question,
      counter: suite.counter ? BigInt(at) : undefined,
      timeStep: timeStepAt(suite, new Date(NOON.getTime() + (suite.counter ? 0 : at * 1000))),
    });
  const question = sameQuestion ? FIRST : SECOND;
  return resynchronise(
    responseInputs(vault, requireTokenKey(vault, token), settings, token, NOON),
    settings,
    token,
    {
      first: { question: FIRST, response: response(FIRST, first) },
      second: { question, response: response(question, second) },
    },
  );
}

const counterMarkers = (first: number, second: number): (string | null)[] => [
  replayMarker(FIRST, { counter: BigInt(first) }),
  replayMarker(SECOND, { counter: BigInt(second) }),
];

describe('resynchronisation of a counter', () => {
  it.each([
    [100, 101],
    [120, 121],
    [149, 150],
  ])('follows %i and %i, and spends both', (first, second) => {
    expect(resync(first, second)).toEqual({
      counter: BigInt(second + 1),
      replayMarkers: [`${second - 4}:`, ...counterMarkers(first, second)],
      syncMarker: null,
    });
  });

  it.each([
    ['behind the stored counter', 99, 100],
    ['beyond the sync window', 150, 151],
    ['with a gap', 120, 122],
    ['of the same counter', 120, 120],
    ['the wrong way round', 121, 120],
    ['far apart', 105, 140],
  ])('does not follow responses %s', (_, first, second) => {
    expect(resync(first, second)).toBeNull();
  });

  it('does not follow responses that were used before', () => {
    for (const marker of counterMarkers(120, 121)) {
      expect(resync(120, 121, { token: { replayMarkers: [marker ?? ''] } })).toBeNull();
    }
  });

  it('of the same question twice goes by the counter', () => {
    expect(resync(120, 121, { sameQuestion: true })).toMatchObject({ counter: 122n });
  });

  it('searches no further than the sync window of the token', () => {
    expect(resync(104, 105, { token: { syncWindow: 5 } })).toMatchObject({ counter: 106n });
    expect(resync(105, 106, { token: { syncWindow: 5 } })).toBeNull();
  });

  it('in a suite with time, too, leaves the clock shift', () => {
    const change = resync(120, 121, { suite: BOTH, token: { timeShift: 0 } });
    expect(change).toMatchObject({ counter: 122n, syncMarker: null });
    expect(change).not.toHaveProperty('timeShift');
  });
});

describe('resynchronisation of a clock', () => {
  const clock = { suite: TIME, token: { counter: 0n } };

  it.each([
    ['fast', 1_200, 1_260, 1_260],
    ['slow', -1_200, -1_140, -1_140],
    ['right', 0, 0, 0],
    ['fast by a little', 30, 90, 60],
    ['fast, with responses of the same minute', 1_200, 1_200, 1_200],
    ['fast, with responses five minutes apart', 1_200, 1_500, 1_500],
  ])('that is %s follows it', (_, first, second, timeShift) => {
    const steps = [first, second].map((seconds) => (NOON_SECOND + BigInt(seconds)) / 60n);
    const [one = 0n, two = 0n] = steps;
    expect(resync(first, second, clock)).toEqual({
      counter: two * 60n + 1n,
      replayMarkers: [
        `${two * 60n + 1n - 480n}:`,
        replayMarker(FIRST, { stepStart: one * 60n }),
        replayMarker(SECOND, { stepStart: two * 60n }),
      ],
      syncMarker: null,
      timeShift,
    });
  });

  it.each([
    ['more than five minutes apart', 1_200, 1_560],
    ['the wrong way round', 1_260, 1_200],
    ['beyond the sync window', 3_060, 3_120],
    ['beyond it to the other side', -3_120, -3_060],
  ])('is not followed by responses %s', (_, first, second) => {
    expect(resync(first, second, clock)).toBeNull();
  });

  it('takes one response to the same question only once a minute', () => {
    expect(resync(1_200, 1_200, { ...clock, sameQuestion: true })).toBeNull();
    expect(resync(1_200, 1_260, { ...clock, sameQuestion: true })).toMatchObject({ timeShift: 1_260 });
  });

  it('is added to the shifts that are known', () => {
    const token = { counter: 0n, timeShift: 600 };
    expect(resync(1_200, 1_260, { ...clock, token })).toMatchObject({ timeShift: 1_260 });
    expect(resync(1_200, 1_260, { ...clock, timeShift: 600 })).toMatchObject({ timeShift: 660 });
    expect(resync(1_200, 1_260, { ...clock, timeShift: -600 })).toMatchObject({ timeShift: 1_860 });
  });

  it('is never followed to before its last use', () => {
    const counter = NOON_SECOND + 1_200n;
    expect(resync(1_140, 1_200, { ...clock, token: { counter: counter + 1n } })).toBeNull();
    expect(resync(1_200, 1_260, { ...clock, token: { counter } })).toMatchObject({ timeShift: 1_260 });
  });

  it('is followed a day at most', () => {
    const token = { counter: 0n, syncWindow: 10_000 };
    const sketch = { suite: 'OCRA-1:HOTP-SHA256-8:QN08-T1H', token };
    expect(resync(79_200, 82_800, sketch)).toMatchObject({ timeShift: 82_800 });
    expect(resync(86_400, 90_000, sketch)).toBeNull();
  });

  it('whose step is longer than five minutes takes the next step, too, and no later one', () => {
    const sketch = { suite: 'OCRA-1:HOTP-SHA256-8:QN08-T1H', token: { counter: 0n } };
    expect(resync(3_600, 7_200, sketch)).toMatchObject({ timeShift: 7_200 });
    expect(resync(3_600, 10_800, sketch)).toBeNull();
  });
});

const CONFIGURATION = configurationOf({ settings: new Map([['AutoResync', 'True']]) });
const settings = readOcraSettings(CONFIGURATION.settings);
const clock = { at: NOON, now: (): Date => clock.at };
const check = new ResponseChecker({
  vault,
  clock,
  means: { turn: () => Promise.resolve() },
  users: new UserDirectory({
    sources: () => {
      throw new Error('nobody is asked');
    },
  }),
});

/** Of a suite with time, the position is in minutes from noon. */
const answer = fc.record({
  question: fc.constantFrom(FIRST, SECOND),
  position: fc.integer({ min: 0, max: 60 }),
});
const act = fc.oneof(
  fc.record({ kind: fc.constant('answer' as const), given: answer }),
  fc.record({ kind: fc.constant('answer' as const), given: answer }),
  fc.record({ kind: fc.constant('resync' as const), given: answer, second: answer }),
  fc.record({ kind: fc.constant('time' as const), minutes: fc.constantFrom(1, 2, 5, 20, -1, -5, -20) }),
);
type GeneratedAnswer = ReturnType<(typeof answer)['generate']>['value'];

function response(suite: OcraSuite, { question, position }: GeneratedAnswer): string {
  return computeResponse(suite, KEY, {
    question,
    counter: BigInt(position),
    timeStep: timeStepAt(suite, new Date(NOON.getTime() + position * 60_000)),
  });
}

describe.each([
  ['counter', parseOcraSuite(COUNTER)],
  ['clock', parseOcraSuite(TIME)],
])('responses and resynchronisations of a token with a %s in any order', (_, suite) => {
  it('use no response twice and never move the counter back', async () => {
    let acceptances = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 40 }), async (acts) => {
        clock.at = NOON;
        let token = storedToken('T1', { algorithm: suite.text, syncWindow: 40 });
        token = { ...token, secrets: { ...token.secrets, seed: vault.seal(KEY, 'seed', 'T1') } };
        const used = new Set<string>();
        for (const each of acts) {
          const change = await changeBy(suite, token, each);
          const markers = (change?.replayMarkers ?? token.replayMarkers).filter(
            (marker) => !token.replayMarkers.includes(marker) && !marker.endsWith(':'),
          );
          expect(markers.filter((marker) => used.has(marker))).toEqual([]);
          markers.forEach((marker) => used.add(marker));
          expect((change?.counter ?? token.counter) >= token.counter).toBe(true);
          if (change?.counter !== undefined) {
            acceptances += 1;
            expect(markers.length).toBeGreaterThan(0);
          }
          token = { ...token, ...change, secrets: token.secrets, use: UNBOUND_USE };
        }
      }),
      { numRuns: 60 },
    );
    expect(acceptances).toBeGreaterThan(0);
  });
});

async function changeBy(
  suite: OcraSuite,
  token: Token,
  each: ReturnType<(typeof act)['generate']>['value'],
): Promise<TokenStateChange | null> {
  switch (each.kind) {
    case 'time':
      clock.at = new Date(clock.at.getTime() + each.minutes * 60_000);
      return null;
    case 'answer':
      return answered(token, each.given.question, response(suite, each.given));
    case 'resync':
      return resynchronise(
        responseInputs(vault, requireTokenKey(vault, token), settings, token, clock.now()),
        settings,
        token,
        {
          first: { question: each.given.question, response: response(suite, each.given) },
          second: { question: each.second.question, response: response(suite, each.second) },
        },
      );
  }
}

async function answered(token: Token, question: string, pass: string): Promise<TokenStateChange | null> {
  const given = check.prepare(pass, '');
  given.search.begin(1);
  const [verdict] = (await check.verify(CONFIGURATION, token, [question], given)) ?? [];
  return verdict?.kind === 'right' ? verdict.advance : (verdict?.remember ?? null);
}
