import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ReportedClient } from './reported-client.ts';
import {
  askStatus,
  beginRollout,
  continueRollout,
  type DeviceToken,
  deviceResponse,
  enrolPlain,
  type FirstPhase,
  type OpenChallenge,
  otherResponse,
  requestChallenge,
  type ResponseToSend,
  sendResponse,
} from './reported-exchange.ts';
import type { ReportedLedger } from './reported-ledger.ts';

/** The settings of the load. */
export interface ReportedLoadOptions {
  readonly ledger: ReportedLedger;
  readonly client: ReportedClient;
  /** The present base URLs of the servers; a killed one may be among them. */
  readonly servers: () => readonly string[];
  /** The prefix of all serials of this load, so that several may run on one database. */
  readonly prefix: string;
  /** The number of concurrent portals, each with one request at a time (sometimes two); default 8. */
  readonly portals?: number;
  /** The portals' actions follow from it; the interleaving does not. */
  readonly seed: string;
  /** Milliseconds between two requests of a portal; default 5. */
  readonly pause?: number;
}

/** A token in use, and the next counter of its device. */
interface UsedToken extends DeviceToken {
  counter: bigint;
  /** Transactions until another token takes its place. */
  left: number;
  /** It only gets wrong responses, so that it has a count to lose. */
  readonly isHopeless: boolean;
}

type Plan =
  'right' | 'wrong, then right' | 'right, twice at once' | 'wrong, twice at once' | 'exhaust' | 'leave open';

/** Most actions between two roll-outs, with their weights. */
const PLANS: readonly (readonly [Plan, number])[] = [
  ['right', 0.45],
  ['wrong, then right', 0.25],
  ['right, twice at once', 0.1],
  ['wrong, twice at once', 0.06],
  ['exhaust', 0.04],
  ['leave open', 0.1],
];
const TRANSACTIONS_OF_TOKEN = 10;
const HOPELESS = 0.35;
const ROLLOUT = 0.5;
const REPLAYED = 0.15;
/** Milliseconds to wait after a request without an answer, and for which that portal then avoids that server. */
const AFTER_FAULT_MS = 60;
const AVOIDED_MS = 400;

/**
 * Portals and devices at work: roll-outs in two phases, plain tokens, challenges, wrong responses and right ones, some
 * of them sent twice at once over two servers. A right response without an answer is repeated until it has one, as a
 * customer would; other requests are not. The ledger records everything before the next step.
 */
export class ReportedLoad {
  readonly #deps: ReportedLoadOptions;

  constructor(options: ReportedLoadOptions) {
    this.#deps = options;
  }

  /** Works until `signal` and then finishes running requests. */
  async run(signal: AbortSignal): Promise<void> {
    const portals = Array.from({ length: this.#deps.portals ?? 8 }, (_, number) =>
      new Portal(this.#deps, number, signal).run(),
    );
    await Promise.all(portals);
  }
}

class Portal {
  readonly #deps: ReportedLoadOptions;
  readonly #number: number;
  readonly #signal: AbortSignal;
  readonly #tokens: UsedToken[] = [];
  readonly #avoided = new Map<string, number>();
  #drawn = 0;
  #enrolled = 0;
  #asked = '';

  constructor(options: ReportedLoadOptions, number: number, signal: AbortSignal) {
    this.#deps = options;
    this.#number = number;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      if (this.#tokens.length < 2) {
        await this.#enrol();
      } else {
        const token = this.#tokens[Math.floor(this.#chance() * this.#tokens.length)];
        if (token !== undefined) {
          await this.#transact(token);
        }
      }
    }
  }

  async #enrol(): Promise<void> {
    this.#enrolled += 1;
    const serial = `${this.#deps.prefix}-${this.#number}-${this.#enrolled}`;
    const { ledger, client } = this.#deps;
    if (this.#chance() < ROLLOUT) {
      const first = await this.#orRest(beginRollout(ledger, client, this.#server(), serial));
      await (first && this.#activate(first));
      return;
    }
    const key = randomBytes(32);
    const token = await this.#orRest(enrolPlain(ledger, client, this.#server(), { serial, key }));
    if (token !== undefined) {
      this.#tokens.push({ ...this.#unused(token), isHopeless: this.#chance() < HOPELESS });
    }
  }

