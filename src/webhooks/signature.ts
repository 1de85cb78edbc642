import { createHmac } from 'node:crypto';

import type { Random } from '../kernel/clock.ts';

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
