import type { Act } from '../../policy/caller.ts';
import type { ResolverEntry, ConfigurationStore } from '../../configuration/ports.ts';
import type { Policy } from '../../policy/stored-policy.ts';
import type { ExpectedRealm, ExpectedSettings } from '../../configuration/expected-state.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { ConfigurationChange, ConfigurationState } from '../../monitoring/ports.ts';
import { auditEntry } from '../audit/audit-rows.ts';
import type { Database } from '../database/database.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { removeRealm, storeRealm, thinRealm } from './realm-rows.ts';
import { assertStoredAs } from './policy-rows.ts';
import { removeResolver, storeResolver } from './resolver-rows.ts';
import { assertSettingsStoredAs } from './setting-rows.ts';
import { ShortLivedRead } from '../database/short-lived-read.ts';
import { ConfigurationCache } from './configuration-cache.ts';
import { readRevision, readConfiguration } from './configuration-snapshot.ts';
import { assertStorable, isStorable } from '../database/stored-text.ts';

/** The dependencies of the store. */
interface ConfigurationStoreDependencies {
  readonly database: Database;
  readonly clock: Clock;
  /**
   * Milliseconds for which a read holds; by default 0: each call queries the database. With a window, call `expire`
   * after another server has changed the configuration.
   */
  readonly window?: number;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed?: () => number;
  /** Tokens that one transaction takes out of a realm that is removed; 5000 by default. */
  readonly tokensAtOnce?: number;
}

/** Other transactions wait a second at most for one of this size. */
const TOKENS_AT_ONCE = 5_000;

/** The configuration in PostgreSQL. */
export class SqlConfigurationStore implements ConfigurationStore, ConfigurationState {
  readonly #database: Database;
  readonly #cache: ConfigurationCache;
  readonly #currentRead: ShortLivedRead<Configuration>;
  readonly #tokensAtOnce: number;

  constructor(options: ConfigurationStoreDependencies) {
    const { database, clock, window = 0, elapsed = () => performance.now() } = options;
    this.#database = database;
    this.#tokensAtOnce = options.tokensAtOnce ?? TOKENS_AT_ONCE;
    this.#cache = new ConfigurationCache(async () => {
      const configuration = await readConfiguration(database.knex, clock.now());
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

  get assumed(): Configuration | undefined {
    return this.#currentRead.isInDoubt ? undefined : this.#cache.kept;
  }

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
  lastChangeInDatabase(): Promise<ConfigurationChange> {
    return readRevision(this.#database.knex);
  }

  async putPolicy(policy: Policy, act: Act, expected?: Policy | null): Promise<void> {
    const { user: username, ...columns } = policy;
    assertStorable(username, ...Object.values(columns).map(String));
    return this.#change(async ({ sql, audit }) => {
      await assertStoredAs(sql, policy.name, expected);
      await sql('policies')
        .insert({ ...columns, username })
        .onConflict('name')
        .merge();
      await audit.write(act, policy.name, 'stored');
    });
  }

  removePolicy(name: string, act: Act, expected?: Policy): Promise<boolean> {
    return this.#remove(name, act, async ({ sql }) => {
      await assertStoredAs(sql, name, expected);
      const removed = await sql('policies').where({ name }).delete();
      return removed > 0 ? 'removed' : undefined;
    });
  }

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
   * Removes a realm. Where very many tokens are in it, they leave it first, in transactions of their own with their own
   * audit rows. After a failure in between, some have left; a repetition goes on from there.
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
      await audit.write(
        act,
        requested ?? '',
        requested === null ? 'no default realm' : 'default realm',
        requested === null ? [] : [requested],
      );
    });
  }

  async putResolver(resolver: ResolverEntry, act: Act): Promise<void> {
    assertStorable(resolver.name, ...Object.entries(resolver.settings).flat());
    return this.#change(async ({ sql, audit }) => {
      const isNew = await storeResolver(sql, resolver);
      await audit.write(act, resolver.name, isNew ? 'created' : 'changed');
    });
  }

  removeResolver(name: string, act: Act): Promise<boolean> {
    return this.#remove(name, act, async ({ sql }) =>
      (await removeResolver(sql, name)) ? 'removed' : undefined,
    );
  }

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
