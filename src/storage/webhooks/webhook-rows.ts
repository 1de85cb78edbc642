import type { Sealed } from '../../keys/vault.ts';
import type { SigningWebhook, Webhook } from '../../webhooks/ports.ts';
import type { EventType } from '../../webhooks/webhook-event.ts';

/** A row of `webhooks` without its secrets. */
interface WebhookRow {
  readonly name: string;
  readonly url: string;
  readonly allows_http: boolean;
  readonly is_bounded: boolean;
  readonly events: EventType[];
  readonly realms: string[];
  readonly is_enabled: boolean;
  readonly created_at: Date;
}

/** A row with the secrets that sign at the moment. */
export interface SigningRow extends WebhookRow {
  readonly id: string;
  readonly secret: Buffer;
  readonly old_secret: Buffer | null;
}

/** The columns of `SigningRow`. */
export const SIGNING_COLUMNS = `id::text AS id, name, url, allows_http, is_bounded, events, realms, is_enabled,
  created_at, secret,
  CASE WHEN previous_until > clock_timestamp() THEN previous_secret END AS old_secret`;

export function toWebhook(row: WebhookRow): Webhook {
  return {
    name: row.name,
    url: row.url,
    allowsHttp: row.allows_http,
    isBounded: row.is_bounded,
    events: row.events,
    realms: row.realms,
    isEnabled: row.is_enabled,
    createdAt: row.created_at,
  };
}

export function toSigningWebhook(row: SigningRow): SigningWebhook {
  const { secret, old_secret: old } = row;
  return { ...toWebhook(row), secrets: (old === null ? [secret] : [secret, old]) as Sealed[] };
}
