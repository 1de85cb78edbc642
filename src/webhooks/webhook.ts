import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Sealed, Vault } from '../keys/vault.ts';
import type { Subscription } from './webhook-event.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { ReadonlyDeep } from '../kernel/readonly-deep.ts';
import { type Address, NAMED_NETWORKS, NetworkSet, readAddress } from '../kernel/networks.ts';

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

/** A receiver with the secrets of its signatures: the present one, and during a replacement the one before. */
export interface SigningWebhook extends WebhookDraft {
  readonly id: string;
  readonly secrets: readonly Sealed[];
}

const count = z.int().nonnegative();
// `HTTP 500`, `no answer within 10 seconds`; empty: none yet.
const lastFailure = z.string().meta({ column: 'LAST FAILURE' });

/** A receiver with the state of its deliveries. */
export const WEBHOOK = z.object({
  name: z.string().meta({ column: 'NAME' }),
  url: z
    .string()
    .meta({ column: 'URL', description: 'the origin alone for those who may not change webhooks' }),
  events: z.array(z.string()),
  realms: z.array(z.string()).describe('empty: all tokens'),
  active: z.boolean().meta({ column: 'ACTIVE' }),
  isPublicOnly: z.boolean().describe('added over HTTP: only at a public address'),
  createdAt: z.date(),
  // Also those that are being tried.
  waiting: count.meta({ column: 'WAITING' }),
  oldestWaitingAt: z.date().nullable().describe('the time of the oldest that waits'),
  givenUp: count.meta({ column: 'GIVEN UP' }),
  delivered: count,
  lastSuccessAt: z.date().nullable(),
  lastFailureAt: z.date().nullable(),
  lastFailure,
});

export type WebhookWithState = ReadonlyDeep<z.output<typeof WEBHOOK>>;

/** A delivery that waits, or was given up. Delivered ones are not kept. */
export const DELIVERY = z.object({
  eventId: z.string().meta({ column: 'EVENT' }),
  type: z.string().meta({ column: 'TYPE' }),
  occurredAt: z.date().meta({ column: 'OCCURRED' }),
  attempts: count.meta({ column: 'ATTEMPTS' }),
  nextAttemptAt: z.date().nullable().describe('null: it was given up'),
  givenUpAt: z.date().nullable(),
  lastFailure,
});

export type PendingDelivery = Readonly<z.output<typeof DELIVERY>>;

/** The answer of a receiver to a test event. */
export const WEBHOOK_TEST = z.object({
  status: z.int().nullable().describe('the HTTP status of the answer; null: there was none'),
  failure: z.string().nullable().describe('null: it was delivered'),
  durationMs: count,
  eventId: z.string(),
});

export type WebhookTest = Readonly<z.output<typeof WEBHOOK_TEST>>;

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
  readonly occurredAt: Date;
  /** A JSON object. */
  readonly data: string;
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

/** The place of a receiver. */
export interface ReceiverAddress {
  readonly url: string;
  /** True if the operator has allowed http: to other machines. */
  readonly allowsHttp: boolean;
  /**
   * True if an administrator has added it over HTTP: it has https:, and is at a public address. Only an
   * operator may name an address of an inner network.
   */
  readonly isBounded: boolean;
}

const MAX_LENGTH = 2_000;

/**
 * Networks in which no receiver is: link-local ones with the metadata services of clouds, also through NAT64 and by
 * their other addresses, multicast, and "this host".
 */
const REFUSED = networks([
  ...NAMED_NETWORKS.linklocal,
  '64:ff9b::a9fe:0/112',
  'fd00:ec2::254',
  'fd20:ce::254',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '0.0.0.0/8',
  '224.0.0.0/4',
  '255.255.255.255',
  '::',
  'ff00::/8',
]);
const LOOPBACK = networks(NAMED_NETWORKS.loopback);

/** Public addresses of IPv6 (RFC 4291 §2.4), but for those in `SPECIAL`. */
const GLOBAL_IPV6 = networks(['2000::/3']);
/** Addresses that are not public (RFC 6890), among them those of IPv6 that contain one of IPv4. */
const SPECIAL = networks([
  ...NAMED_NETWORKS.loopback,
  ...NAMED_NETWORKS.uniquelocal,
  '100.64.0.0/10',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '240.0.0.0/4',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
]);

/**
 * Reads the URL of a receiver.
 * @returns its normal form
 * @throws ServiceError 'webhook.invalid'
 */
export function readReceiverUrl(text: string, bounds: Omit<ReceiverAddress, 'url'>): string {
  const url = text.length <= MAX_LENGTH && URL.canParse(text) ? new URL(text) : undefined;
  const fault =
    url === undefined || !['https:', ...(bounds.isBounded ? [] : ['http:'])].includes(url.protocol)
      ? 'begins with https:// and names a host'
      : (formFault(url) ?? hostFault(url, bounds));
  if (url === undefined || fault !== undefined) {
    throw new ServiceError('webhook.invalid', `The URL of a webhook ${fault ?? ''}`);
  }
  return url.href;
}

function formFault({ username, password, hash }: URL): string | undefined {
  if (username !== '' || password !== '') {
    return 'holds no user and password: the signature shows who sends';
  }
  return hash === '' ? undefined : 'has no fragment (#…): it is never sent';
}

/** Names are looked up, and their addresses checked, at each connection. */
function hostFault(url: URL, bounds: Omit<ReceiverAddress, 'url'>): string | undefined {
  const host = hostOf(url);
  const receiver = { ...bounds, url: url.href };
  if (readAddress(host) !== undefined) {
    const fault = addressFault(host, receiver);
    return fault && `must not lead there: ${fault}`;
  }
  return url.protocol === 'http:' && !bounds.allowsHttp && host !== 'localhost'
    ? 'over http:// leads to this machine only; use https://, or --allow-http'
    : undefined;
}

/** @returns the host of a URL as a name or an address without brackets */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/**
 * Checks an address before a connection is opened to it, so that a name whose answer changes does not lead elsewhere.
 * @returns the reason why nothing is sent there; undefined if there is none
 */
export function addressFault(
  text: string,
  { url, allowsHttp, isBounded }: ReceiverAddress,
): string | undefined {
  const address = readAddress(text);
  if (address === undefined) {
    return `${text} is no address`;
  }
  if (REFUSED.has(address)) {
    return `${address.text} is a link-local, metadata or multicast address`;
  }
  if (isBounded && !isPublic(address)) {
    return `${address.text} is no public address, and only \`tankeeper webhook add\` at the machine takes such a receiver`;
  }
  return url.startsWith('http:') && !allowsHttp && !LOOPBACK.has(address)
    ? `${address.text} is another machine, and http:// does not protect what is sent`
    : undefined;
}

function isPublic(address: Address): boolean {
  return !SPECIAL.has(address) && (address.family === 'ipv4' || GLOBAL_IPV6.has(address));
}

function networks(list: readonly string[]): NetworkSet {
  const set = new NetworkSet();
  list.forEach((network) => set.add(network));
  return set;
}
