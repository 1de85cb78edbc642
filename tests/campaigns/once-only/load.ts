import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { type HistoryClient, UNSENT } from './client.ts';
import { isAcceptance } from './checker.ts';
import {
  drawnIn,
  type GivenResponse,
  type HistoryRecord,
  type Operation,
  ROLL_OUT_SUITE,
} from './operations.ts';
import { hasTime, stepOf } from './responses.ts';

/** The settings of the load. */
export interface LoadOptions {
  readonly client: HistoryClient;
  /** The present base URLs of the servers; a killed one may be among them. */
  readonly servers: () => readonly string[];
  /** The prefix of all serials of this load, so that several may run on one database. */
  readonly prefix: string;
  /** The number of concurrent portals, each with one request at a time (sometimes two). */
  readonly portals: number;
  /** The portals' actions follow from it; the interleaving does not. */
  readonly seed: number;
  /** Milliseconds between two requests of a portal. */
  readonly pause: number;
}

/** A token in use, and the next counter of its device. */
interface UsedToken {
  readonly serial: string;
  readonly suite: string;
  readonly key: string;
  /** It only gets wrong responses, so that it has a count to lose. */
  readonly isHopeless: boolean;
  counter: number;
  /** The last one that was left open. */
  open?: OpenChallenge | undefined;
  /** Transactions until another token takes its place. */
  left: number;
}

interface OpenChallenge {
  readonly transaction: string;
  readonly question: string;
}

type Plan =
  'right' | 'wrong, then right' | 'right, twice at once' | 'wrong, twice at once' | 'exhaust' | 'leave open';

/** Most actions, as often as they stand here. */
const PLANS: readonly Plan[] = [
  ...Array.from({ length: 9 }, () => 'right' as const),
  ...Array.from({ length: 5 }, () => 'wrong, then right' as const),
  ...(['right, twice at once', 'right, twice at once', 'wrong, twice at once'] as const),
  ...(['exhaust', 'leave open', 'leave open'] as const),
];
const SUITES = {
  counter: 'OCRA-1:HOTP-SHA256-8:C-QN08',
  clock: 'OCRA-1:HOTP-SHA256-8:QN08-T1M',
} as const;
const TRANSACTIONS_OF_TOKEN = 10;
/** Milliseconds to wait after a request without an answer, and for which that portal then avoids that server. */
const AFTER_FAULT_MS = 60;
const AVOIDED_MS = 400;

/**
 * Portals and devices at work until `signal`: roll-outs in two phases, tokens with a counter or a clock, challenges,
 * wrong responses and right ones, some of them sent twice at once; each request to any server. A right response without
 * an answer is repeated until it has one, as a customer would; other requests are not.
 */
export async function runLoad(options: LoadOptions, signal: AbortSignal): Promise<void> {
  const portals = Array.from({ length: options.portals }, (_, number) => new Portal(options, number, signal));
  await Promise.all(portals.map((portal) => portal.run()));
}

class Portal {
  readonly #options: LoadOptions;
  readonly #name: string;
  readonly #signal: AbortSignal;
  readonly #tokens: UsedToken[] = [];
  readonly #avoided = new Map<string, number>();
  #enrolled = 0;
  #drawn = 0;

