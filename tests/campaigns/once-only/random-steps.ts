import fc from 'fast-check';

import {
  type ConfigurationKey,
  type GivenResponse,
  type Operation,
  ROLL_OUT_SUITE,
  type Selected,
  type Via,
} from './operations.ts';
import { hasCounter, hasTime, STEP, stepOf } from './responses.ts';
import type { Challenge, State, Token } from './state.ts';

/** The suites of random tokens: with a counter, with a time step of a minute, with neither. */
const SUITES = [
  'OCRA-1:HOTP-SHA256-8:C-QN08',
  'OCRA-1:HOTP-SHA256-8:QN08-T1M',
  'OCRA-1:HOTP-SHA256-8:QN08',
] as const;
export const [COUNTER_SUITE, TIME_SUITE] = SUITES;
export const USERS = ['ann', 'bob'] as const;
export const TOKENS = 3;
/**
 * Texts that are whole questions: two requests with the same one have the same question. The last two are one question
 * to a device: numbers are encoded as hexadecimal and padded with zeros at the end, so that n and 16n have the same bytes.
 */
const TEXTS = ['12345678', '05478395', '87654320'] as const;
const UNKNOWN = 'ffffffffffffffffffff';

type StepName = Exclude<Operation['op'], 'restore' | 'rows'> | 'wait' | 'wait for expiry';
type ResponseKind = 'right' | 'wrong' | 'wrong PIN' | 'second half' | 'of another' | 'empty';

/** A step relative to the state: tokens by number, challenges by age. Each kind of step uses some of the facts. */
export interface Step {
  readonly step: StepName;
  readonly token: number;
  readonly user: string;
  /** It is for all tokens of the user, or names the user. */
  readonly byUser: boolean;
  /** A challenge: this many before the newest; or one that never existed. */
  readonly which: number | 'unknown';
  readonly other: number;
  /** The transaction is named although it need not be. */
  readonly named: boolean;
  readonly via: Via;
  readonly response: ResponseKind;
  /** Counters or time steps from the token's position. */
  readonly offset: number;
  readonly suite: string;
  readonly key: number;
  readonly pin: string;
  readonly text: string;
  readonly texts: readonly [string, string];
  readonly maxFail: number;
  readonly counters: number;
  readonly ahead: number;
  readonly setting: readonly [ConfigurationKey, string];
  /** Negative: the clock is set back. */
  readonly seconds: number;
  /** Seconds after the expiry of a challenge. */
  readonly after: number;
}

/** As often as the number says. */
function weighted<Value>(weights: readonly (readonly [number, Value])[]): fc.Arbitrary<Value> {
  return fc.constantFrom(
    ...weights.flatMap(([weight, value]) => Array.from({ length: weight }, () => value)),
  );
}

/** @param steps the kinds of step, weighted */
function anyStep(steps: readonly (readonly [number, StepName])[]): fc.Arbitrary<Step> {
  return fc.record({
    step: weighted(steps),
    token: fc.constantFrom(0, 0, 0, 1, 1, 2, 2),
    user: fc.constantFrom(...USERS),
    byUser: weighted([
      [5, false],
      [1, true],
    ]),
    which: fc.constantFrom<(number | 'unknown')[]>(0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 5, 'unknown'),
    other: fc.nat(3),
    named: fc.boolean(),
    via: weighted<Via>([
      [4, 'ocra/check_t'],
      [1, 'validate/check_t'],
      [2, 'validate/check_s'],
      [2, 'validate/check'],
    ]),
    response: weighted<ResponseKind>([
      [10, 'right'],
      [7, 'wrong'],
      [1, 'wrong PIN'],
      [4, 'second half'],
      [1, 'empty'],
      [2, 'of another'],
    ]),
    offset: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -2, -3, -5, -6, 1, 3, 4, 9, 10, 15, 29, 30),
    suite: fc.constantFrom(SUITES[0], SUITES[0], SUITES[1], SUITES[1], SUITES[2]),
    key: fc.nat(1),
    pin: fc.constantFrom('', '', 'pin'),
    text: fc.constantFrom('', ...TEXTS, TEXTS[0]),
    texts: fc.tuple(fc.constantFrom(...TEXTS), fc.constantFrom(...TEXTS)),
    maxFail: fc.constantFrom(1, 1, 2, 3),
    counters: fc.constantFrom(1, 4, 7, 24),
    ahead: fc.constantFrom(0, 0, -1, 1, 9, 12, 28, 29, 30),
    setting: fc.constantFrom<(readonly [ConfigurationKey, string])[]>(
      ...(['1', '2', '4'] as const).map((value) => ['OcraMaxChallenges', value] as const),
      ...(['1', '2', '3', '5'] as const).map((value) => ['OcraMaxChallengeRequests', value] as const),
      ...(['60', '300', '1200'] as const).map((value) => ['OcraChallengeTimeout', value] as const),
      ...(['True', 'True', 'False'] as const).map((value) => ['AutoResync', value] as const),
    ),
    seconds: fc.constantFrom(1, 30, 59, 60, 170, 400, 691_200, -1, -60, -170, -400, -86_400),
    after: fc.constantFrom(-1, 0, 1),
  });
}

