import type { Knex } from 'knex';

import type { Sealed } from '../keys/vault.ts';
import type { Policy } from '../policy/stored-policy.ts';
import { storeRealm } from '../realms/realm-store.ts';
import { storeResolver } from '../resolvers/resolver-store.ts';
import type { WrittenRows } from '../database/table-statistics.ts';
import type { ImportedAdministrator } from './administrator-mapping.ts';
import type { ImportedRealm } from './realm-mapping.ts';
import type { ImportedResolver } from './resolver-mapping.ts';
import type { ImportedSetting } from './setting-mapping.ts';

/** A value with its secret sealed. */
type WithSealedSecret<Value> = Omit<Value, 'secret'> & { readonly secret: Sealed | null };

/** An entry of the configuration in the target. */
export interface PresentEntry {
  /** Of the import that made it; null: it was not imported, or is gone. */
  readonly fingerprint: Buffer | null;
  readonly exists: boolean;
}

const ENTRY_TABLES = {
  resolver: ['resolvers', 'name'],
  realm: ['realms', 'name'],
  policy: ['policies', 'name'],
  setting: ['configuration', 'key'],
  administrator: ['administrators', 'name'],
} as const;

/** Parts of the configuration whose entries have names. */
export type EntryKind = keyof typeof ENTRY_TABLES;

/** Reads and writes the configuration, within the transaction of an import. */
export class ConfigurationImportStore {
  readonly #sql: Knex.Transaction;
  readonly #written: WrittenRows;

  constructor(sql: Knex.Transaction, written: WrittenRows) {
    this.#sql = sql;
    this.#written = written;
  }

  /** Lets no other change of the configuration in until the end. */
  async lock(): Promise<void> {
    await this.#sql('configuration_state').forUpdate().select('revision');
  }

  /** @returns the entries of a kind by name: those that exist, and those that an import made */
  async entries(kind: EntryKind): Promise<ReadonlyMap<string, PresentEntry>> {
    const [table, name] = ENTRY_TABLES[kind];
    const { rows } = await this.#sql.raw<{ rows: (PresentEntry & { name: string })[] }>(
      `SELECT coalesce(present.??, imported.name) AS name, imported.fingerprint, present.?? IS NOT NULL AS exists
       FROM ?? AS present
       FULL JOIN (SELECT * FROM imported_entries WHERE kind = ?) AS imported ON imported.name = present.??`,
      [name, name, table, kind, name],
    );
    return new Map(rows.map((row) => [row.name, row]));
  }

  /** @returns the names of entries that an import made and that still exist */
  async importedNames(kind: EntryKind): Promise<ReadonlySet<string>> {
    const entries = [...(await this.entries(kind))];
    return new Set(
      entries.filter(([, { fingerprint, exists }]) => exists && fingerprint !== null).map(([name]) => name),
    );
  }

  async putResolver({ users, ...resolver }: WithSealedSecret<ImportedResolver>): Promise<void> {
    // Named by the operator's own database, as by the operator.
    await storeResolver(this.#sql, { ...resolver, isBounded: false });
    for (const { login, givenName, surname, email, phone, passwordHash } of users) {
      const names = { given_name: givenName, surname, email, phone, password_hash: passwordHash };
      const resolverId = this.#sql('resolvers').where({ name: resolver.name }).select('id');
      await this.#sql('users')
        .insert({ resolver_id: resolverId, login, ...names })
        .onConflict(['resolver_id', 'login'])
        .merge(names);
    }
    this.#written.add(users.length, 'users');
  }

  async putRealm({ name, resolvers, isDefault }: ImportedRealm): Promise<void> {
    await storeRealm(this.#sql, name, resolvers);
    if (isDefault) {
      await this.#sql('realms').where({ is_default: true }).whereNot({ name }).update({ is_default: false });
      await this.#sql('realms').where({ name }).update({ is_default: true });
    }
  }

  async putPolicy({ user: username, ...columns }: Policy): Promise<void> {
    await this.#sql('policies')
      .insert({ ...columns, username })
      .onConflict('name')
      .merge();
  }

  async putSetting(setting: WithSealedSecret<ImportedSetting>): Promise<void> {
    await this.#sql('configuration').insert(setting).onConflict('key').merge();
  }

  async putAdministrator({ name, passwordHash }: ImportedAdministrator): Promise<void> {
    await this.#sql('administrators')
      .insert({ name, password_hash: passwordHash })
      .onConflict('name')
      .merge(['password_hash']);
  }

  /** Notes that the import made the entry. */
  async note(kind: EntryKind, name: string, fingerprint: Buffer): Promise<void> {
    await this.#sql('imported_entries')
      .insert({ kind, name, fingerprint })
      .onConflict(['kind', 'name'])
      .merge({ fingerprint, imported_at: this.#sql.fn.now() });
  }

  /** Removes an entry, and the note of its import. */
  async remove(kind: EntryKind, name: string): Promise<void> {
    const [table, column] = ENTRY_TABLES[kind];
    await this.#sql(table)
      .where({ [column]: name })
      .delete();
    await this.#sql('imported_entries').where({ kind, name }).delete();
  }
}
