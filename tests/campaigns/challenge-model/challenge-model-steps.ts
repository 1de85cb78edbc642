import fc from 'fast-check';
import { type ConfigurationKey, SUITES, USERS, type Via } from './challenge-model-acts.ts';

/** The kind of response that is given. */
export type ResponseKind =
  /** The token's own, this many counters or time steps from its position. */
  | { readonly kind: 'right'; readonly offset: number }
  | { readonly kind: 'wrong digit' | 'wrong PIN' | 'second half' | 'nothing' }
  /** Right for another transaction. */
  | { readonly kind: 'of another'; readonly other: number };

/** A challenge: this many before the newest; or one that never existed. */
export type Which = number | 'unknown';

/** The next step, relative to the present state: tokens by number, challenges by age. */
export type ModelStep =
  | {
      readonly step: 'enrol';
      readonly token: number;
      readonly suite: string;
      readonly key: number;
      readonly pin: string | undefined;
      readonly user: string | undefined;
    }
  | { readonly step: 'phase 1'; readonly token: number; readonly user: string | undefined }
  | { readonly step: 'phase 2' | 'show'; readonly token: number }
  | { readonly step: 'request'; readonly of: Chosen; readonly data: string }
  | {
      readonly step: 'answer';
      readonly via: Via;
      readonly which: Which;
      /** The transaction is named although it need not be. */
      readonly named: boolean;
      readonly given: ResponseKind;
    }
  | { readonly step: 'status'; readonly of: Chosen | { readonly which: Which } }
  | { readonly step: 'enable' | 'disable' | 'reset' | 'unassign' | 'remove'; readonly of: Chosen }
  | { readonly step: 'assign'; readonly token: number; readonly user: string }
  | { readonly step: 'set'; readonly token: number; readonly pin: string }
  | { readonly step: 'limit'; readonly token: number; readonly maxFail: number }
  | { readonly step: 'window'; readonly token: number; readonly counters: number }
  | {
      readonly step: 'resync';
      readonly token: number;
      readonly ahead: number;
      readonly questions: readonly [string, string];
    }
  | { readonly step: 'configure'; readonly key: ConfigurationKey; readonly value: string }
  /** Negative: the clock is set back. */
  | { readonly step: 'wait'; readonly seconds: number }
  /** Until this many seconds after a challenge expires. */
  | { readonly step: 'wait for expiry'; readonly which: number; readonly after: number }
  | { readonly step: 'housekeeping' };

/** A token by its number, or the tokens of a user. */
export type Chosen = { readonly token: number } | { readonly user: string };

export const TOKENS = 3;
/**
 * Whole questions of suites with QN08: two requests with the same data have the same question. So have the last two:
 * numbers are encoded as hexadecimal and padded with zeros at the end, so that n and 16n have the same bytes.
 */
export const DATA = ['12345678', '05478395', '87654320'] as const;

const token = fc.constantFrom(0, 0, 0, 1, 1, 2, 2);
const user = fc.constantFrom(...USERS);
const chosen: fc.Arbitrary<Chosen> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ token }) },
  { weight: 1, arbitrary: fc.record({ user }) },
);
const which: fc.Arbitrary<Which> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(0, 0, 0, 0, 0, 1, 1, 2, 3, 5) },
  { weight: 1, arbitrary: fc.constant('unknown' as const) },
);
const pin = fc.constantFrom('', '', 'pin');
const suite = fc.constantFrom(SUITES.counter, SUITES.counter, SUITES.time, SUITES.time, SUITES.neither);
const data = fc.constantFrom('', ...DATA, DATA[0]);
const offset = fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -2, -3, -5, -6, 1, 3, 4, 9, 10, 15, 29, 30);
export const anyGiven: fc.Arbitrary<ResponseKind> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('right' as const), offset }) },
  { weight: 7, arbitrary: fc.constant({ kind: 'wrong digit' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'wrong PIN' } as const) },
  { weight: 4, arbitrary: fc.constant({ kind: 'second half' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'nothing' } as const) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('of another' as const), other: fc.nat(3) }) },
);
const via = fc.constantFrom<Via>(
  ...(['ocra/check_t', 'ocra/check_t', 'ocra/check_t', 'ocra/check_t'] as const),
  ...([
    'validate/check_t',
    'validate/check_s',
    'validate/check_s',
    'validate/check',
    'validate/check',
  ] as const),
);
const step = <Name extends string>(name: Name): fc.Arbitrary<Name> => fc.constant(name);

const configuration: fc.Arbitrary<ModelStep> = fc.oneof(
  ...(
    [
      ['OcraMaxChallenges', ['1', '2', '4']],
      ['OcraMaxChallengeRequests', ['1', '2', '3', '5']],
      ['OcraChallengeTimeout', ['60', '300', '1200']],
      ['AutoResync', ['True', 'True', 'False']],
    ] as const
  ).map(([key, values]) =>
    fc.record({ step: step('configure'), key: fc.constant(key), value: fc.constantFrom<string>(...values) }),
  ),
);

const requesting = fc.record({ step: step('request'), of: chosen, data });
const answering = fc.record({ step: step('answer'), via, which, named: fc.boolean(), given: anyGiven });

/** Any step of challenges, in sequence. */
export const anyStep: fc.Arbitrary<ModelStep> = fc.oneof(
  { weight: 24, arbitrary: requesting },
  { weight: 44, arbitrary: answering },
  { weight: 4, arbitrary: fc.record({ step: step('show'), token }) },
  {
    weight: 5,
    arbitrary: fc.record({ step: step('status'), of: fc.oneof(chosen, fc.record({ which })) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      step: step('enrol'),
      token,
      suite,
      key: fc.nat(1),
      pin: fc.option(pin, { nil: undefined }),
      user: fc.option(user, { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ step: step('phase 1'), token, user: fc.option(user, { nil: undefined }) }),
  },
  { weight: 4, arbitrary: fc.record({ step: step('phase 2'), token }) },
  {
    weight: 12,
    arbitrary: fc.record({
      step: fc.constantFrom('enable', 'enable', 'disable', 'reset', 'reset', 'unassign', 'remove'),
      of: chosen,
    }),
  },
  { weight: 4, arbitrary: fc.record({ step: step('assign'), token, user }) },
  { weight: 2, arbitrary: fc.record({ step: step('set'), token, pin }) },
  { weight: 4, arbitrary: fc.record({ step: step('limit'), token, maxFail: fc.constantFrom(1, 1, 2, 3) }) },
  {
    weight: 3,
    arbitrary: fc.record({ step: step('window'), token, counters: fc.constantFrom(1, 4, 7, 24) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      step: step('resync'),
      token,
      ahead: fc.constantFrom(0, 0, -1, 1, 9, 12, 28, 29, 30),
      questions: fc.tuple(fc.constantFrom(...DATA), fc.constantFrom(...DATA)),
    }),
  },
  { weight: 6, arbitrary: configuration },
  {
    weight: 6,
    arbitrary: fc.record({
      step: step('wait'),
      seconds: fc.constantFrom(1, 30, 59, 60, 170, 400, 691_200, -1, -60, -170, -400, -86_400),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      step: step('wait for expiry'),
      which: fc.constantFrom(0, 0, 1, 2),
      after: fc.constantFrom(-1, 0, 1),
    }),
  },
  { weight: 2, arbitrary: fc.record({ step: step('housekeeping') }) },
);
