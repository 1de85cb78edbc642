import { BackgroundLoop, type LoopPace } from '../kernel/background-loop.ts';
import type { Clock, Random } from '../kernel/clock.ts';
import { isServiceError } from '../kernel/errors.ts';
import { describeFault, type Log } from '../kernel/log.ts';
import { KeyedCounts } from '../kernel/bounded-work.ts';
import type { Vault } from '../keys/vault.ts';
import type { AttemptOutcome, Claim, DeliveryStore, UpkeepLimits } from './delivery-store.ts';
import type { HttpWebhookSender } from './sending/http-sender.ts';
import { openSecrets, type SendResult, type SigningWebhook, signMessage } from './webhook.ts';
import type { WebhookMetrics } from './webhook-metrics.ts';

/** Paces and limits of deliveries. Durations in milliseconds. */
export interface DispatchLimits {
  /** Between two readings of new events, where there are receivers. */
  readonly poll: number;
  /** The most requests to a receiver at once, by one server. */
  readonly atOnce: number;
  /** The same while a receiver fails: what hangs there takes few connections. */
  readonly atOnceInTrouble: number;
  /** Events of one statement. */
  readonly eventsAtOnce: number;
  /** After it another server may try: longer than a request may take. */
  readonly lease: number;
  readonly upkeepInterval: number;
  readonly upkeep: UpkeepLimits;
  /** The longest wait of `stop` for running requests. */
  readonly stopTimeoutMs: number;
}

const DAY = 86_400;

const DISPATCH_LIMITS: DispatchLimits = {
  poll: 500,
  atOnce: 16,
  atOnceInTrouble: 2,
  eventsAtOnce: 500,
  lease: 30_000,
  upkeepInterval: 10_000,
  upkeep: { maxKept: 100_000, giveUpAfter: 3 * DAY, keepGivenUp: 30 * DAY },
  stopTimeoutMs: 1_000,
};

const FIRST_MS = 10_000;
const MAX_DELAY_MS = 3 * 3_600_000;

const COMPONENT = 'webhooks';
/** Without receivers, upkeep is so many times as rare. */
const IDLE_UPKEEP_FACTOR = 6;

/**
 * Delivers events to receivers, in the background of a server. Several servers share the work: each claims deliveries
 * for a short time. No transaction is open during a request, and a claim that is never settled ends by itself, so that
 * each event is delivered at least once, under the same id (docs/adr/0025-webhooks.md).
 */
export class DeliveryDispatcher {
  readonly #deps;
  readonly #limits: DispatchLimits;
  readonly #loop = new BackgroundLoop((pace) => this.#turn(pace));
  readonly #running = new KeyedCounts();
  readonly #requests = new Set<Promise<void>>();
  readonly #inTrouble = new Set<string>();
  readonly #stopping = new AbortController();
  #outcomes: AttemptOutcome[] = [];
  #isTrouble = false;
  #nextReadAt = 0;
  #upkeepAt = 0;

  constructor(dependencies: {
    readonly store: DeliveryStore;
    readonly sender: HttpWebhookSender;
    readonly vault: Pick<Vault, 'open'>;
    readonly clock: Clock;
    /** @returns the time by which deliveries may be given up and removed. @throws ServiceError 'clock.doubtful' */
    readonly pruningTime: () => Promise<Date>;
    readonly random: Random;
    readonly log: Log;
    readonly metrics?: WebhookMetrics | undefined;
    readonly limits?: Partial<DispatchLimits>;
    /** Milliseconds of a clock that never goes back. */
    readonly elapsed?: () => number;
  }) {
    this.#deps = dependencies;
    this.#limits = { ...DISPATCH_LIMITS, ...dependencies.limits };
  }

  /** To be called once. */
  start(): void {
    this.#loop.start();
  }

