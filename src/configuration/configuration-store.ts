import { auditEntry, lastChangedBy } from '../audit/rows-store.ts';
import type { Knex } from 'knex';
import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { Act } from '../policy/caller.ts';
import { assertUnchanged, type Policy } from '../policy/stored-policy.ts';
import type { KeptPolicy } from '../policy/policy.ts';
import { ReadPolicy } from '../policy/read-policy.ts';
import { removeRealm, storeRealm, thinRealm } from '../realms/realm-store.ts';
import { removeResolver, type ResolverEntry, storeResolver } from '../resolvers/resolver-store.ts';
import type { Database } from '../database/database.ts';
import { assertStorable, isStorable } from '../kernel/text.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import type { Configuration, Realm, Resolver, Revision } from './configuration.ts';
import { assertSettingsUnchanged, type ExpectedRealm, type ExpectedSettings } from './expected-state.ts';

/** Other transactions wait a second at most for one of this size. */
const TOKENS_AT_ONCE = 5_000;

interface RevisionRow {
  readonly revision: string;
  readonly changed_at: Date;
}

interface SnapshotRow extends RevisionRow {
  readonly realms: Realm[];
  readonly resolvers: Resolver[];
  readonly policies: Policy[];
  readonly settings: [key: string, value: string][];
}

/** One statement sees one moment, and therefore never half of a change. */
const SNAPSHOT = `
  SELECT revision, changed_at,
    (SELECT coalesce(json_agg(json_build_object(
        'id', realms.id::text, 'name', realms.name, 'isDefault', realms.is_default,
        'resolvers', ARRAY(
          SELECT resolvers.name FROM realm_resolvers JOIN resolvers ON resolvers.id = realm_resolvers.resolver_id
          WHERE realm_resolvers.realm_id = realms.id ORDER BY realm_resolvers.position)
      ) ORDER BY realms.name), '[]') FROM realms) AS realms,
    (SELECT coalesce(json_agg(json_build_object(
        'id', id::text, 'name', name, 'kind', kind, 'settings', settings,
        'isBounded', is_bounded, 'secretStamp', encode(sha256(secret), 'hex')
      ) ORDER BY name), '[]') FROM resolvers) AS resolvers,
    (SELECT coalesce(json_agg(json_build_object(
        'name', name, 'scope', scope, 'action', action, 'realm', realm, 'user', username, 'client', client,
        'time', time, 'active', active
      ) ORDER BY name), '[]') FROM policies) AS policies,
    (SELECT coalesce(json_agg(json_build_array(key, value) ORDER BY key), '[]') FROM configuration) AS settings
  FROM configuration_state`;

/**
 * The configuration, read as one value and changed piece by piece. Every change is one transaction with its audit row.
 */
