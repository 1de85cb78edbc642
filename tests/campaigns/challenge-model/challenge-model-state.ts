export interface ModelToken {
  readonly serial: string;
  suite: string;
  /** Hexadecimal; null between the phases of a roll-out. */
  key: string | null;
  sharedSecret: string | null;
  rollout: 'phase1' | 'phase2' | 'complete';
  active: boolean;
  failCount: number;
  maxFail: number;
  counter: number;
  /** Position and text of each response that was accepted, for as long as the token has its key. */
  replayMarkers: Set<string>;
  /** Older positions count as accepted: a wider window, or a clock that is set back, does not reopen them. */
  bottom: number;
  window: number;
  /** Seconds that the device's clock is known to be ahead. */
  shift: number;
  /** The first half of an automatic resynchronisation. */
  ahead: { readonly position: number; readonly mark: string } | null;
  pin: string;
  owner: string | null;
}

export interface ModelChallenge {
  readonly order: number;
  readonly transactionId: string;
  readonly serial: string;
  readonly question: string;
  /** Seconds, by the model's clock. */
  readonly issuedAt: number;
  wrong: number;
  received: boolean;
  valid: boolean;
  closed: 'accepted' | 'exhausted' | 'superseded' | null;
}

/** A decision on a response, as the audit trail must have it. */
export interface ModelDecision {
  readonly serial: string;
  readonly via: string;
  readonly outcome: string;
}
