import { Counter, Gauge, type Registry } from 'prom-client';
import { RESPONSE_REASONS, type ResponseReason } from './challenge.ts';

/**
 * The end of a wait. `closed`: the transaction takes no more responses; `over`: the time; `full`: too many others wait;
 * `stopping`: the server ends; `gone`: the client has left.
 */
const WAIT_ENDS = ['changed', 'closed', 'over', 'full', 'stopping', 'gone'] as const;
export type WaitEnd = (typeof WAIT_ENDS)[number];

export class ChallengeMetrics {
  readonly #issued: Counter;
  readonly #responses: Counter<'outcome' | 'reason'>;
  readonly #lockouts: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#issued = new Counter({
      name: 'tankeeper_challenges_issued_total',
      help: 'Challenges that were issued',
      registers,
    });
    this.#responses = new Counter({
      name: 'tankeeper_responses_total',
      help: 'Responses by outcome (accepted, refused, declined) and reason',
      labelNames: ['outcome', 'reason'],
      registers,
    });
    this.#lockouts = new Counter({
      name: 'tankeeper_token_lockouts_total',
      help: 'Tokens that a wrong response has locked',
      registers,
    });
    for (const reason of RESPONSE_REASONS) {
      this.#responses.inc(labelsOf(reason), 0);
    }
  }

  challengeIssued(): void {
    this.#issued.inc();
  }

  responseEnded(reason: ResponseReason): void {
    this.#responses.inc(labelsOf(reason));
  }

  /** Counts a token whose fail counter has reached its limit by a response. */
  tokenLocked(): void {
    this.#lockouts.inc();
  }
}

function labelsOf(reason: ResponseReason): { outcome: string; reason: string } {
  switch (reason) {
    case 'accepted':
      return { outcome: 'accepted', reason };
    case 'declined':
    case 'reported':
      return { outcome: 'declined', reason };
    default:
      return { outcome: 'refused', reason };
  }
}

export class StatusWaitMetrics {
  readonly #waiting: Gauge;
  readonly #ended: Counter<'outcome'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#waiting = new Gauge({
      name: 'tankeeper_status_waiting_requests',
      help: 'Requests that wait for the state of a transaction to change',
      registers,
    });
    this.#ended = new Counter({
      name: 'tankeeper_status_waits_total',
      help: 'Such waits by their outcome: changed, closed (the transaction takes no more responses), over (the time), full (too many waited), stopping (the server), gone (the client)',
      labelNames: ['outcome'],
      registers,
    });
    for (const end of WAIT_ENDS) {
      this.#ended.inc({ outcome: end }, 0);
    }
  }

  waitingAre(count: number): void {
    this.#waiting.set(count);
  }

  /** Counts a wait, also one that did not begin. */
  waitEnded(end: WaitEnd): void {
    this.#ended.inc({ outcome: end });
  }
}
