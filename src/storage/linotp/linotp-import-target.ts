import type { Knex } from 'knex';

import type { Resolver } from '../../configuration/configuration.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { ImportedAdministrator } from '../../linotp/administrator-mapping.ts';
import type { ChallengedToken, ImportedChallenge } from '../../linotp/challenge-mapping.ts';
import type {
  EntryKind,
  ImportTarget,
  PresentChallenge,
  PresentEntry,
  PresentToken,
  StoredResolver,
  StoredSetting,
  StoredToken,
  TargetTransaction,
} from '../../linotp/ports.ts';
import type { ImportedRealm } from '../../linotp/realm-mapping.ts';
import type { Act } from '../../policy/caller.ts';
import type { Policy } from '../../policy/stored-policy.ts';
import { auditEntry, type AuditRows } from '../audit/audit-rows.ts';
import { readConfiguration } from '../../configuration/configuration-store.ts';
import { storeRealm } from '../../realms/realm-store.ts';
import { storeResolver } from '../../resolvers/resolver-store.ts';
import type { Database } from '../database/database.ts';
import { renewStatistics, WrittenRows } from '../database/table-statistics.ts';
import {
  findChallenges,
  importedTokens,
  insertChallenges,
  updateChallenges,
} from './challenge-import-rows.ts';
import { findTokens, insertTokens, type ReferringToken, updateTokens } from './token-import-rows.ts';

const ENTRY_TABLES: Readonly<Record<EntryKind, { readonly table: string; readonly name: string }>> = {
  resolver: { table: 'resolvers', name: 'name' },
  realm: { table: 'realms', name: 'name' },
  policy: { table: 'policies', name: 'name' },
  setting: { table: 'configuration', name: 'key' },
  administrator: { table: 'administrators', name: 'name' },
};

/** Ends a rehearsal. */
class RolledBack extends Error {}

/** The target of an import in PostgreSQL. */
export class SqlImportTarget implements ImportTarget {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  async transact<T>(act: Act, work: (target: TargetTransaction) => Promise<T>): Promise<T> {
    const once = onlyOnce(work);
    const written = new WrittenRows();
    const result = await this.#database.transact(
      ({ sql, audit }) => once(new SqlTargetTransaction(sql, written, { audit, act })),
      { isLong: true },
    );
    await renewStatistics(this.#database, written.grownTables());
    return result;
  }

  async rehearse<T>(work: (target: TargetTransaction) => Promise<T>): Promise<T> {
    const done: { result: T }[] = [];
    const once = onlyOnce(work);
    const rehearsal = this.#database.transact(
      async ({ sql }) => {
        done.push({ result: await once(new SqlTargetTransaction(sql, new WrittenRows())) });
        throw new RolledBack();
      },
      { isLong: true },
    );
    await rehearsal.catch((error: unknown) => {
      if (!(error instanceof RolledBack)) {
        throw error;
      }
    });
    const [first] = done;
    if (first === undefined) {
      throw new Error('The rehearsal has no result');
    }
    return first.result;
  }
}

/** The database would repeat the work after a deadlock, but the source has been read. */
function onlyOnce<T>(work: (target: TargetTransaction) => Promise<T>): typeof work {
  let isStarted = false;
  return (target) => {
    if (isStarted) {
      throw new ServiceError(
        'import.refused',
        'The database gave the import up in favour of other work: repeat it',
      );
    }
    isStarted = true;
    return work(target);
  };
}

/** One transaction of an import. */
class SqlTargetTransaction implements TargetTransaction {
  readonly #sql: Knex.Transaction;
  readonly #written: WrittenRows;
  readonly #trail: { readonly audit: AuditRows; readonly act: Act } | undefined;
  readonly #realmSets = new Map<string, string>();
  #references: Promise<References> | undefined;
  #notesSeen = false;

  /** @param trail undefined: no audit row is written */
  constructor(sql: Knex.Transaction, written: WrittenRows, trail?: { audit: AuditRows; act: Act }) {
    this.#sql = sql;
    this.#written = written;
    this.#trail = trail;
  }

