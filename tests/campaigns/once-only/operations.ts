import { z } from 'zod';

/** What a client may ask of the service, in the words of a history: docs/faults.md. */

/** The window of counters of a new token. */
export const COUNTER_WINDOW = 10;
/** The suite of a roll-out in two phases, by default. */
export const ROLL_OUT_SUITE = 'OCRA-1:HOTP-SHA256-8:C-QA64';
/** Stands for every error. */
export const REFUSED = 'refused';

const text = z.string();
const ofSerial = z.strictObject({ serial: text });
/** One token, or all of a user. */
const selected = z.union([ofSerial, z.strictObject({ user: text })]);

/**
 * A response without its digits: where a device gives it, or `wrong` where none does, or nothing at all. `key` is a name of the key; `at`
 * is a counter, the second at which a time step begins, or null for suites without either.
 */
const response = z.union([
  z.enum(['wrong', 'empty']),
  z.strictObject({ key: text, suite: text, question: text, at: z.number().nullable() }),
]);

/** The arguments of each operation. PINs and keys are names of them. */
const ARGUMENTS = {
  enrol: z.strictObject({
    serial: text,
    suite: text,
    key: text,
    pin: text.optional(),
    user: text.optional(),
  }),
  'phase 1': z.strictObject({ serial: text, user: text.optional() }),
  'phase 2': ofSerial,
  /** `text` is what the user sees. */
  request: z.union([z.strictObject({ serial: text, text }), z.strictObject({ user: text, text })]),
  answer: z.strictObject({
    via: z.enum(['ocra/check_t', 'validate/check_t', 'validate/check_s', 'validate/check']),
    /** Where it is named; else the response is tried on all open challenges. */
    transaction: text.optional(),
    /** For `validate/check_s` and `validate/check`. */
    serial: text.optional(),
    user: text.optional(),
    pin: text.optional(),
    response,
  }),
  status: z.union([selected, z.strictObject({ transaction: text })]),
  show: ofSerial,
  enable: selected,
  disable: selected,
  reset: selected,
  unassign: selected,
  remove: selected,
  assign: z.strictObject({ serial: text, user: text }),
  set: z.strictObject({ serial: text, pin: text }),
  limit: z.strictObject({ serial: text, maxFail: z.number() }),
  window: z.strictObject({ serial: text, counters: z.number() }),
  resync: z.strictObject({ serial: text, responses: z.tuple([response, response]) }),
  configure: z.strictObject({
    key: z.enum([
      'OcraMaxChallenges',
      'OcraMaxChallengeRequests',
      'OcraChallengeTimeout',
      'AutoResync',
      'DefaultMaxFailCount',
      'DefaultSyncWindow',
    ]),
    value: text,
  }),
  housekeeping: z.strictObject({}),
  /** The restore of a backup closes all challenges that are open in it. */
  restore: z.strictObject({}),
  /** What the database holds of a token. */
  rows: ofSerial,
} as const;

type ArgumentsOf = { readonly [Name in keyof typeof ARGUMENTS]: z.infer<(typeof ARGUMENTS)[Name]> };
export type OperationName = keyof ArgumentsOf;

export type Operation<Name extends OperationName = OperationName> = {
  [Each in Name]: { readonly op: Each; readonly args: ArgumentsOf[Each] };
}[Name];

export type Via = Operation<'answer'>['args']['via'];
export type Selected = z.infer<typeof selected>;
export type GivenResponse = z.infer<typeof response>;
export type Position = number | null;
export type ConfigurationKey = Operation<'configure'>['args']['key'];

/** The value of an answer, without anything secret. */
export type Answer = string | number | boolean | null | object;

/** The random values that the service drew, in the answers of `request`, `phase 1` and `phase 2`. */
const drawn = z.object({
  transaction: text.optional(),
  question: text.optional(),
  /** The name of the shared secret, and in phase 2 of the key that follows from it. */
  key: text.optional(),
});
export type Drawn = z.infer<typeof drawn>;

/** How an operation went: one line of a history, with the operation. Times are milliseconds, by one clock. */
const fate = z.strictObject({
  client: text,
  invoked: z.number(),
  completed: z.number().optional(),
  /** Refused is every error that changes nothing; unknown is a request without an answer, or with a 503. */
  outcome: z.enum(['ok', 'refused', 'unknown']),
  answer: z.custom<Answer>((value) => value !== undefined).optional(),
  /** The decision in the audit trail, null for none; absent where nobody looked. */
  decision: text.nullable().optional(),
  /** The service's clock in seconds, where it is not that of the client. */
  clock: z.number().optional(),
  server: text.optional(),
  request: text.optional(),
  /** The text of an error. */
  why: text.optional(),
  /** An answer that no client may get. */
  strange: text.optional(),
});
export type Fate = z.infer<typeof fate>;

/** A line of a history. */
export type HistoryRecord = Operation & Fate;

const header = z.looseObject({ op: z.enum(Object.keys(ARGUMENTS) as [OperationName]), args: z.unknown() });

/** @throws if it is not a line of a history */
export function readRecord(line: unknown): HistoryRecord {
  const { op, args, ...rest } = header.parse(line);
  return { op, args: ARGUMENTS[op].parse(args), ...fate.parse(rest) } as HistoryRecord;
}

/** @returns what the service drew, as the client was told */
export function drawnIn({ answer }: Pick<Fate, 'answer'>): Drawn {
  return drawn.safeParse(answer).data ?? {};
}
