/**
 * The outcome of a request in the ledger of requests and answers. Clients write to the ledger synchronously, before
 * their next step; afterwards reported-checks.ts compares it with the database and with the answers to replayed
 * responses.
 *
 * A request without an answer is `unknown`: it may have been done, not been done, or may still be done. One without a
 * connection is `unsent`. Order is by a counter: each request has the moments of its beginning and of its answer. The
 * order of overlapping requests is undefined.
 */
export type Outcome = 'reported' | 'unknown' | 'unsent';

/** The time of a request; `ended` is infinite if the end is unknown. */
export interface Span {
  readonly begun: number;
  readonly ended: number;
}

/** A step of a token's life: plain enrolment, the two phases of the roll-out, its first right response. */
export interface EnrolmentStep extends Span {
  readonly serial: string;
  readonly step: 'plain' | 'phase1' | 'phase2' | 'completed';
  readonly outcome: Outcome;
}

/** A requested challenge; without a transaction if the client did not get its id. */
export interface ChallengeStep extends Span {
  readonly serial: string;
  readonly outcome: Outcome;
  readonly transactionId: string | undefined;
  /** RFC 6287 Q. */
  readonly question: string | undefined;
}

/** A response that was sent to check_t. */
export interface ResponseStep extends Span {
  readonly serial: string;
  readonly transactionId: string;
  readonly response: string;
  /** The device made it for this challenge. */
  readonly right: boolean;
  /** The base URL of the server that it was sent to. */
  readonly server: string;
  /** As in the header X-Request-Id, and in the audit. */
  readonly requestId: string;
  readonly outcome: Outcome;
  /** The client's answer; undefined unless reported. */
  readonly answer: CheckAnswer | undefined;
  /** Milliseconds of performance.now(): the times of sending and of the answer. */
  readonly sentAt: number;
  readonly at: number;
}

/** The answer of check_t. */
export interface CheckAnswer {
  readonly accepted: boolean;
  readonly failCount: number;
}

/** The answer of checkstatus for a transaction. */
export interface StatusStep extends Span {
  readonly serial: string;
  readonly transactionId: string;
  readonly validTan: boolean;
  readonly failCount: number;
}

/** An answer that no client may get, such as a 500. */
export interface StrangeAnswer {
  readonly path: string;
  readonly text: string;
}

export class ReportedLedger {
  readonly enrolments: EnrolmentStep[] = [];
  readonly challenges: ChallengeStep[] = [];
  readonly responses: ResponseStep[] = [];
  readonly statuses: StatusStep[] = [];
  readonly strange: StrangeAnswer[] = [];
  #moment = 0;

  /** @returns the present moment, later than all before */
  moment(): number {
    this.#moment += 1;
    return this.#moment;
  }

  noteEnrolment(begun: number, step: Omit<EnrolmentStep, keyof Span>): void {
    this.enrolments.push({ ...step, ...this.#span(begun, step.outcome) });
  }

  noteChallenge(begun: number, step: Omit<ChallengeStep, keyof Span>): void {
    this.challenges.push({ ...step, ...this.#span(begun, step.outcome) });
  }

  noteResponse(begun: number, step: Omit<ResponseStep, keyof Span | 'at'>): void {
    this.responses.push({ ...step, ...this.#span(begun, step.outcome), at: performance.now() });
  }

  noteStatus(begun: number, step: Omit<StatusStep, keyof Span>): void {
    this.statuses.push({ ...step, ...this.#span(begun, 'reported') });
  }

  noteStrange(answer: StrangeAnswer): void {
    this.strange.push(answer);
  }

  /** The acceptances that clients received. */
  get accepted(): readonly ResponseStep[] {
    return this.responses.filter(({ answer }) => answer?.accepted === true);
  }

  /** Every right response that may have reached a server, once. */
  get rightResponses(): readonly ResponseStep[] {
    const sent = this.responses.filter(({ right, outcome }) => right && outcome !== 'unsent');
    return [...new Map(sent.map((step) => [`${step.transactionId} ${step.response}`, step])).values()];
  }

  /** @returns the number of steps with each outcome */
  static tally(steps: readonly { readonly outcome: Outcome }[]): Readonly<Record<Outcome, number>> {
    const tally = { reported: 0, unknown: 0, unsent: 0 };
    for (const { outcome } of steps) {
      tally[outcome] += 1;
    }
    return tally;
  }

  /**
   * @param time milliseconds of performance.now()
   * @param server its base URL; counts only its answers
   * @returns the milliseconds from then on without a reported acceptance of a response that was sent later; undefined
   *   if there was none yet
   */
  silenceAfter(time: number, server?: string): number | undefined {
    const first = this.responses.find(
      (step) =>
        step.answer?.accepted === true &&
        step.sentAt > time &&
        (server === undefined || step.server === server),
    );
    return first === undefined ? undefined : first.at - time;
  }

  #span(begun: number, outcome: Outcome): Span {
    // A request without an answer may take effect at any time from then on.
    const now = this.moment();
    return { begun, ended: outcome === 'unknown' ? Number.POSITIVE_INFINITY : now };
  }
}