  async claim(installation: Buffer): Promise<boolean> {
    // The update changes nothing, and holds the row until the end.
    const { rows } = await this.#sql.raw<{ rows: { fingerprint: Buffer }[] }>(
      `INSERT INTO imported_entries (kind, name, fingerprint) VALUES ('installation', 'linotp', ?)
       ON CONFLICT (kind, name) DO UPDATE SET fingerprint = imported_entries.fingerprint RETURNING fingerprint`,
      [installation],
    );
    return rows[0]?.fingerprint.equals(installation) === true;
  }

  async lockConfiguration(): Promise<void> {
    await this.#sql('configuration_state').forUpdate().select('revision');
  }

  async entries(kind: EntryKind): Promise<ReadonlyMap<string, PresentEntry>> {
    const { table, name } = ENTRY_TABLES[kind];
    const { rows } = await this.#sql.raw<{
      rows: { name: string; fingerprint: Buffer | null; exists: boolean }[];
    }>(
      `SELECT coalesce(present.??, imported.name) AS name, imported.fingerprint, present.?? IS NOT NULL AS exists
       FROM ?? AS present
       FULL JOIN (SELECT * FROM imported_entries WHERE kind = ?) AS imported ON imported.name = present.??`,
      [name, name, table, kind, name],
    );
    return new Map(rows.map(({ name: key, fingerprint, exists }) => [key, { fingerprint, exists }]));
  }

  async putResolver({ users, ...resolver }: StoredResolver): Promise<void> {
    // Named by the operator's own database, as by the operator.
    await storeResolver(this.#sql, { ...resolver, isBounded: false });
    for (const { login, givenName, surname, email, phone, passwordHash } of users) {
      const names = { given_name: givenName, surname, email, phone, password_hash: passwordHash };
      await this.#sql('users')
        .insert({
          resolver_id: this.#sql('resolvers').where({ name: resolver.name }).select('id'),
          login,
          ...names,
        })
        .onConflict(['resolver_id', 'login'])
        .merge(names);
    }
    this.#written.add(users.length, 'users');
  }

  async putRealm({ name, resolvers }: ImportedRealm): Promise<void> {
    await storeRealm(this.#sql, name, resolvers);
  }

  async setDefaultRealm(name: string): Promise<void> {
    await this.#sql('realms').where({ is_default: true }).whereNot({ name }).update({ is_default: false });
    await this.#sql('realms').where({ name }).update({ is_default: true });
  }

  async putPolicy({ user: username, ...columns }: Policy): Promise<void> {
    await this.#sql('policies')
      .insert({ ...columns, username })
      .onConflict('name')
      .merge();
  }

  async removePolicy(name: string): Promise<void> {
    await this.#sql('policies').where({ name }).delete();
  }

  async putSetting(setting: StoredSetting): Promise<void> {
    await this.#sql('configuration').insert(setting).onConflict('key').merge();
  }

  async removeSetting(key: string): Promise<void> {
    await this.#sql('configuration').where({ key }).delete();
  }

  async insertAdministrator({ name, passwordHash }: ImportedAdministrator): Promise<void> {
    await this.#sql('administrators').insert({ name, password_hash: passwordHash });
  }

  async setPasswordHash({ name, passwordHash }: ImportedAdministrator): Promise<void> {
    await this.#sql('administrators').where({ name }).update({ password_hash: passwordHash });
  }

  async noteEntry(kind: EntryKind, name: string, fingerprint: Buffer): Promise<void> {
    await this.#sql('imported_entries')
      .insert({ kind, name, fingerprint })
      .onConflict(['kind', 'name'])
      .merge({ fingerprint, imported_at: this.#sql.fn.now() });
  }

  async forgetEntry(kind: EntryKind, name: string): Promise<void> {
    await this.#sql('imported_entries').where({ kind, name }).delete();
  }

  async settings(): Promise<ReadonlyMap<string, string>> {
    return (await readConfiguration(this.#sql, new Date(0))).settings;
  }

  async resolvers(): Promise<ReadonlyMap<string, Resolver>> {
    const { resolvers } = await readConfiguration(this.#sql, new Date(0));
    return new Map(resolvers.map((resolver) => [resolver.name, resolver]));
  }

  async managedUsers(resolverId: string): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#sql('users')
      .where({ resolver_id: resolverId })
      .select<{ id: string; login: string }[]>('id', 'login');
    return new Map(rows.map(({ id, login }) => [login, id]));
  }

  async hasImportedTokens(): Promise<boolean> {
    return (await this.#sql('imported_tokens').first<unknown>('token_id')) !== undefined;
  }

  findTokens(serials: readonly string[]): Promise<ReadonlyMap<string, PresentToken>> {
    return findTokens(this.#sql, serials);
  }

  async removedTokens(serials: readonly string[]): Promise<ReadonlySet<string>> {
    const names = await this.#sql('imported_entries')
      .where({ kind: 'removed token' })
      .whereRaw('name = ANY (?::text[])', [[...serials]])
      .pluck<string[]>('name');
    return new Set(names);
  }

  async insertTokens(tokens: readonly StoredToken[]): Promise<void> {
    await insertTokens(this.#sql, await this.#withReferences(tokens.map((token) => [null, token])));
    this.#written.add(tokens.length, 'tokens', 'imported_tokens');
  }

  async updateTokens(tokens: ReadonlyMap<string, StoredToken>): Promise<ReadonlySet<string>> {
    this.#written.add(tokens.size, 'tokens', 'imported_tokens');
    return updateTokens(this.#sql, await this.#withReferences([...tokens]));
  }

  async noteSeen(serials: readonly string[]): Promise<void> {
    await this.#createSeen();
    await this.#sql.raw(
      'INSERT INTO seen_tokens SELECT id FROM tokens WHERE serial = ANY (?::text[]) ON CONFLICT DO NOTHING',
      [[...serials]],
    );
  }

  async removeUnseen(max: number): Promise<{ removed: readonly string[]; kept: readonly string[] }> {
    await this.#createSeen();
    const { rows } = await this.#sql.raw<{ rows: { id: string; serial: string; is_untouched: boolean }[] }>(
      `SELECT tokens.id, tokens.serial, imported_tokens.token_version = tokens.version AS is_untouched
       FROM imported_tokens JOIN tokens ON tokens.id = imported_tokens.token_id
       WHERE NOT EXISTS (SELECT FROM seen_tokens WHERE seen_tokens.token_id = imported_tokens.token_id)
       ORDER BY tokens.id LIMIT ? FOR UPDATE OF tokens`,
      [max],
    );
    const gone = rows.filter(({ is_untouched }) => is_untouched);
    await this.#sql('tokens')
      .whereIn(
        'id',
        gone.map(({ id }) => id),
      )
      .delete();
    // A trigger has noted them as removed here. Without that note they come back when the source has them again.
    await this.#sql('imported_entries')
      .where({ kind: 'removed token' })
      .whereIn(
        'name',
        gone.map(({ serial }) => serial),
      )
      .delete();
    const kept = rows.filter(({ is_untouched }) => !is_untouched);
    await this.noteSeen(kept.map(({ serial }) => serial));
    return { removed: gone.map(({ serial }) => serial), kept: kept.map(({ serial }) => serial) };
  }

  importedTokens(
    serials: readonly string[],
  ): Promise<ReadonlyMap<string, ChallengedToken & { readonly id: string }>> {
    return importedTokens(this.#sql, serials);
  }

  findChallenges(transactionIds: readonly string[]): Promise<ReadonlyMap<string, PresentChallenge>> {
    return findChallenges(this.#sql, transactionIds);
  }

  async insertChallenges(
    challenges: readonly (ImportedChallenge & { readonly tokenId: string })[],
  ): Promise<void> {
    await insertChallenges(this.#sql, challenges);
    this.#written.add(challenges.length, 'challenges');
  }

  updateChallenges(challenges: ReadonlyMap<string, ImportedChallenge>): Promise<void> {
    return updateChallenges(this.#sql, challenges);
  }

  async audit(
    rows: readonly {
      readonly subject: string;
      readonly outcome: string;
      readonly realms?: readonly string[];
    }[],
  ): Promise<void> {
    if (this.#trail !== undefined && rows.length > 0) {
      const { audit, act } = this.#trail;
      await audit.writeAll(
        rows.map(({ subject, outcome, realms }) => auditEntry(act, subject, outcome, realms)),
      );
    }
  }

  async #createSeen(): Promise<void> {
    if (!this.#notesSeen) {
      await this.#sql.raw('CREATE TEMPORARY TABLE seen_tokens (token_id bigint PRIMARY KEY) ON COMMIT DROP');
      this.#notesSeen = true;
    }
  }

  async #withReferences(
    tokens: readonly (readonly [id: string | null, token: StoredToken])[],
  ): Promise<ReferringToken[]> {
    this.#references ??= readReferences(this.#sql);
    const { realms, resolvers } = await this.#references;
    const referring: ReferringToken[] = [];
    for (const [tokenId, token] of tokens) {
      const realmIds = token.realms.map((name) => required(realms.get(name), 'realm', name));
      const resolverId =
        token.owner === null
          ? null
          : required(resolvers.get(token.owner.resolver), 'resolver', token.owner.resolver);
      referring.push({ tokenId, token, resolverId, realmSetId: await this.#realmSet(realmIds) });
    }
    return referring;
  }

  async #realmSet(realmIds: readonly string[]): Promise<string> {
    const key = realmIds.join();
    const known = this.#realmSets.get(key);
    if (known !== undefined) {
      return known;
    }
    const { rows } = await this.#sql.raw<{ rows: { id: string }[] }>(
      'SELECT intern_realm_set(?::bigint[]) AS id',
      [[...realmIds]],
    );
    const id = rows[0]?.id ?? '';
    this.#realmSets.set(key, id);
    return id;
  }
}

interface References {
  readonly realms: ReadonlyMap<string, string>;
  readonly resolvers: ReadonlyMap<string, string>;
}

interface NamedRow {
  readonly id: string;
  readonly name: string;
}

/** Reads the ids of realms and resolvers, and holds them until the end of the transaction. */
async function readReferences(sql: Knex): Promise<References> {
  const resolvers = await sql('resolvers').orderBy('id').forKeyShare().select<NamedRow[]>('id', 'name');
  const realms = await sql('realms').orderBy('id').forKeyShare().select<NamedRow[]>('id', 'name');
  const byName = (rows: readonly NamedRow[]): ReadonlyMap<string, string> =>
    new Map(rows.map(({ id, name }) => [name, id]));
  return { realms: byName(realms), resolvers: byName(resolvers) };
}

function required(id: string | undefined, what: 'realm' | 'resolver', name: string): string {
  if (id === undefined) {
    throw new ServiceError(`${what}.unknown`, `There is no ${what} '${name}'`);
  }
  return id;
}
