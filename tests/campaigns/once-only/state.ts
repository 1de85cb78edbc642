import type { ConfigurationKey } from './operations.ts';

/** What the model holds of a token. Times and positions of clocks are seconds. */
export interface Token {
  readonly serial: string;
  suite: string;
  /** The name of its key; null between the phases of a roll-out. */
  key: string | null;
  /** The name of the shared secret, until the roll-out is complete. */
  secret: string | null;
  rollout: 'phase1' | 'phase2' | 'complete';
  active: boolean;
  failCount: number;
  maxFail: number;
  counter: number;
  /** Position and question of each response that was accepted, for as long as the token has its key. */
  used: readonly string[];
  /** Older positions count as accepted: a wider window, or a clock that is set back, does not reopen them. */
  bottom: number;
  window: number;
  syncWindow: number;
  /** Seconds that the device's clock is known to be ahead. */
  shift: number;
  /** The first half of an automatic resynchronisation. */
  ahead: { readonly position: number; readonly mark: string } | null;
  pin: string;
  owner: string | null;
}

export interface Challenge {
  /** Null where no client was told it. */
  readonly transaction: string | null;
  readonly serial: string;
  readonly question: string | null;
  readonly text: string;
  /** It was issued between these two seconds. */
  readonly issued: readonly [number, number];
  /** Seconds after the issue for which it takes responses. */
  readonly lifetime: number;
  wrong: number;
  received: boolean;
  valid: boolean;
  /** A response of the token was accepted since it was issued. */
  isPast: boolean;
  closed: 'accepted' | 'exhausted' | 'superseded' | null;
}

/** All that some tokens and their challenges are; the oldest challenge comes first. */
export interface State {
  configuration: Record<ConfigurationKey, string>;
  tokens: Record<string, Token>;
  challenges: Challenge[];
}

/** @returns the state of a new installation */
export function beginning(): State {
  return {
    configuration: {
      OcraMaxChallenges: '4',
      OcraMaxChallengeRequests: '3',
      OcraChallengeTimeout: '1200',
      AutoResync: 'False',
      DefaultMaxFailCount: '10',
      DefaultSyncWindow: '1000',
    },
    tokens: {},
    challenges: [],
  };
}

/** @returns a copy whose tokens and challenges may be changed */
export function copyOf({ configuration, tokens, challenges }: State): State {
  return {
    configuration: { ...configuration },
    tokens: Object.fromEntries(Object.entries(tokens).map(([serial, token]) => [serial, { ...token }])),
    challenges: challenges.map((challenge) => ({ ...challenge })),
  };
}
