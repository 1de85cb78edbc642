import { Counter, type Registry } from 'prom-client';
import {
  type ChallengeMetrics,
  RESPONSE_REASONS,
  type ResponseReason,
} from '../challenges/challenge-metrics.ts';

/** Metrics of challenges and of the responses to them. */
export class PrometheusChallengeMetrics implements ChallengeMetrics {
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
      help: 'Responses by outcome (accepted, refused) and reason',
      labelNames: ['outcome', 'reason'],
      registers,
    });
    this.#lockouts = new Counter({
      name: 'tankeeper_token_lockouts_total',
      help: 'Tokens that were locked by a wrong response, as their fail counter reached its limit',
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

  tokenLocked(): void {
    this.#lockouts.inc();
  }
}

function labelsOf(reason: ResponseReason): { outcome: string; reason: string } {
  return { outcome: reason === 'accepted' ? 'accepted' : 'refused', reason };
}
