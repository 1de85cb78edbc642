import type { Clock, Random } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { Semaphore } from '../kernel/bounded-work.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { Vault } from '../keys/vault.ts';
import type { AccessControl } from '../policy/access-control.ts';
import { actOf, type Caller } from '../policy/caller.ts';
import {
  readReceiverUrl,
  openSecrets,
  type PendingDelivery,
  type WebhookTest,
  signMessage,
  type WebhookWithState,
} from './webhook.ts';
import type { HttpWebhookSender } from './sending/http-sender.ts';
import { EVENT_TYPES, type EventType } from './webhook-event.ts';
import type { WebhookChange, WebhookStore } from './webhook-store.ts';

/** The most receivers. Each may hold some connections that hang. */
const MAX_WEBHOOKS = 32;
/** Seconds for which a replaced secret signs beside the new one. */
const SECRET_OVERLAP = 86_400;
const MAX_SHOWN = 100;
/** Each may take ten seconds. */
const TESTS_AT_ONCE = 2;
const MAX_WAITING_TESTS = 4;
const TEST_TIMEOUT_MS = 20_000;

/** The fields that an administrator gives for a new receiver. */
interface WebhookRequest {
  readonly name: string;
  readonly url: string;
  /** Types of events; undefined: all. */
  readonly events?: readonly string[] | undefined;
  /** Realms of tokens; undefined: all tokens. */
  readonly realms?: readonly string[] | undefined;
  /** For operators at the machine only. */
  readonly allowsHttp?: boolean | undefined;
}

/** The fields of a receiver that are to be changed; undefined: it stays. */
interface WebhookChangeRequest extends Pick<WebhookRequest, 'events' | 'realms'> {
  readonly url?: string | undefined;
}

/**
 * Administration of receivers, who learn who uses which token. The server connects to addresses that the caller names, so
 * what administrators add over HTTP is bounded, see `ReceiverAddress`.
 */
