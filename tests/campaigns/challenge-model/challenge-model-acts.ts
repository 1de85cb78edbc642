/**
 * The suites of the model's tokens: with a counter, with a time step of a minute, with neither, and of the roll-out.
 */
export const SUITES = {
  counter: 'OCRA-1:HOTP-SHA256-8:C-QN08',
  time: 'OCRA-1:HOTP-SHA256-8:QN08-T1M',
  neither: 'OCRA-1:HOTP-SHA256-8:QN08',
  rollout: 'OCRA-1:HOTP-SHA256-8:C-QA64',
} as const;

/** The owners of tokens; all of one realm. */
export const USERS = ['ann', 'bob'] as const;
export const REALM = 'bank';
/** The keys of tokens that are enrolled at once, hexadecimal. */
export const KEYS = ['a1'.repeat(32), 'b2'.repeat(32)] as const;
/** Digits of a response in all the suites. */
export const DIGITS = 8;
/** The default window of the model's tokens. */
export const COUNTER_WINDOW = 10;
export const SYNC_WINDOW = 30;
export const MAX_FAIL = 4;

export type Via = 'ocra/check_t' | 'validate/check_t' | 'validate/check_s' | 'validate/check';

/** One token, or all of a user. */
export type Selected = { readonly serial: string } | { readonly user: string };

/** A request with all its parameters, or another event. */
export type ModelAct =
  | {
      readonly act: 'enrol';
      readonly serial: string;
      readonly suite: string;
      /** Hexadecimal. */
      readonly key: string;
      readonly pin: string | undefined;
      readonly user: string | undefined;
    }
  | { readonly act: 'phase 1'; readonly serial: string; readonly user: string | undefined }
  /** The shared secret that the app received in phase 1, hexadecimal; empty if it received none. */
  | { readonly act: 'phase 2'; readonly serial: string; readonly sharedSecret: string }
  | { readonly act: 'request'; readonly of: Selected; readonly data: string }
  | {
      readonly act: 'answer';
      readonly via: Via;
      readonly transactionId: string | undefined;
      readonly serial: string;
      readonly user: string;
      readonly pass: string;
    }
  | { readonly act: 'status'; readonly of: Selected | { readonly transactionId: string } }
  | { readonly act: 'show'; readonly serial: string }
  | {
      readonly act: 'enable' | 'disable' | 'reset' | 'unassign' | 'remove';
      readonly of: Selected;
    }
  | { readonly act: 'assign'; readonly serial: string; readonly user: string }
  | { readonly act: 'set'; readonly serial: string; readonly pin: string }
  | { readonly act: 'limit'; readonly serial: string; readonly maxFail: number }
  | { readonly act: 'window'; readonly serial: string; readonly counters: number }
  | {
      readonly act: 'resync';
      readonly serial: string;
      readonly questions: readonly [string, string];
      readonly responses: readonly [string, string];
    }
  | { readonly act: 'configure'; readonly key: ConfigurationKey; readonly value: string }
  | { readonly act: 'wait'; readonly seconds: number }
  | { readonly act: 'housekeeping' };

export type ConfigurationKey =
  'OcraMaxChallenges' | 'OcraMaxChallengeRequests' | 'OcraChallengeTimeout' | 'AutoResync';

/** The random values that the server drew. */
export interface Learned {
  readonly transactionId?: string;
  readonly question?: string;
  /** Hexadecimal; in phase 1 the shared secret, in phase 2 the key derived. */
  readonly key?: string;
}

/** A client's answer, without the random values. `refused` stands for every error. */
export type ModelAnswer = string | number | boolean | null | object;

export const REFUSED = 'refused';