/** All that happens to challenges, one after the other. */
export const anySequential = anyStep([
  [24, 'request'],
  [44, 'answer'],
  [4, 'show'],
  [5, 'status'],
  [4, 'enrol'],
  [2, 'phase 1'],
  [4, 'phase 2'],
  [4, 'enable'],
  [2, 'disable'],
  [4, 'reset'],
  [2, 'unassign'],
  [2, 'remove'],
  [4, 'assign'],
  [2, 'set'],
  [4, 'limit'],
  [3, 'window'],
  [4, 'resync'],
  [6, 'configure'],
  [6, 'wait'],
  [5, 'wait for expiry'],
  [2, 'housekeeping'],
]);

/** Steps that are each atomic in the database, so that an order of them must explain what clients are told. */
export const anyConcurrent = anyStep([
  [30, 'answer'],
  [10, 'request'],
  [2, 'enable'],
  [2, 'disable'],
  [4, 'reset'],
  [2, 'unassign'],
  [2, 'remove'],
  [2, 'assign'],
  [4, 'enrol'],
  [2, 'limit'],
  [2, 'resync'],
  [3, 'status'],
  [2, 'show'],
]).map((step) => ({
  ...step,
  token: step.token === 2 ? 0 : step.token,
  suite: COUNTER_SUITE,
  byUser: step.byUser && step.step === 'request',
}));

/** The names of a run's tokens and keys. */
export interface Names {
  readonly serial: (token: number) => string;
  readonly keys: readonly string[];
}

/** What a step is resolved by. */
interface Scene {
  readonly state: State;
  readonly now: number;
  readonly names: Names;
  /** The serial of the step's token. */
  readonly serial: string;
  readonly of: Selected;
  readonly owner: { readonly user?: string };
}

/** @returns the operation that a step is in that state; or the seconds that pass */
export function operationOf(step: Step, state: State, now: number, names: Names): Operation | number {
  const serial = names.serial(step.token);
  const owner = step.byUser ? { user: step.user } : {};
  const of = step.byUser ? { user: step.user } : { serial };
  return RESOLVED[step.step](step, { state, now, names, serial, of, owner });
}