  /** Waits a moment for running requests and records their results. Those that are cut off are repeated later. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    const timeout = new Promise((resolve) => {
      setTimeout(resolve, this.#limits.stopTimeoutMs).unref();
    });
    await Promise.race([Promise.all(this.#requests), timeout]);
    this.#stopping.abort();
    await Promise.all(this.#requests);
    await this.#settle().catch(() => undefined);
    this.#deps.sender.close();
  }

  get #now(): number {
    return this.#deps.elapsed?.() ?? performance.now();
  }

  async #turn({ rest, restUntilWoken }: LoopPace): Promise<void> {
    try {
      const isMore = await this.#work();
      this.#isTrouble = false;
      if (!isMore) {
        await restUntilWoken(this.#limits.poll);
      }
    } catch (error) {
      if (!this.#isTrouble && !isServiceError(error, 'database.unavailable')) {
        this.#isTrouble = true;
        this.#deps.log.warn('Webhooks cannot be delivered now; events are kept', {
          component: COMPONENT,
          ...describeFault(error),
        });
      }
      // Not until woken: each end of a request wakes.
      await rest(this.#limits.poll);
    }
  }

  /** @returns true if there may be more to do at once */
  async #work(): Promise<boolean> {
    const { store } = this.#deps;
    await this.#settle();
    if (this.#now >= this.#upkeepAt) {
      await this.#keepUp();
      this.#upkeepAt =
        this.#now + this.#limits.upkeepInterval * (store.hasReceivers ? 1 : IDLE_UPKEEP_FACTOR);
    }
    if (!store.hasReceivers) {
      return false;
    }
    const isMore = await this.#fanOut();
    const receivers = await store.receivers();
    const rooms = receivers
      .map(({ id }) => ({ webhookId: id, free: this.#roomOf(id) }))
      .filter(({ free }) => free > 0);
    const claims = rooms.length === 0 ? [] : await store.claim(rooms, this.#limits.lease);
    for (const claim of claims) {
      const receiver = receivers.find(({ id }) => id === claim.webhookId);
      if (receiver !== undefined) {
        this.#begin(claim, receiver);
      }
    }
    return isMore;
  }

  /** Reads new events at intervals only, not at each end of a request. @returns true if there may be more */
  async #fanOut(): Promise<boolean> {
    if (this.#now < this.#nextReadAt) {
      return false;
    }
    const { eventsAtOnce, poll } = this.#limits;
    const isMore = (await this.#deps.store.fanOut(eventsAtOnce)) >= eventsAtOnce;
    this.#nextReadAt = isMore ? 0 : this.#now + poll / 2;
    return isMore;
  }

  #roomOf(id: string): number {
    const { atOnce, atOnceInTrouble } = this.#limits;
    return (this.#inTrouble.has(id) ? atOnceInTrouble : atOnce) - this.#running.of(id);
  }

  #begin(claim: Claim, receiver: SigningWebhook): void {
    const { id } = receiver;
    const request = this.#running
      .during(id, () => this.#attempt(claim, receiver))
      .finally(() => {
        this.#requests.delete(request);
        this.#loop.wake();
      });
    this.#requests.add(request);
  }

  async #attempt(claim: Claim, receiver: SigningWebhook): Promise<void> {
    const { metrics, random } = this.#deps;
    const begun = this.#now;
    const { failure } = await this.#send(claim, receiver);
    if (failure !== undefined && this.#stopping.signal.aborted) {
      // Cut off: the receiver may have it, and the claim ends by itself.
      return;
    }
    metrics?.deliveryAttempted(
      receiver.name,
      failure === undefined ? 'delivered' : 'failed',
      (this.#now - begun) / 1000,
    );
    this.#noteHealth(receiver, failure);
    const { deliveryId, attempts, webhookId } = claim;
    this.#outcomes.push({
      deliveryId,
      attempts,
      webhookId,
      ...(failure !== undefined && { failure }),
      delay: retryDelay(attempts, random),
    });
  }

  async #send(claim: Claim, receiver: SigningWebhook): Promise<SendResult> {
    const { sender, vault, clock } = this.#deps;
    try {
      const message = signMessage(claim, clock.now(), openSecrets(vault, receiver));
      return await sender.send(receiver, message, this.#stopping.signal);
    } catch (error) {
      // Its secret cannot be opened.
      return { failure: isServiceError(error) ? error.message : 'not sent' };
    }
  }

  /** Logs one line when a receiver begins to fail and one when it takes deliveries again. */
  #noteHealth({ id, name }: SigningWebhook, failure: string | undefined): void {
    const { log } = this.#deps;
    if (failure === undefined) {
      if (this.#inTrouble.delete(id)) {
        log.info('A webhook takes deliveries again', { component: COMPONENT, webhook: name });
      }
    } else if (!this.#inTrouble.has(id)) {
      this.#inTrouble.add(id);
      log.warn('A webhook fails; its deliveries are repeated', {
        component: COMPONENT,
        webhook: name,
        faultDetail: failure,
      });
    }
  }

  async #settle(): Promise<void> {
    const outcomes = this.#outcomes;
    if (outcomes.length === 0) {
      return;
    }
    this.#outcomes = [];
    try {
      await this.#deps.store.settle(outcomes);
    } catch (error) {
      this.#outcomes.push(...outcomes);
      throw error;
    }
  }

  /** @returns undefined while the time is in doubt, which housekeeping tells */
  async #pruningTime(): Promise<Date | undefined> {
    try {
      return await this.#deps.pruningTime();
    } catch (error) {
      if (isServiceError(error, 'clock.doubtful')) {
        return undefined;
      }
      throw error;
    }
  }

  async #keepUp(): Promise<void> {
    const { store, metrics, log } = this.#deps;
    const done = await store.keepUp(this.#limits.upkeep, await this.#pruningTime());
    if (done === undefined) {
      return;
    }
    metrics?.backlogsAre(done.backlogs);
    for (const [webhook, count] of done.dropped) {
      metrics?.deliveriesDropped(webhook, count);
      log.error('Too many deliveries wait for a webhook: the oldest are lost', {
        component: COMPONENT,
        webhook,
        count,
      });
    }
  }
}

/**
 * The pause after a failed attempt: 10 s, doubled with each further one, three hours at most, each varied by a quarter
 * so that what failed together is not repeated together.
 * @param attempts so far, 1 or more
 * @returns milliseconds
 */
export function retryDelay(attempts: number, random: Random): number {
  const delay = Math.min(FIRST_MS * 2 ** Math.min(attempts - 1, 30), MAX_DELAY_MS);
  return Math.round(delay * 0.75 + random.below(Math.round(delay / 2) + 1));
}