export class ConfigurationStore {
  readonly #database: Database;
  readonly #cache: ConfigurationCache;
  readonly #currentRead: ShortLivedRead<Configuration>;
  readonly #tokensAtOnce: number;
  readonly #log: Pick<Log, 'warn'> | undefined;
  /** As they were read last: each is logged once. */
  #remarks: ReadonlySet<string> = new Set();

  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    /**
     * Milliseconds for which a read holds; by default 0: each call queries the database. With a window, call `expire`
     * after another server has changed the configuration.
     */
    readonly window?: number;
    /** Milliseconds of a clock that never goes back. */
    readonly elapsed?: () => number;
    /** By default nothing is logged. */
    readonly log?: Pick<Log, 'warn'>;
    /** Tokens that one transaction takes out of a realm that is removed; 5000 by default. */
    readonly tokensAtOnce?: number;
  }) {
    const { database, clock, window = 0, elapsed = () => performance.now() } = options;
    this.#database = database;
    this.#log = options.log;
    this.#tokensAtOnce = options.tokensAtOnce ?? TOKENS_AT_ONCE;
    this.#cache = new ConfigurationCache(async () => {
      const configuration = await readConfiguration(database.knex, clock.now());
      this.#warnOfPolicies(configuration.policies);
      // Last: receivers that change after this revision raise it, and are read again.
      await database.audit.outbox.refresh(database.knex);
      return configuration;
    });
    this.#currentRead = new ShortLivedRead({
      read: async () => this.#cache.at(await readRevision(database.knex)),
      window,
      elapsed,
    });
  }

  /** The configuration that this server works with at the moment; undefined before the first read. */
  get kept(): Configuration | undefined {
    return this.#cache.kept;
  }

  /**
   * The configuration that this server assumes without a query. Undefined where it would query the database: before the
   * first read, after a noticed change, and where it queries each time anyway.
   */
  get assumed(): Configuration | undefined {
    return this.#currentRead.isInDoubt ? undefined : this.#cache.kept;
  }

  /** @returns the configuration of a moment at most one short window ago, with every change made through this store */
  current(): Promise<Configuration> {
    return this.#currentRead.current();
  }

  /** @returns the configuration that the database has now, even within the window */
  confirm(): Promise<Configuration> {
    return this.#currentRead.confirm();
  }

  /** Makes the next call query the database: the configuration may have changed. */
  expire(): void {
    this.#currentRead.expire();
  }

  /** @returns the last change in the database; the configuration that this server keeps is left as it is */
  lastChangeInDatabase(): Promise<Revision> {
    return readRevision(this.#database.knex);
  }

  /**
   * Creates or replaces a policy of that name.
   * @param expected the policy that is replaced; null: there is none; undefined: any
   * @throws ServiceError 'policy.changed' where the stored one is another
   */
  async putPolicy(policy: Policy, act: Act, expected?: Policy | null, outcome = 'stored'): Promise<void> {
    const { user: username, ...columns } = policy;
    assertStorable(username, ...Object.values(columns).map(String));
    return this.#change(async ({ sql, audit }) => {
      await assertPolicyStoredAs(sql, policy.name, expected);
      await sql('policies')
        .insert({ ...columns, username })
        .onConflict('name')
        .merge();
      await audit.write(act, policy.name, outcome);
    });
  }

  /**
   * Creates or replaces policies of different names, all or none.
   * @throws ServiceError 'policy.invalid' where one that is turned off would replace an active one
   */
  async putPolicies(
    entries: readonly (KeptPolicy & { readonly outcome: string })[],
    act: Act,
  ): Promise<void> {
    const rows = entries.map(({ policy: { user: username, ...columns } }) => ({ ...columns, username }));
    assertStorable(...rows.flatMap((row) => Object.values(row).map(String)));
    await this.#change(async ({ sql, audit }) => {
      const off = new Map(
        entries.flatMap(({ policy, fault, isTurnedOff }) =>
          isTurnedOff ? [[policy.name, fault ?? '']] : [],
        ),
      );
      const active = await sql('policies')
        .where({ active: true })
        .whereIn('name', [...off.keys()])
        .first<{ name: string } | undefined>('name');
      if (active !== undefined) {
        throw new ServiceError(
          'policy.invalid',
          `The policy '${active.name}' is active, and is not replaced by one that would not be. ${off.get(active.name) ?? ''}`,
        );
      }
      await sql('policies').insert(rows).onConflict('name').merge();
      await audit.writeAll(entries.map(({ policy, outcome }) => auditEntry(act, policy.name, outcome)));
    });
  }

  /**
   * @param expected as for `putPolicy`
   * @returns true if it existed
   * @throws ServiceError 'policy.changed'
   */
  removePolicy(name: string, act: Act, expected?: Policy): Promise<boolean> {
    return this.#remove(name, act, async ({ sql }) => {
      await assertPolicyStoredAs(sql, name, expected);
      const removed = await sql('policies').where({ name }).delete();
      return removed > 0 ? 'removed' : undefined;
    });
  }

  /**
   * Creates the realm or replaces its resolvers. The first realm becomes the default one.
   * @param expected the one that is replaced; undefined: any
   * @throws ServiceError 'resolver.unknown'; 'realm.changed' where the stored one is another
   */
  async putRealm(
    name: string,
    resolvers: readonly string[],
    act: Act,
    expected?: ExpectedRealm,
  ): Promise<void> {
    assertStorable(name, ...resolvers);
    const requested = realmName(name);
    return this.#change(async ({ sql, audit }) => {
      const isNew = await storeRealm(sql, requested, resolvers, expected);
      await audit.write(act, requested, isNew ? 'created' : 'changed', [requested]);
    });
  }

  /**
   * Removes a realm, also from its tokens. Where very many tokens are in it, they leave it first, in transactions of
   * their own with their own audit rows. After a failure in between, some have left; a repetition goes on from there.
   * @returns true if it existed
   */
  async removeRealm(name: string, act: Act): Promise<boolean> {
    const requested = realmName(name);
    await this.#thinRealm(requested, act);
    return this.#remove(
      requested,
      act,
      async ({ sql }) => {
        const tokens = await removeRealm(sql, requested);
        return tokens === undefined ? undefined : `removed, from ${tokens} tokens`;
      },
      [requested],
    );
  }

  async #thinRealm(name: string, act: Act): Promise<void> {
    let after: string | undefined = isStorable(name) ? '0' : undefined;
    while (after !== undefined) {
      const from: string = after;
      after = await this.#change(async ({ sql, audit }) => {
        const thinned = await thinRealm(sql, name, from, this.#tokensAtOnce);
        if (thinned !== undefined) {
          await audit.write(act, name, `being removed, from ${thinned.tokens} tokens`, [name]);
        }
        return thinned?.last;
      });
    }
  }

  /**
   * @param name the new default realm, or null for none
   * @throws ServiceError 'realm.unknown'
   */
  setDefaultRealm(name: string | null, act: Act): Promise<void> {
    const requested = name === null ? null : realmName(name);
    return this.#change(async ({ sql, audit }) => {
      await sql('realms').where({ is_default: true }).update({ is_default: false });
      const chosen =
        requested === null || !isStorable(requested)
          ? 0
          : await sql('realms').where({ name: requested }).update({ is_default: true });
      if (requested !== null && chosen === 0) {
        throw new ServiceError('realm.unknown', `There is no realm '${requested}'`, { name: requested });
      }
      await (requested === null
        ? audit.write(act, '', 'no default realm')
        : audit.write(act, requested, 'default realm', [requested]));
    });
  }

  /**
   * Creates or changes a resolver.
   * @throws ServiceError 'resolver.invalid' when its kind would change, or one of the settings in `secretBoundTo` while
   *   its secret is kept; 'resolver.changed' where the stored one is not the expected one
   */
  async putResolver(resolver: ResolverEntry, act: Act): Promise<void> {
    assertStorable(resolver.name, ...Object.entries(resolver.settings).flat());
    return this.#change(async ({ sql, audit }) => {
      const isNew = await storeResolver(sql, resolver);
      const { previousName } = resolver;
      const changed = previousName === undefined ? 'changed' : `renamed from ${previousName}`;
      await audit.write(act, resolver.name, isNew ? 'created' : changed);
    });
  }

  /**
   * @returns true if it existed
   * @throws ServiceError 'resolver.in-use' while a realm or a token's owner refers to it
   */
  removeResolver(name: string, act: Act): Promise<boolean> {
    return this.#remove(name, act, async ({ sql }) =>
      (await removeResolver(sql, name)) ? 'removed' : undefined,
    );
  }

  /**
   * @param expected the values that are replaced; keys that it does not have: any
   * @throws ServiceError 'configuration.changed' where a stored one is another
   */
  async putSettings(
    entries: ReadonlyMap<string, string>,
    act: Act,
    expected?: ExpectedSettings,
  ): Promise<void> {
    assertStorable(...[...entries].flat());
    if (entries.size === 0) {
      return;
    }
    await this.#change(async ({ sql, audit }) => {
      await assertSettingsStoredAs(sql, expected);
      await sql('configuration')
        .insert([...entries].map(([key, value]) => ({ key, value })))
        .onConflict('key')
        .merge(['value']);
      await audit.writeAll([...entries.keys()].map((key) => auditEntry(act, key, 'stored')));
    });
  }

  /**
   * @param expected as for `putSettings`
   * @returns true if the key was set
   * @throws ServiceError 'configuration.changed'
   */
  removeSetting(key: string, act: Act, expected?: ExpectedSettings): Promise<boolean> {
    return this.#remove(key, act, async ({ sql }) => {
      await assertSettingsStoredAs(sql, expected);
      const removed = await sql('configuration').where({ key }).delete();
      return removed > 0 ? 'removed' : undefined;
    });
  }

  /** @param work returns the outcome for the audit; undefined if there was nothing to remove */
  async #remove(
    name: string,
    act: Act,
    work: (unit: UnitOfWork) => Promise<string | undefined>,
    realms: readonly string[] = [],
  ): Promise<boolean> {
    if (!isStorable(name)) {
      return false;
    }
    return this.#change(async (unit) => {
      const outcome = await work(unit);
      if (outcome !== undefined) {
        await unit.audit.write(act, name, outcome, realms);
      }
      return outcome !== undefined;
    });
  }

  #warnOfPolicies(policies: readonly ReadPolicy[]): void {
    const remarks = policies.filter(({ active, remark }) => active && remark !== '');
    const texts = new Set(remarks.map(({ name, remark }) => `The policy ${name} ${remark}`));
    [...texts].filter((text) => !this.#remarks.has(text)).forEach((text) => this.#log?.warn(text));
    this.#remarks = texts;
  }

  /**
   * Runs changes of the configuration one after the other: each first locks the row of the revision, which the triggers
   * of all configuration tables write anyhow.
   */
  async #change<T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    try {
      return await this.#database.transact(async (unit) => {
        await unit.sql('configuration_state').forUpdate().select('revision');
        return work(unit);
      });
    } finally {
      // Also after a failure: it may be a commit whose confirmation was lost.
      this.expire();
    }
  }
}