const RESOLVED: Readonly<Record<StepName, (step: Step, scene: Scene) => Operation | number>> = {
  wait: ({ seconds }) => seconds,
  'wait for expiry': ({ which, after }, { state, now }) => {
    const { issued: [issued] = [now], lifetime = 0 } = challengeOf(which, state) ?? {};
    return Math.max(0, issued + lifetime + after - now);
  },
  enrol: ({ suite, pin, key }, { serial, names, owner }) => ({
    op: 'enrol',
    args: { serial, suite, key: names.keys[key] ?? '', pin, ...owner },
  }),
  'phase 1': (_, { serial, owner }) => ({ op: 'phase 1', args: { serial, ...owner } }),
  'phase 2': (_, { serial, state }) => {
    const begun = Object.values(state.tokens).find(({ secret }) => secret !== null);
    return { op: 'phase 2', args: { serial: begun?.serial ?? serial } };
  },
  request: ({ text }, { of }) => ({ op: 'request', args: { ...of, text } }),
  answer: (step, scene) => ({ op: 'answer', args: answerOf(step, scene) }),
  status: ({ named, which }, { of, state }) => ({
    op: 'status',
    args: named ? of : { transaction: challengeOf(which, state)?.transaction ?? UNKNOWN },
  }),
  show: (_, { serial }) => ({ op: 'show', args: { serial } }),
  enable: (_, { of }) => ({ op: 'enable', args: of }),
  disable: (_, { of }) => ({ op: 'disable', args: of }),
  reset: (_, { of }) => ({ op: 'reset', args: of }),
  unassign: (_, { of }) => ({ op: 'unassign', args: of }),
  remove: (_, { of }) => ({ op: 'remove', args: of }),
  assign: ({ user }, { serial }) => ({ op: 'assign', args: { serial, user } }),
  // Removing a PIN is an act of its own.
  set: ({ pin }, { serial }) => ({ op: 'set', args: { serial, pin: pin === '' ? 'other' : pin } }),
  limit: ({ maxFail }, { serial }) => ({ op: 'limit', args: { serial, maxFail } }),
  window: ({ counters }, { serial }) => ({ op: 'window', args: { serial, counters } }),
  resync: ({ texts, ahead }, { serial, state }) => {
    const token = state.tokens[serial];
    // Only counters can be resynchronised here: for other tokens the request reads their state.
    if (token === undefined || !hasCounter(token.suite)) {
      return { op: 'show', args: { serial } };
    }
    const first = Math.max(0, token.counter + ahead);
    return {
      op: 'resync',
      args: { serial, responses: [given(token, texts[0], first), given(token, texts[1], first + 1)] },
    };
  },
  configure: ({ setting: [key, value] }) => ({ op: 'configure', args: { key, value } }),
  housekeeping: () => ({ op: 'housekeeping', args: {} }),
};

function challengeOf(which: Step['which'], { challenges }: State): Challenge | undefined {
  return which === 'unknown' ? undefined : (challenges.at(-1 - which) ?? challenges.at(-1));
}

function answerOf(step: Step, { state, now, serial }: Scene): Operation<'answer'>['args'] {
  const { via, which, named, response } = step;
  const challenge = challengeOf(which, state);
  const token = challenge && state.tokens[challenge.serial];
  const transaction = named || via.endsWith('check_t') ? (challenge?.transaction ?? UNKNOWN) : undefined;
  const args = { via, transaction, ...whose(via, token, serial) };
  if (challenge === undefined || token === undefined) {
    return { ...args, response: 'wrong' };
  }
  const pins: Partial<Record<ResponseKind, string>> = { 'wrong PIN': `${token.pin}x`, empty: '' };
  const pin = pins[response] ?? token.pin;
  return { ...args, pin, response: responseOf(step, challenge, token, state, now) };
}

function whose(via: Via, token: Token | undefined, serial: string): { serial?: string; user?: string } {
  switch (via) {
    case 'validate/check_s':
      return { serial: token?.serial ?? serial };
    case 'validate/check':
      return { user: token?.owner ?? USERS[0] };
    default:
      return {};
  }
}

function responseOf(
  step: Step,
  { question }: Challenge,
  token: Token,
  state: State,
  now: number,
): GivenResponse {
  const clock = stepOf(now + token.shift);
  const at = (offset: number): number =>
    hasCounter(token.suite) ? Math.max(0, token.counter + offset) : clock + offset * STEP;
  switch (step.response) {
    case 'wrong':
    case 'empty':
      return step.response;
    case 'right':
      return given(token, question, at(step.offset));
    case 'wrong PIN':
      return given(token, question, at(0));
    case 'of another':
      return given(token, challengeOf(step.other, state)?.question ?? question, at(0));
    case 'second half':
      return given(token, question, positionAhead(token, now));
  }
}

/** @returns the place of the second half of an automatic resynchronisation; else, for a clock, of a first half */
function positionAhead({ suite, ahead, counter, shift }: Token, now: number): number {
  return hasTime(suite)
    ? stepOf((ahead?.position ?? stepOf(now + shift) + 20 * STEP) + STEP)
    : (ahead?.position ?? counter) + 1;
}

/** The token's response with the key that it has, also in phase 1. */
function given({ suite, key, secret }: Token, question: string | null, at: number): GivenResponse {
  const fitting =
    suite === ROLL_OUT_SUITE ? (question ?? '') : (question ?? '').replace(/\D/g, '1').slice(0, 8);
  const isPlaced = hasCounter(suite) || hasTime(suite);
  return { key: key ?? secret ?? '', suite, question: fitting, at: isPlaced ? at : null };
}
