import type { Act } from '../../policy/caller.ts';
import type { ResolverEntry, ConfigurationStore } from '../../configuration/ports.ts';
import type { Policy } from '../../policy/stored-policy.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { ConfigurationChange, ConfigurationState } from '../../monitoring/ports.ts';
import { auditEntry } from '../audit/audit-rows.ts';
import type { Database } from '../database/database.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { removeRealm, storeRealm, thinRealm } from './realm-rows.ts';
import { removeResolver, storeResolver } from './resolver-rows.ts';
import { ConfigurationCache, ConfigurationConfirmation } from './configuration-cache.ts';
import { readRevision, readConfiguration } from './configuration-snapshot.ts';
import { assertStorable, isStorable } from '../database/stored-text.ts';

/** What the store works with. */
interface ConfigurationStoreOptions {
  readonly database: Database;
  readonly clock: Clock;
  /**
   * For how many milliseconds what was read stands without asking the database again; by default 0: each question
   * asks. With a window, call `expire` when another server has changed the configuration.
   */
  readonly window?: number;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed?: () => number;
  /** How many tokens one transaction takes out of a realm that is removed; 5000 by default. */
  readonly tokensAtOnce?: number;
}

/** Other transactions wait for one of them for a second at most. */
const TOKENS_AT_ONCE = 5_000;

/** The configuration in PostgreSQL. */
export class SqlConfigurationStore implements ConfigurationStore, ConfigurationState {
  readonly #database: Database;
  readonly #cache: ConfigurationCache;
  readonly #confirmation: ConfigurationConfirmation;
  readonly #tokensAtOnce: number;

  constructor(options: ConfigurationStoreOptions) {
    const { database, clock, window = 0, elapsed = () => performance.now() } = options;
    this.#database = database;
    this.#tokensAtOnce = options.tokensAtOnce ?? TOKENS_AT_ONCE;
    this.#cache = new ConfigurationCache(() => readConfiguration(database.knex, clock.now()));
    this.#confirmation = new ConfigurationConfirmation({
      read: async () => this.#cache.at(await readRevision(database.knex)),
      window,
      elapsed,
    });
  }

  /** What this server works with at the moment; undefined before it was first read. */
  get kept(): Configuration | undefined {
    return this.#cache.kept;
  }

  get assumed(): Configuration | undefined {
    return this.#confirmation.isInDoubt ? undefined : this.#cache.kept;
  }

  current(): Promise<Configuration> {
    return this.#confirmation.current();
  }

  /** @returns the configuration as the database has it now, whatever window is left */
  confirm(): Promise<Configuration> {
    return this.#confirmation.confirm();
  }

  /** Has the next question ask the database: the configuration may have changed. */
  expire(): void {
    this.#confirmation.expire();
  }

  /** @returns the last change by the database's own account; what this server keeps stays as it is */
  lastChangeInDatabase(): Promise<ConfigurationChange> {
    return readRevision(this.#database.knex);
  }

  async putPolicy(policy: Policy, act: Act): Promise<void> {
    const { user: username, ...columns } = policy;
    assertStorable(username, ...Object.values(columns).map(String));
    return this.#change(async ({ sql, audit }) => {
      await sql('policies')
        .insert({ ...columns, username })
        .onConflict('name')
        .merge();
      await audit.write(act, policy.name, 'stored');
    });
  }

  removePolicy(name: string, act: Act): Promise<boolean> {
    return this.#remove(name, act, async ({ sql }) => {
      const removed = await sql('policies').where({ name }).delete();
      return removed > 0 ? 'removed' : undefined;
    });
  }

  async putRealm(name: string, resolvers: readonly string[], act: Act): Promise<void> {
    assertStorable(name, ...resolvers);
    const wanted = realmName(name);
    return this.#change(async ({ sql, audit }) => {
      const isNew = await storeRealm(sql, wanted, resolvers);
      await audit.write(act, wanted, isNew ? 'created' : 'changed', [wanted]);
    });
  }

  /**
   * Where very many tokens are in the realm, they leave it before, in transactions of their own with rows of their own in the
   * audit. If it fails in between, some have left; doing it again goes on.
   */
  async removeRealm(name: string, act: Act): Promise<boolean> {
    const wanted = realmName(name);
    await this.#thinRealm(wanted, act);
    return this.#remove(
      wanted,
      act,
      async ({ sql }) => {
        const tokens = await removeRealm(sql, wanted);
        return tokens === undefined ? undefined : `removed, from ${tokens} tokens`;
      },
      [wanted],
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
    const wanted = name === null ? null : realmName(name);
    return this.#change(async ({ sql, audit }) => {
      await sql('realms').where({ is_default: true }).update({ is_default: false });
      const chosen =
        wanted === null || !isStorable(wanted)
          ? 0
          : await sql('realms').where({ name: wanted }).update({ is_default: true });
      if (wanted !== null && chosen === 0) {
        throw new ServiceError('realm.unknown', `There is no realm '${wanted}'`);
      }
      await audit.write(
        act,
        wanted ?? '',
        wanted === null ? 'no default realm' : 'default realm',
        wanted === null ? [] : [wanted],
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

  async putSettings(entries: ReadonlyMap<string, string>, act: Act): Promise<void> {
    assertStorable(...[...entries].flat());
    if (entries.size === 0) {
      return;
    }
    await this.#change(async ({ sql, audit }) => {
      await sql('configuration')
        .insert([...entries].map(([key, value]) => ({ key, value })))
        .onConflict('key')
        .merge(['value']);
      await audit.writeAll([...entries.keys()].map((key) => auditEntry(act, key, 'stored')));
    });
  }

  removeSetting(key: string, act: Act): Promise<boolean> {
    return this.#remove(key, act, async ({ sql }) => {
      const removed = await sql('configuration').where({ key }).delete();
      return removed > 0 ? 'removed' : undefined;
    });
  }

  /** @param work says what came of it, for the audit; undefined when there was nothing to remove */
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
   * Changes of the configuration come one after the other: each first takes the row that the revision stands in, which the
   * triggers of all its tables write anyhow.
   */
  async #change<T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    try {
      return await this.#database.transact(async (unit) => {
        await unit.sql('configuration_state').forUpdate().select('revision');
        return work(unit);
      });
    } finally {
      // Also after a failure: it may have been the answer to a commit that got lost.
      this.expire();
    }
  }
}

function realmName(name: string): string {
  return name.trim().toLowerCase();
}