function realmName(name: string): string {
  return name.trim().toLowerCase();
}

/**
 * The caller holds the lock of the configuration.
 * @param expected the policy of that name that an editor has read; null: there was none; undefined: any
 * @throws ServiceError 'policy.changed' where the stored one is another
 */
async function assertPolicyStoredAs(
  transaction: Knex.Transaction,
  name: string,
  expected: Policy | null | undefined,
): Promise<void> {
  if (expected === undefined) {
    return;
  }
  const stored = await transaction('policies')
    .where({ name })
    .first<Policy | undefined>(
      'name',
      'scope',
      'action',
      'realm',
      'username AS user',
      'client',
      'time',
      'active',
    );
  assertUnchanged(name, expected, stored ?? null, await lastChangedBy(transaction, 'policy', [name]));
}

/**
 * The caller holds the lock of the configuration.
 * @param expected the values that an editor has read; undefined: any
 * @throws ServiceError 'configuration.changed' where a stored one is another
 */
async function assertSettingsStoredAs(
  transaction: Knex.Transaction,
  expected: ExpectedSettings | undefined,
): Promise<void> {
  if (expected === undefined) {
    return;
  }
  const stored = await transaction('configuration').select<{ key: string; value: string }[]>('key', 'value');
  const by = await lastChangedBy(transaction, 'configuration', [...expected.keys()]);
  assertSettingsUnchanged(expected, new Map(stored.map(({ key, value }) => [key, value])), by);
}