  async #activate(first: FirstPhase): Promise<void> {
    const { ledger, client } = this.#deps;
    for (let attempt = 0; attempt < 5 && !this.#signal.aborted; attempt += 1) {
      const second = await this.#orRest(continueRollout(ledger, client, this.#server(), first));
      if (second !== undefined) {
        const token = this.#unused(second.token);
        if (this.#chance() < 0.2) {
          await this.#wrong(token, second.challenge);
        }
        if (await this.#right(token, second.challenge)) {
          ledger.noteEnrolment(ledger.moment(), {
            serial: first.serial,
            step: 'completed',
            outcome: 'reported',
          });
          this.#tokens.push(token);
        }
        return;
      }
    }
  }

  #unused(token: DeviceToken): UsedToken {
    return { ...token, counter: 0n, left: TRANSACTIONS_OF_TOKEN, isHopeless: false };
  }

  async #transact(token: UsedToken): Promise<void> {
    const { ledger, client } = this.#deps;
    const challenge = await this.#orRest(requestChallenge(ledger, client, this.#server(), token.serial));
    if (challenge === undefined) {
      return;
    }
    await (token.isHopeless ? this.#fail(token, challenge) : this.#perform(this.#plan(), token, challenge));
    if (this.#chance() < 0.1) {
      await this.#orRest(askStatus(ledger, client, this.#server(), { ...challenge, serial: token.serial }));
    }
    token.left -= 1;
    if (token.left <= 0) {
      this.#tokens.splice(this.#tokens.indexOf(token), 1);
    }
  }

  async #fail(token: UsedToken, challenge: OpenChallenge): Promise<void> {
    await this.#wrong(token, challenge);
    if (this.#chance() < 0.5) {
      await Promise.all([this.#wrong(token, challenge), this.#wrong(token, challenge)]);
    }
  }

  async #perform(plan: Plan, token: UsedToken, challenge: OpenChallenge): Promise<void> {
    switch (plan) {
      case 'right':
        await this.#right(token, challenge);
        return;
      case 'wrong, then right':
        await this.#wrong(token, challenge);
        await this.#right(token, challenge);
        return;
      case 'right, twice at once':
        await this.#right(token, challenge, 2);
        return;
      case 'wrong, twice at once':
        await Promise.all([this.#wrong(token, challenge), this.#wrong(token, challenge)]);
        return;
      case 'exhaust':
        for (let sent = 0; sent < 4; sent += 1) {
          await this.#wrong(token, challenge);
        }
        return;
      case 'leave open':
        return;
    }
  }

  async #wrong(token: UsedToken, challenge: OpenChallenge): Promise<void> {
    const response = otherResponse(deviceResponse(token, challenge, token.counter + 500n));
    const { serial } = token;
    const { transactionId } = challenge;
    await this.#send({ serial, transactionId, response, right: false });
  }

  /** @returns true if the client got its acceptance, or checkstatus reported it */
  async #right(token: UsedToken, challenge: OpenChallenge, atOnce = 1): Promise<boolean> {
    const response = deviceResponse(token, challenge, token.counter);
    token.counter += 1n;
    const { serial } = token;
    const { transactionId } = challenge;
    const sending = { serial, transactionId, response, right: true };
    let sent = await Promise.all(Array.from({ length: atOnce }, () => this.#send(sending)));
    while (sent.every(({ outcome }) => outcome !== 'reported') && !this.#signal.aborted) {
      sent = [await this.#send(sending)];
    }
    if (this.#chance() < REPLAYED) {
      await this.#send(sending);
    }
    if (sent.some(({ answer }) => answer?.accepted === true)) {
      return true;
    }
    const { ledger, client } = this.#deps;
    return (
      (await this.#orRest(askStatus(ledger, client, this.#server(), { serial, transactionId }))) === true
    );
  }

  async #send(response: ResponseToSend): ReturnType<typeof sendResponse> {
    const { ledger, client } = this.#deps;
    const sent = await sendResponse(ledger, client, this.#server(), response);
    await this.#rest(sent.outcome === 'reported');
    return sent;
  }

  async #orRest<Value>(work: Promise<Value | undefined>): Promise<Value | undefined> {
    const value = await work;
    await this.#rest(value !== undefined);
    return value;
  }

  async #rest(isWell: boolean): Promise<void> {
    if (!isWell) {
      this.#avoided.set(this.#asked, performance.now() + AVOIDED_MS);
    }
    await sleep(isWell ? (this.#deps.pause ?? 5) : AFTER_FAULT_MS);
  }

  #server(): string {
    const all = this.#deps.servers();
    const well = all.filter((server) => (this.#avoided.get(server) ?? 0) < performance.now());
    const servers = well.length > 0 ? well : all;
    this.#asked = servers[Math.floor(Math.random() * servers.length)] ?? '';
    return this.#asked;
  }

  #plan(): Plan {
    let rest = this.#chance();
    for (const [plan, likelihood] of PLANS) {
      rest -= likelihood;
      if (rest < 0) {
        return plan;
      }
    }
    return 'right';
  }

  /** @returns a number from 0 to below 1 */
  #chance(): number {
    this.#drawn += 1;
    const { seed } = this.#deps;
    const digest = createHash('sha256').update(`${seed} ${this.#number} ${this.#drawn}`).digest();
    return digest.readUInt32BE(0) / 2 ** 32;
  }
}
