import type { Sealed } from '../keys/vault.ts';
import type { Act } from '../policy/caller.ts';
import type { ReceiverAddress } from './receiver-address.ts';
import type { WebhookMessage, SignedMessage } from './signature.ts';
import type { Subscription } from './webhook-event.ts';

/** A receiver as the operator describes it. */
export interface WebhookDraft extends ReceiverAddress, Subscription {
  readonly name: string;
}

/** A receiver. */
export interface Webhook extends WebhookDraft {
  readonly isEnabled: boolean;
  readonly createdAt: Date;
}

/** The deliveries to a receiver. */
interface DeliveryState {
  /** Deliveries that are waiting or being tried. */
  readonly waiting: number;
  /** The time of the oldest of them. */
  readonly oldestAt: Date | null;
  /** Deliveries that were given up. */
  readonly givenUp: number;
  /** The number of delivered events. */
  readonly delivered: number;
  readonly lastSuccessAt: Date | null;
  readonly lastFailureAt: Date | null;
  /** `HTTP 500`, `no answer within 10 seconds`; empty: none yet. */
  readonly lastFailure: string;
}

export interface WebhookWithState extends Webhook, DeliveryState {}

/** A receiver with the secrets of its signatures: the present one, and during a replacement the one before. */
export interface SigningWebhook extends Webhook {
  readonly secrets: readonly Sealed[];
}

/** A delivery that waits, or was given up. Delivered ones are not kept. */
export interface PendingDelivery {
  readonly eventId: string;
  readonly type: string;
  readonly occurredAt: Date;
  readonly attempts: number;
  /** Null: it was given up. */
  readonly nextAttemptAt: Date | null;
  readonly givenUpAt: Date | null;
  /** Empty: there is none. */
  readonly lastFailure: string;
}

/** Storage of receivers. Each change is one transaction with its audit row. */
export interface WebhookStore {
  /** @returns all, by name */
  list(): Promise<readonly WebhookWithState[]>;
  /** @returns the names of all, without counting deliveries */
  names(): Promise<readonly string[]>;
  /** @returns the latest ones, the newest first, at most so many */
  deliveries(name: string, max: number): Promise<readonly PendingDelivery[]>;
  find(name: string): Promise<SigningWebhook | undefined>;
  /** @throws ServiceError 'webhook.invalid' where the name is taken, or there are `max` already */
  add(webhook: WebhookDraft, secret: Sealed, max: number, act: Act): Promise<void>;
  /** @returns false if there is none */
  enable(name: string, isEnabled: boolean, act: Act): Promise<boolean>;
  /**
   * Replaces the secret. The one before signs, too, for some time.
   * @param overlap seconds
   * @returns false if there is none
   */
  replaceSecret(name: string, secret: Sealed, overlap: number, act: Act): Promise<boolean>;
  /**
   * Makes all deliveries due now, also those that were given up.
   * @returns their number; undefined if there is no such receiver
   */
  retry(name: string, act: Act): Promise<number | undefined>;
  /** Removes a receiver with its deliveries. @returns the number of these; undefined if there is none */
  remove(name: string, act: Act): Promise<number | undefined>;
  /** Writes the audit row of a test. */
  noteTest(name: string, outcome: string, act: Act): Promise<void>;
}

/** Room for further attempts at a receiver. */
export interface Room {
  readonly webhookId: string;
  readonly free: number;
}

/** A delivery that this server has claimed: no other one tries it until the claim ends. */
export interface Claim extends WebhookMessage {
  readonly deliveryId: string;
  /** With this one. */
  readonly attempts: number;
  readonly webhookId: string;
}

/** A receiver, as the dispatcher needs it. */
export interface Receiver extends SigningWebhook {
  readonly id: string;
}

/** The result of an attempt. */
export interface AttemptOutcome extends Pick<Claim, 'deliveryId' | 'attempts' | 'webhookId'> {
  /** Absent: delivered. */
  readonly failure?: string;
  /** Milliseconds until the next attempt, after a failure. */
  readonly delay: number;
}

/** The deliveries to a receiver that wait, for the metrics. */
export interface Backlog {
  readonly webhook: string;
  readonly waiting: number;
  readonly givenUp: number;
  /** Seconds; 0: none waits. */
  readonly oldestAge: number;
}

/** Limits of what waits. */
export interface UpkeepLimits {
  /** The most deliveries that are kept for a receiver; the oldest ones are dropped. */
  readonly maxKept: number;
  /** Seconds after which a delivery is given up. */
  readonly giveUpAfter: number;
  /** Seconds for which given up ones are kept. */
  readonly keepGivenUp: number;
}

/** The outcome of upkeep. */
export interface Upkeep {
  readonly backlogs: readonly Backlog[];
  /** Number of deliveries dropped because there were too many, by the name of the receiver. */
  readonly dropped: ReadonlyMap<string, number>;
}

/** Deliveries in the database. No method keeps a connection longer than its statements run. */
export interface DeliveryStore {
  /** @returns false if this server knows of no enabled receiver */
  readonly hasReceivers: boolean;
  /** @returns the enabled receivers */
  receivers(): Promise<readonly Receiver[]>;
  /**
   * Makes deliveries of events: one for each enabled receiver that wants it.
   * @returns the number of events
   */
  fanOut(max: number): Promise<number>;
  /**
   * @param lease milliseconds for which the claims hold
   * @returns claimed deliveries that are due, the oldest first
   */
  claim(rooms: readonly Room[], lease: number): Promise<readonly Claim[]>;
  /** Records results. A failure after a lost claim is not recorded: another server tries. */
  settle(outcomes: readonly AttemptOutcome[]): Promise<void>;
  /**
   * Bounds and tidies what waits.
   * @param now undefined: the time is in doubt, and nothing is given up or removed for its age
   * @returns undefined while another server does so
   */
  keepUp(limits: UpkeepLimits, now: Date | undefined): Promise<Upkeep | undefined>;
}

/** The result of one request to a receiver. */
export type SendResult =
  | { readonly status: number; readonly failure?: never }
  | { readonly status?: number; readonly failure: string };

/** Sends requests to receivers. */
export interface WebhookSender {
  /** Never fails. Follows no redirects. @param signal ends it early */
  send(receiver: ReceiverAddress, message: SignedMessage, signal: AbortSignal): Promise<SendResult>;
  close(): void;
}

/** Metrics of deliveries. */
export interface WebhookMetrics {
  deliveryAttempted(webhook: string, outcome: 'delivered' | 'failed', seconds: number): void;
  deliveriesDropped(webhook: string, deliveries: number): void;
  /** Replaces all backlogs. */
  backlogsAre(backlogs: readonly Backlog[]): void;
}