/** @returns the current revision in the database */
async function readRevision(connection: Knex): Promise<Revision> {
  const row = await connection('configuration_state').first<RevisionRow | undefined>(
    'revision',
    'changed_at',
  );
  return toRevision(row);
}

/** @returns all of the configuration at one revision */
export async function readConfiguration(connection: Knex, readAt: Date): Promise<Configuration> {
  const { rows } = await connection.raw<{ rows: SnapshotRow[] }>(SNAPSHOT);
  const [row] = rows;
  return {
    ...toRevision(row),
    readAt,
    realms: row?.realms ?? [],
    resolvers: row?.resolvers ?? [],
    policies: (row?.policies ?? []).map((policy) => new ReadPolicy(policy)),
    settings: new Map(row?.settings),
  };
}

function toRevision(row: RevisionRow | undefined): Revision {
  if (row === undefined) {
    throw new Error('The table configuration_state has lost its row');
  }
  return { revision: BigInt(row.revision), changedAt: row.changed_at };
}

/**
 * Lets a read hold for a short time, so that not every request queries the database. The time begins with the start of
 * the read, which may have missed later changes.
 */
export class ShortLivedRead<Value> {
  readonly #deps;
  #reading: { readonly begun: number; readonly value: Promise<Value> } | undefined;
  #isInDoubt = true;

