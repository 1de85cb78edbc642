import { createHmac } from 'node:crypto';

import type { Sealed, Vault } from '../keys/vault.ts';
import type { ReceiverAddress } from './receiver-address.ts';
import type { Subscription } from './webhook-event.ts';
import type { Random } from '../kernel/clock.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'webhook.unknown': NoPayload;
    'webhook.invalid': NoPayload;
  }
}

/** A receiver as the operator describes it. */
export interface WebhookDraft extends ReceiverAddress, Subscription {
  readonly name: string;
}

/** A receiver. */
export interface Webhook extends WebhookDraft {
  readonly isEnabled: boolean;
  readonly createdAt: Date;
}

/** A receiver with the secrets of its signatures: the present one, and during a replacement the one before. */
export interface SigningWebhook extends Webhook {
  readonly id: string;
  readonly secrets: readonly Sealed[];
}

/** A receiver with the state of its deliveries. */
export interface WebhookWithState extends Webhook {
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

/** The result of one request to a receiver. */
export type SendResult =
  | { readonly status: number; readonly failure?: never }
  | { readonly status?: number; readonly failure: string };

/**
 * @returns the secrets that sign for a receiver
 * @throws ServiceError 'key.unavailable', 'secret.unreadable'
 */
export function openSecrets(
  vault: Pick<Vault, 'open'>,
  { name, secrets }: SigningWebhook,
): readonly Buffer[] {
  return secrets.map((secret) => vault.open(secret, 'webhook', name));
}

/** Bytes; the specification recommends 24 to 64. */
const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

/** A request to a receiver, by Standard Webhooks 1.0.0 (https://www.standardwebhooks.com). */
export interface SignedMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The content of a message. */
export interface WebhookMessage {
  /** The same at each attempt: receivers recognise repeated deliveries by it. */
  readonly id: string;
  readonly type: string;
  /** The time of the event. */
  readonly occurredAt: Date;
  /** A JSON object. */
  readonly data: string;
}

/** @returns a new secret of a receiver */
export function newWebhookSecret(random: Random): Buffer {
  return random.bytes(SECRET_BYTES);
}

/** @returns the form in which receivers get their secret: `whsec_` and Base64 */
export function shownSecret(secret: Uint8Array): string {
  return PREFIX + Buffer.from(secret).toString('base64');
}

/**
 * Signs a message with each secret: `v1,` and the Base64 of HMAC-SHA256 over `id.timestamp.body`. While a secret is
 * being replaced there are two.
 * @param sentAt the time of this attempt, by which receivers refuse replays
 */
export function signMessage(
  message: WebhookMessage,
  sentAt: Date,
  secrets: readonly Uint8Array[],
): SignedMessage {
  const { id, type, occurredAt, data } = message;
  const body = `{"type":${JSON.stringify(type)},"timestamp":"${occurredAt.toISOString()}","data":${data}}`;
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return {
    body,
    headers: {
      'Content-Type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
    },
  };
}
