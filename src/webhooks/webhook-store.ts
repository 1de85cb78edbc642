import { ServiceError } from '../kernel/errors.ts';
import type { Sealed } from '../keys/vault.ts';
import type { Act } from '../policy/caller.ts';
import type { Database } from '../database/database.ts';
import { assertStorable, isStorable } from '../kernel/text.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import type {
  PendingDelivery,
  SigningWebhook,
  WebhookDraft,
  WebhookWithState,
  ReceiverAddress,
} from './webhook.ts';
import type { Subscription } from './webhook-event.ts';

/** A change of a receiver; an undefined part stays. */
export interface WebhookChange extends Partial<Subscription> {
  readonly address?: ReceiverAddress;
}

/** The columns of a `WebhookDraft`. */
const WEBHOOK_COLUMNS = 'name, url, allows_http AS "allowsHttp", is_bounded AS "isBounded", events, realms';

/** The columns of a `SigningWebhook`. */
export const SIGNING_COLUMNS = `${WEBHOOK_COLUMNS}, id::text AS id,
  array_remove(ARRAY[secret, CASE WHEN previous_until > clock_timestamp() THEN previous_secret END], NULL) AS secrets`;

const DELIVERIES = `
  SELECT event_id AS "eventId", type, occurred_at AS "occurredAt", attempts,
    CASE WHEN given_up_at IS NULL THEN next_attempt_at END AS "nextAttemptAt",
    given_up_at AS "givenUpAt", last_failure AS "lastFailure"
  FROM webhook_deliveries WHERE webhook_id = (SELECT id FROM webhooks WHERE name = ?) ORDER BY id DESC LIMIT ?`;

const WITH_STATE = `
  SELECT ${WEBHOOK_COLUMNS}, is_bounded AS "isPublicOnly", is_enabled AS active, created_at AS "createdAt", state.*,
    coalesce(health.delivered, 0)::float8 AS delivered, last_success_at AS "lastSuccessAt",
    last_failure_at AS "lastFailureAt", coalesce(last_failure, '') AS "lastFailure"
  FROM webhooks
  LEFT JOIN webhook_health AS health ON health.webhook_id = webhooks.id
  CROSS JOIN LATERAL (
    SELECT (count(*) FILTER (WHERE given_up_at IS NULL))::float8 AS waiting,
      min(occurred_at) FILTER (WHERE given_up_at IS NULL) AS "oldestWaitingAt",
      (count(*) FILTER (WHERE given_up_at IS NOT NULL))::float8 AS "givenUp"
    FROM webhook_deliveries WHERE webhook_id = webhooks.id
  ) AS state
  ORDER BY name`;

/**
 * Receivers in PostgreSQL. They are part of the configuration: every server notices a change within a second. Each
 * change is one transaction with its audit row.
 */
export class WebhookStore {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  async list(): Promise<readonly WebhookWithState[]> {
    const { rows } = await this.#database.knex.raw<{ rows: WebhookWithState[] }>(WITH_STATE);
    return rows;
  }

  /** @returns the names of all, without counting deliveries */
  names(): Promise<readonly string[]> {
    return this.#database.knex('webhooks').orderBy('name').pluck<string[]>('name');
  }

  /** @returns the latest ones, the newest first, at most so many; undefined if there is no such receiver */
  async deliveries(name: string, max: number): Promise<readonly PendingDelivery[] | undefined> {
    if (!(await this.names()).includes(name)) {
      return undefined;
    }
    const { rows } = await this.#database.knex.raw<{ rows: PendingDelivery[] }>(DELIVERIES, [name, max]);
    return rows;
  }