  constructor(options: {
    /** Reads the present value. */
    readonly read: () => Promise<Value>;
    /** Milliseconds for which a read holds; 0: each call is a read of its own. */
    readonly window: number;
    /** Milliseconds of a clock that never goes back. */
    readonly elapsed: () => number;
  }) {
    this.#deps = options;
  }

  /** True without a read since the last possible change, or without any read; always true without a window. */
  get isInDoubt(): boolean {
    return this.#isInDoubt || this.#deps.window === 0;
  }

  /**
   * @returns the value of a moment that is at most one window ago
   * @throws what the read throws
   */
  current(): Promise<Value> {
    const { begun = -Infinity, value } = this.#reading ?? {};
    return value !== undefined && this.#deps.elapsed() - begun < this.#deps.window ? value : this.confirm();
  }

  /**
   * @returns the value by a new read, even if an earlier one still holds
   * @throws what the read throws
   */
  confirm(): Promise<Value> {
    const reading = { begun: this.#deps.elapsed(), value: this.#deps.read() };
    this.#reading = reading;
    // A read that was given up meanwhile, or that a later one overtook, confirms nothing.
    const end = (isDone: boolean): void => {
      if (this.#reading === reading) {
        this.#isInDoubt &&= !isDone;
        this.#reading = isDone ? reading : undefined;
      }
    };
    reading.value.then(
      () => {
        end(true);
      },
      () => {
        end(false);
      },
    );
    return reading.value;
  }

  /** Expires every read that has begun until now: something may have changed. */
  expire(): void {
    this.#isInDoubt = true;
    this.#reading = undefined;
  }
}

/** Keeps the configuration that was read last for as long as the database has the same revision. */
export class ConfigurationCache {
  readonly #load: () => Promise<Configuration>;
  #kept: Configuration | undefined;
  #loading: Promise<Configuration> | undefined;

  /** @param load reads the configuration from the database */
  constructor(load: () => Promise<Configuration>) {
    this.#load = load;
  }

  /** The configuration that was read last, however old. */
  get kept(): Configuration | undefined {
    return this.#kept;
  }

  /** @returns the configuration as of this revision or a later one */
  async at(requested: Revision): Promise<Configuration> {
    const kept = this.#kept;
    if (kept?.revision === requested.revision && kept.changedAt.getTime() === requested.changedAt.getTime()) {
      return kept;
    }
    const joined = await this.#join();
    // The running load may have begun before the change that the caller knows of; the next one cannot have.
    return joined.revision >= requested.revision ? joined : this.#join();
  }

  /** All callers that wait share one load. */
  #join(): Promise<Configuration> {
    this.#loading ??= this.#reload().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #reload(): Promise<Configuration> {
    this.#kept = await this.#load();
    return this.#kept;
  }
}
