/** What a client may ask of the service, in the words of a history: docs/faults.md. */

/** The window of counters of a new token. */
export const COUNTER_WINDOW = 10;
/** The suite of a roll-out in two phases, by default. */
export const ROLL_OUT_SUITE = 'OCRA-1:HOTP-SHA256-8:C-QA64';
/** Stands for every error. */
export const REFUSED = 'refused';

interface OfSerial {
  readonly serial: string;
}

/** One token, or all of a user. */
export type Selected = OfSerial | { readonly user: string };

/**
 * A response without its digits: where a device gives it, or `wrong` where none does, or nothing at all. `key` is a name of the key; `at`
 * is a counter, the second at which a time step begins, or null for suites without either.
 */
export type GivenResponse =
  | 'wrong'
  | 'empty'
  | { readonly key: string; readonly suite: string; readonly question: string; readonly at: Position };

export type Position = number | null;

export type Via = 'ocra/check_t' | 'validate/check_t' | 'validate/check_s' | 'validate/check';

export type ConfigurationKey =
  | 'OcraMaxChallenges'
  | 'OcraMaxChallengeRequests'
  | 'OcraChallengeTimeout'
  | 'AutoResync'
  | 'DefaultMaxFailCount'
  | 'DefaultSyncWindow';

/** The arguments of each operation. PINs and keys are names of them. */
interface ArgumentsOf {
  readonly enrol: OfSerial & {
    readonly suite: string;
    readonly key: string;
    readonly pin?: string | undefined;
    readonly user?: string | undefined;
  };
  readonly 'phase 1': OfSerial & { readonly user?: string | undefined };
  readonly 'phase 2': OfSerial;
  /** `text` is what the user sees. */
  readonly request: Selected & { readonly text: string };
  readonly answer: {
    readonly via: Via;
    /** Where it is named; else the response is tried on all open challenges. */
    readonly transaction?: string | undefined;
    /** For `validate/check_s` and `validate/check`. */
    readonly serial?: string | undefined;
    readonly user?: string | undefined;
    readonly pin?: string | undefined;
    readonly response: GivenResponse;
  };
  readonly status: Selected | { readonly transaction: string };
  readonly show: OfSerial;
  readonly enable: Selected;
  readonly disable: Selected;
  readonly reset: Selected;
  readonly unassign: Selected;
  readonly remove: Selected;
  readonly assign: OfSerial & { readonly user: string };
  readonly set: OfSerial & { readonly pin: string };
  readonly limit: OfSerial & { readonly maxFail: number };
  readonly window: OfSerial & { readonly counters: number };
  readonly resync: OfSerial & { readonly responses: readonly [GivenResponse, GivenResponse] };
  readonly configure: { readonly key: ConfigurationKey; readonly value: string };
  readonly housekeeping: Readonly<Record<string, never>>;
  /** The restore of a backup closes all challenges that are open in it. */
  readonly restore: Readonly<Record<string, never>>;
  /** What the database holds of a token. */
  readonly rows: OfSerial;
}

export type OperationName = keyof ArgumentsOf;

export type Operation<Name extends OperationName = OperationName> = {
  [Each in Name]: { readonly op: Each; readonly args: ArgumentsOf[Each] };
}[Name];

/** The value of an answer, without anything secret. */
export type Answer = string | number | boolean | null | object;

/** The random values that the service drew, in the answers of `request`, `phase 1` and `phase 2`. */
export interface Drawn {
  readonly transaction?: string | undefined;
  readonly question?: string | undefined;
  /** The name of the shared secret, and in phase 2 of the key that follows from it. */
  readonly key?: string | undefined;
}

/** How an operation went: one line of a history, with the operation. Times are milliseconds, by one clock. */
export interface Fate {
  readonly client: string;
  readonly invoked: number;
  readonly completed?: number | undefined;
  /** Refused is every error that changes nothing; unknown is a request without an answer, or with a 503. */
  readonly outcome: 'ok' | 'refused' | 'unknown';
  readonly answer?: Answer | undefined;
  /** The decision in the audit trail, null for none; absent where nobody looked. */
  readonly decision?: string | null | undefined;
  /** The service's clock in seconds, where it is not that of the client. */
  readonly clock?: number | undefined;
  readonly server?: string | undefined;
  readonly request?: string | undefined;
  /** The text of an error. */
  readonly why?: string | undefined;
  /** An answer that no client may get. */
  readonly strange?: string | undefined;
}

/** A line of a history. */
export type HistoryRecord = Operation & Fate;

/** @returns what the service drew, as the client was told */
export function drawnIn({ answer }: Pick<Fate, 'answer'>): Drawn {
  const { transaction, question, key } = ((typeof answer === 'object' ? answer : null) ?? {}) as Drawn;
  return { transaction, question, key };
}
