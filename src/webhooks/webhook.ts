import type { Sealed, Vault } from '../keys/vault.ts';
import type { ReceiverAddress } from './receiver-address.ts';
import type { Subscription } from './webhook-event.ts';

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