  async find(name: string): Promise<SigningWebhook | undefined> {
    if (!isStorable(name)) {
      return undefined;
    }
    const { rows } = await this.#database.knex.raw<{ rows: SigningWebhook[] }>(
      `SELECT ${SIGNING_COLUMNS} FROM webhooks WHERE name = ?`,
      [name],
    );
    return rows[0];
  }

  /** @throws ServiceError 'webhook.invalid' where the name is taken, or there are `max` already */
  async add(
    { name, url, allowsHttp, isBounded, events, realms }: WebhookDraft,
    secret: Sealed,
    max: number,
    act: Act,
  ): Promise<void> {
    assertStorable(name, url, ...realms);
    await this.#change(async ({ sql, audit }) => {
      const names = await sql('webhooks').pluck<string[]>('name');
      if (names.includes(name)) {
        throw new ServiceError('webhook.invalid', `There is a webhook '${name}' already`);
      }
      if (names.length >= max) {
        throw new ServiceError(
          'webhook.invalid',
          `There are ${max} webhooks already, the most that there can be`,
        );
      }
      await sql('webhooks').insert({
        name,
        url,
        allows_http: allowsHttp,
        is_bounded: isBounded,
        secret,
        events: [...events],
        realms: [...realms],
      });
      await audit.write(act, name, 'created', realms);
    });
  }

  /** @returns false if there is none */
  change(name: string, { address, events, realms }: WebhookChange, act: Act): Promise<boolean> {
    assertStorable(address?.url, ...(realms ?? []));
    const columns = {
      ...(address !== undefined && {
        url: address.url,
        allows_http: address.allowsHttp,
        is_bounded: address.isBounded,
      }),
      ...(events !== undefined && { events: [...events] }),
      ...(realms !== undefined && { realms: [...realms] }),
    };
    const parts = Object.entries({ url: address, events, realms });
    const changed = parts.filter(([, part]) => part !== undefined).map(([part]) => part);
    return this.#update(name, act, `changed ${changed.join(', ')}`.trimEnd(), ({ sql }) =>
      // Without a column it is only looked for.
      sql('webhooks')
        .where({ name })
        .update({ name, ...columns }),
    );
  }

  /** @returns false if there is none */
  enable(name: string, isEnabled: boolean, act: Act): Promise<boolean> {
    return this.#update(name, act, isEnabled ? 'enabled' : 'disabled', ({ sql }) =>
      sql('webhooks').where({ name }).update({ is_enabled: isEnabled }),
    );
  }

  /**
   * Replaces the secret. The one before signs, too, for some time.
   * @param overlap seconds
   * @returns false if there is none
   */
  replaceSecret(name: string, secret: Sealed, overlap: number, act: Act): Promise<boolean> {
    return this.#update(name, act, 'secret replaced', ({ sql }) =>
      sql('webhooks')
        .where({ name })
        .update({
          secret,
          previous_secret: sql.ref('secret'),
          previous_until: sql.raw("clock_timestamp() + ? * interval '1 second'", [overlap]),
        }),
    );
  }

  /**
   * Makes all deliveries due now, also those that were given up.
   * @returns their number; undefined if there is no such receiver
   */
  retry(name: string, act: Act): Promise<number | undefined> {
    return this.#withDeliveries(name, act, 'retried', async ({ sql }, id) =>
      sql('webhook_deliveries')
        .where({ webhook_id: id })
        .update({
          given_up_at: null,
          // As if new, so that it is not given up again by the first failure.
          attempts: 0,
          first_attempt_at: null,
          next_attempt_at: sql.raw('clock_timestamp()'),
        }),
    );
  }

  /** Removes a receiver with its deliveries. @returns the number of these; undefined if there is none */
  remove(name: string, act: Act): Promise<number | undefined> {
    return this.#withDeliveries(name, act, 'removed', async ({ sql }, id) => {
      const lost = await sql('webhook_deliveries').where({ webhook_id: id }).delete();
      await sql('webhooks').where({ id }).delete();
      return lost;
    });
  }

  /** Writes the audit row of a test. */
  async noteTest(name: string, outcome: string, act: Act): Promise<void> {
    await this.#database.audit.autocommit.write(act, name, outcome);
  }

  /** @param work returns the number of deliveries that it has changed */
  async #withDeliveries(
    name: string,
    act: Act,
    outcome: string,
    work: (unit: UnitOfWork, id: string) => Promise<number>,
  ): Promise<number | undefined> {
    if (!isStorable(name)) {
      return undefined;
    }
    return this.#change(async (unit) => {
      // Before its deliveries, as dispatchers do.
      const found = await unit
        .sql('webhooks')
        .where({ name })
        .forUpdate()
        .first<{ id: string } | undefined>('id');
      if (found === undefined) {
        return undefined;
      }
      const deliveries = await work(unit, found.id);
      const counted = `${outcome}, ${deliveries} deliveries`;
      await unit.audit.write(act, name, counted);
      return deliveries;
    });
  }

  /** @param work returns the number of changed rows */
  async #update(
    name: string,
    act: Act,
    outcome: string,
    work: (unit: UnitOfWork) => Promise<number> | PromiseLike<number>,
  ): Promise<boolean> {
    if (!isStorable(name)) {
      return false;
    }
    return this.#change(async (unit) => {
      const isFound = (await work(unit)) > 0;
      if (isFound) {
        await unit.audit.write(act, name, outcome);
      }
      return isFound;
    });
  }

  /** Locks the revision of the configuration first, which the triggers write anyhow. */
  #change<T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    return this.#database.transact(async (unit) => {
      await unit.sql('configuration_state').forUpdate().select('revision');
      return work(unit);
    });
  }
}