  constructor(options: LoadOptions, number: number, signal: AbortSignal) {
    this.#options = options;
    this.#name = `${options.prefix}-${number}`;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      if (this.#tokens.length < 2) {
        await this.#enrol();
      } else {
        await this.#transact(this.#one(this.#tokens));
      }
    }
  }

  async #enrol(): Promise<void> {
    this.#enrolled += 1;
    const serial = `${this.#name}-${this.#enrolled}`;
    const kind = this.#one(['roll-out', 'counter', 'clock', 'clock'] as const);
    if (kind === 'roll-out') {
      await this.#rollOut(serial);
      return;
    }
    const key = this.#options.client.learn(randomBytes(32));
    const args = { serial, suite: SUITES[kind], key };
    if ((await this.#perform({ op: 'enrol', args })).outcome === 'ok') {
      this.#tokens.push(unused(args, kind === 'counter' && this.#chance() < 0.6));
    }
  }

  async #rollOut(serial: string): Promise<void> {
    if ((await this.#perform({ op: 'phase 1', args: { serial } })).outcome !== 'ok') {
      return;
    }
    for (let attempt = 0; attempt < 5 && !this.#signal.aborted; attempt += 1) {
      const second = await this.#perform({ op: 'phase 2', args: { serial } });
      const { transaction, question, key } = drawnIn(second);
      if (transaction !== undefined && question !== undefined && key !== undefined) {
        const token = unused({ serial, suite: ROLL_OUT_SUITE, key }, false);
        await this.#answer(
          token,
          { transaction, question },
          this.#one(['right', 'right', 'wrong, then right']),
        );
        this.#tokens.push(token);
        return;
      }
    }
  }

  async #transact(token: UsedToken): Promise<void> {
    const { serial, open } = token;
    if (open !== undefined && this.#chance() < 0.25) {
      token.open = undefined;
      return this.#right(token, open, 1);
    }
    const requested = await this.#perform({ op: 'request', args: { serial, text: '' } });
    const { transaction, question } = drawnIn(requested);
    if (transaction !== undefined && question !== undefined) {
      await this.#answer(token, { transaction, question }, this.#one(PLANS));
      if (this.#chance() < 0.15) {
        await this.#perform({ op: 'status', args: { transaction } });
      }
    }
    token.left -= 1;
    if (token.left <= 0) {
      this.#tokens.splice(this.#tokens.indexOf(token), 1);
    }
  }

  async #answer(token: UsedToken, challenge: OpenChallenge, plan: Plan): Promise<void> {
    const wrong = (times: number): Promise<unknown> => this.#send(challenge, 'wrong', times);
    if (token.isHopeless) {
      await wrong(1);
      await (this.#chance() < 0.5 && wrong(2));
      return;
    }
    switch (plan) {
      case 'right':
        return this.#right(token, challenge, 1);
      case 'wrong, then right':
        await wrong(1);
        return this.#right(token, challenge, 1);
      case 'right, twice at once':
        return this.#right(token, challenge, 2);
      case 'wrong, twice at once':
        await wrong(2);
        return;
      case 'exhaust':
        for (let sent = 0; sent < 4; sent += 1) {
          await wrong(1);
        }
        return;
      case 'leave open':
        token.open = challenge;
        return;
    }
  }

  async #right(token: UsedToken, challenge: OpenChallenge, times: number): Promise<void> {
    const response = place(token, challenge);
    let sent = await this.#send(challenge, response, times);
    while (
      sent.every(({ outcome, answer }) => outcome === 'unknown' || answer === UNSENT) &&
      !this.#signal.aborted
    ) {
      sent = await this.#send(challenge, response, 1);
    }
    if (this.#chance() < 0.15) {
      await this.#send(challenge, response, 1);
    }
    if (!sent.some(isAcceptance)) {
      await this.#perform({ op: 'status', args: { transaction: challenge.transaction } });
    }
  }

  #send(
    { transaction }: OpenChallenge,
    response: GivenResponse,
    times: number,
  ): Promise<readonly HistoryRecord[]> {
    const args = { via: 'ocra/check_t', transaction, response } as const;
    return Promise.all(Array.from({ length: times }, () => this.#perform({ op: 'answer', args })));
  }

  async #perform(operation: Operation): Promise<HistoryRecord> {
    const server = this.#server();
    const record = await this.#options.client.perform(operation, server, this.#name);
    const isWell = record.outcome !== 'unknown' && record.answer !== UNSENT;
    if (!isWell) {
      this.#avoided.set(server, performance.now() + AVOIDED_MS);
    }
    await sleep(isWell ? this.#options.pause : AFTER_FAULT_MS);
    return record;
  }

  #server(): string {
    const all = this.#options.servers();
    const well = all.filter((server) => (this.#avoided.get(server) ?? 0) < performance.now());
    return this.#one(well.length > 0 ? well : all);
  }

  #one<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.#chance() * values.length)] as Value;
  }

  /** @returns a number from 0 to below 1 */
  #chance(): number {
    this.#drawn += 1;
    const drawing = `${this.#options.seed} ${this.#name} ${this.#drawn}`;
    return createHash('sha256').update(drawing).digest().readUInt32BE(0) / 2 ** 32;
  }
}

function unused(token: Pick<UsedToken, 'serial' | 'suite' | 'key'>, isHopeless: boolean): UsedToken {
  return { ...token, isHopeless, counter: 0, left: TRANSACTIONS_OF_TOKEN };
}

/** @returns the next response of the token's device */
function place(token: UsedToken, { question }: OpenChallenge): GivenResponse {
  const { suite, key } = token;
  const at = hasTime(suite) ? stepOf(Date.now() / 1_000) : token.counter;
  token.counter += 1;
  return { key, suite, question, at };
}