export class WebhookService {
  readonly #deps;
  readonly #tests = new Semaphore(TESTS_AT_ONCE, {
    waiting: MAX_WAITING_TESTS,
    timeoutMs: TEST_TIMEOUT_MS,
    refuse: () => new ServiceError('server.busy', 'Too many tests of webhooks at once', { retryAfter: 5 }),
  });

  constructor(dependencies: {
    readonly store: WebhookStore;
    readonly configuration: Pick<ConfigurationStore, 'current'>;
    readonly access: AccessControl;
    /** Opened at the first use. */
    readonly sender: () => Promise<HttpWebhookSender>;
    readonly vault: Vault;
    readonly clock: Clock;
    readonly random: Random;
    /** Milliseconds of a clock that never goes back. */
    readonly elapsed?: () => number;
    readonly newId: () => string;
  }) {
    this.#deps = dependencies;
  }

  /**
   * @returns all receivers, by name. Those who may not change them get the origins of their URLs alone: the rest of a
   *   URL may be a secret
   */
  async list(caller: Caller): Promise<readonly WebhookWithState[]> {
    const configuration = await this.#deps.configuration.current();
    const all = await this.#deps.store.list();
    const right = { scope: 'system', action: 'write' } as const;
    return this.#deps.access.grantOf(configuration, caller, right) !== undefined
      ? all
      : all.map((webhook) => ({ ...webhook, url: new URL(webhook.url).origin }));
  }

  async show(caller: Caller, name: string): Promise<WebhookWithState> {
    const all = await this.list(caller);
    return found(
      name,
      all.find((webhook) => webhook.name === name),
    );
  }

  /**
   * @returns the latest deliveries that wait or were given up, the newest first, without their content
   * @throws ServiceError 'webhook.unknown'
   */
  async deliveries(name: string): Promise<readonly PendingDelivery[]> {
    return found(name, await this.#deps.store.deliveries(name, MAX_SHOWN));
  }

  /**
   * @returns the secret as receivers need it, which is never shown again
   * @throws ServiceError 'webhook.invalid'
   */
  async add(
    caller: Caller,
    { name, url, events, realms = [], allowsHttp = false }: WebhookRequest,
  ): Promise<string> {
    const isBounded = !caller.principal.operator;
    if (isBounded && allowsHttp) {
      throw invalid('Only `tankeeper webhook add` at the machine allows http://');
    }
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
      throw invalid('The name of a webhook has letters, digits, dots, - and _, 64 at most');
    }
    const webhook = {
      name,
      url: readReceiverUrl(url, { allowsHttp, isBounded }),
      allowsHttp,
      isBounded,
      events: readEvents(events),
      realms: await this.#readRealms(realms),
    };
    const secret = newWebhookSecret(this.#deps.random);
    const sealed = this.#deps.vault.seal(secret, 'webhook', name);
    await this.#deps.store.add(webhook, sealed, MAX_WEBHOOKS, actOf(caller, 'webhook/add'));
    return shownSecret(secret);
  }

  /**
   * Changes a receiver, whose secret stays. What an operator has set at the machine stays bound to the address of then:
   * another address is bounded as that of a new receiver.
   * @throws ServiceError 'webhook.unknown', 'webhook.invalid'
   */
  async change(caller: Caller, name: string, { url, events, realms }: WebhookChangeRequest): Promise<void> {
    const { url: present } = found(name, await this.#deps.store.find(name));
    const isBounded = !caller.principal.operator;
    const change: WebhookChange = {
      ...(url !== undefined &&
        url !== present && {
          address: {
            url: readReceiverUrl(url, { allowsHttp: false, isBounded }),
            allowsHttp: false,
            isBounded,
          },
        }),
      ...(events !== undefined && { events: readEvents(events) }),
      ...(realms !== undefined && { realms: await this.#readRealms(realms) }),
    };
    const act = actOf(caller, 'webhook/set');
    found(name, (await this.#deps.store.change(name, change, act)) || undefined);
  }

  async #readRealms(names: readonly string[]): Promise<readonly string[]> {
    const known = (await this.#deps.configuration.current()).realms.map(({ name }) => name);
    const requested = names.map((realm) => realm.trim().toLowerCase());
    const wrong = requested.find((realm) => !known.includes(realm));
    if (wrong !== undefined) {
      throw invalid(`There is no realm '${wrong.slice(0, 64)}'`);
    }
    return requested;
  }

  /** A disabled receiver gets no new events; those that wait stay. @throws ServiceError 'webhook.unknown' */
  async enable(caller: Caller, name: string, isEnabled: boolean): Promise<void> {
    const act = actOf(caller, isEnabled ? 'webhook/enable' : 'webhook/disable');
    found(name, (await this.#deps.store.enable(name, isEnabled, act)) || undefined);
  }

  /**
   * @returns the new secret; the one before signs, too, for a day
   * @throws ServiceError 'webhook.unknown'
   */
  async replaceSecret(caller: Caller, name: string): Promise<string> {
    const { vault, store, random } = this.#deps;
    const secret = newWebhookSecret(random);
    const sealed = vault.seal(secret, 'webhook', name);
    const act = actOf(caller, 'webhook/rotate-secret');
    found(name, (await store.replaceSecret(name, sealed, SECRET_OVERLAP, act)) || undefined);
    return shownSecret(secret);
  }

  /**
   * @returns the number of deliveries that are tried now
   * @throws ServiceError 'webhook.unknown'
   */
  async retry(caller: Caller, name: string): Promise<number> {
    return found(name, await this.#deps.store.retry(name, actOf(caller, 'webhook/retry')));
  }

  /**
   * @returns the number of deliveries that are lost
   * @throws ServiceError 'webhook.unknown'
   */
  async remove(caller: Caller, name: string): Promise<number> {
    return found(name, await this.#deps.store.remove(name, actOf(caller, 'webhook/remove')));
  }

  /** Sends a signed event of the type `webhook.test` now, once. @throws ServiceError 'webhook.unknown' */
  async test(caller: Caller, name: string): Promise<WebhookTest> {
    return this.#tests.run(() => this.#test(caller, name));
  }

  async #test(caller: Caller, name: string): Promise<WebhookTest> {
    const { store, vault, clock, elapsed = () => performance.now(), newId } = this.#deps;
    const webhook = found(name, await store.find(name));
    const message = { id: newId(), type: 'webhook.test', occurredAt: clock.now(), data: '{}' };
    const signed = signMessage(message, clock.now(), openSecrets(vault, webhook));
    const sender = await this.#deps.sender();
    const begun = elapsed();
    try {
      const result = await sender.send(webhook, signed, new AbortController().signal);
      const durationMs = Math.round(elapsed() - begun);
      const outcome = result.failure === undefined ? 'delivered' : 'failed';
      await store.noteTest(name, outcome, actOf(caller, 'webhook/test'));
      const { status = null, failure = null } = result;
      return { status, failure, durationMs, eventId: message.id };
    } finally {
      sender.close();
    }
  }
}

function readEvents(names: readonly string[] | undefined): readonly EventType[] {
  const known = Object.keys(EVENT_TYPES) as EventType[];
  const requested = names ?? known;
  const wrong = requested.find((type) => !known.some((one) => one === type));
  if (wrong !== undefined) {
    throw invalid(`There are no events of the type '${wrong.slice(0, 64)}', but of ${known.join(', ')}`);
  }
  if (requested.length === 0) {
    throw invalid('A webhook needs one type of events at least');
  }
  return known.filter((type) => requested.includes(type));
}

/** @throws ServiceError 'webhook.unknown' where the store has found none */
function found<T>(name: string, webhook: T | undefined): T {
  if (webhook === undefined) {
    throw new ServiceError('webhook.unknown', `There is no webhook '${name.slice(0, 64)}'`);
  }
  return webhook;
}

function invalid(message: string): ServiceError {
  return new ServiceError('webhook.invalid', message);
}

/** Bytes; the specification recommends 24 to 64. */
const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

function newWebhookSecret(random: Random): Buffer {
  return random.bytes(SECRET_BYTES);
}

/** @returns the form in which receivers get their secret: `whsec_` and Base64 */
function shownSecret(secret: Uint8Array): string {
  return PREFIX + Buffer.from(secret).toString('base64');
}
