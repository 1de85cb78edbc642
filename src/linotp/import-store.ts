import type { Knex } from 'knex';

import type { Resolver } from '../configuration/configuration.ts';
import type { Act } from '../policy/caller.ts';
import { auditEntry, type AuditRows } from '../audit/rows-store.ts';
import { readConfiguration } from '../configuration/configuration-store.ts';
import { type Database, renewStatistics } from '../database/database.ts';
import { Undone } from '../database/unit-of-work.ts';
import { keepUntouched, TokenImportStore } from './token-import-store.ts';
import type { Sealed } from '../keys/vault.ts';
import type { Policy } from '../policy/stored-policy.ts';
import { storeRealm } from '../realms/realm-store.ts';
import { storeResolver } from '../resolvers/resolver-store.ts';
import type {
  ImportedAdministrator,
  ImportedRealm,
  ImportedResolver,
  ImportedSetting,
} from './configuration-mapping.ts';
import { type ChallengeColumns, challengeOf } from '../challenges/challenge-store.ts';
import { withLockedTokens } from '../tokens/token-rows-store.ts';
import { importRefused } from './linotp-source.ts';
import type { Challenge } from '../challenges/challenge.ts';

export interface ImportedChallenge extends Omit<Challenge, 'id'> {
  readonly serial: string;
}

/** The token of a challenge, as it was imported. */
export interface ChallengedToken {
  readonly serial: string;
  readonly type: string;
  readonly algorithm: string | null;
}

export interface PresentChallenge extends ImportedChallenge {
  readonly id: string;
}

export type PresentChallengedToken = ChallengedToken & { readonly id: string };

export class ImportStore {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  transact<T>(act: Act, work: (target: ImportTransaction) => Promise<T>): Promise<T> {
    const once = onlyOnce(work);
    return this.#database.transact(({ sql, audit }) => once(new ImportTransaction(sql, { audit, act })), {
      isLong: true,
    });
  }

  /** Called after an import. */
  renewStatistics(): Promise<void> {
    return renewStatistics(this.#database, ['tokens', 'imported_tokens', 'challenges', 'users']);
  }

  /** As `transact`, and rolls everything back in the end. No audit row is written. */
  async rehearse(work: (target: ImportTransaction) => Promise<void>): Promise<void> {
    const once = onlyOnce(work);
    await Undone.catch(() =>
      this.#database.transact(
        async ({ sql }) => {
          await once(new ImportTransaction(sql));
          throw new Undone();
        },
        { isLong: true },
      ),
    );
  }
}

/** The database would repeat the work after a deadlock, but the source has been read. */
function onlyOnce<T>(work: (target: ImportTransaction) => Promise<T>): typeof work {
  let isStarted = false;
  return (target) => {
    if (isStarted) {
      throw importRefused('The database gave the import up in favour of other work: repeat it');
    }
    isStarted = true;
    return work(target);
  };
}

export class ImportTransaction {
  readonly configuration: ConfigurationImportStore;
  readonly tokens: TokenImportStore;
  readonly challenges: ChallengeImportStore;
  readonly #sql: Knex.Transaction;
  readonly #trail: { readonly audit: AuditRows; readonly act: Act } | undefined;

  /** @param trail undefined: no audit row is written */
  constructor(sql: Knex.Transaction, trail?: { audit: AuditRows; act: Act }) {
    this.configuration = new ConfigurationImportStore(sql);
    this.tokens = new TokenImportStore(sql);
    this.challenges = new ChallengeImportStore(sql);
    this.#sql = sql;
    this.#trail = trail;
  }

  /**
   * Notes the installation that is imported, and lets no other import in until the end.
   * @param installation its fingerprint
   * @returns false if another one has been imported before
   */
  async claim(installation: Buffer): Promise<boolean> {
    // The update changes nothing, and holds the row until the end.
    const { rows } = await this.#sql.raw<{ rows: { fingerprint: Buffer }[] }>(
      `INSERT INTO imported_entries (kind, name, fingerprint) VALUES ('installation', 'linotp', ?)
       ON CONFLICT (kind, name) DO UPDATE SET fingerprint = imported_entries.fingerprint RETURNING fingerprint`,
      [installation],
    );
    return rows[0]?.fingerprint.equals(installation) === true;
  }

  /** @returns the configuration values, and the resolvers by name */
  async present(): Promise<{
    readonly settings: ReadonlyMap<string, string>;
    readonly resolvers: ReadonlyMap<string, Resolver>;
  }> {
    const { settings, resolvers } = await readConfiguration(this.#sql, new Date(0));
    return { settings, resolvers: new Map(resolvers.map((resolver) => [resolver.name, resolver])) };
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
}

type WithSealedSecret<Value> = Omit<Value, 'secret'> & { readonly secret: Sealed | null };

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
class ConfigurationImportStore {
  readonly #sql: Knex.Transaction;

  constructor(sql: Knex.Transaction) {
    this.#sql = sql;
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
  }

  /** @returns the name of the default realm here; undefined: there is none */
  async defaultRealm(): Promise<string | undefined> {
    const row = await this.#sql('realms')
      .where({ is_default: true })
      .first<{ name: string } | undefined>('name');
    return row?.name;
  }

  /** @param realm.isDefault makes it the default realm in place of another one */
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

/** Reads and writes challenges, within the transaction of an import. */
class ChallengeImportStore {
  readonly #sql: Knex.Transaction;

  constructor(sql: Knex.Transaction) {
    this.#sql = sql;
  }

  /** @returns the imported tokens with these serials, by serial */
  async tokens(serials: readonly string[]): Promise<ReadonlyMap<string, PresentChallengedToken>> {
    const rows = await this.#sql('tokens')
      .join('imported_tokens', 'imported_tokens.token_id', 'tokens.id')
      .whereRaw('tokens.serial = ANY (?::text[])', [[...serials]])
      .select<PresentChallengedToken[]>('tokens.id', 'tokens.serial', 'tokens.type', {
        algorithm: 'tokens.algorithm',
      });
    return new Map(rows.map((row) => [row.serial, row]));
  }

  async find(transactionIds: readonly string[]): Promise<ReadonlyMap<string, PresentChallenge>> {
    const rows = await this.#sql('challenges')
      .join('tokens', 'tokens.id', 'challenges.token_id')
      .whereRaw('challenges.transaction_id = ANY (?::text[])', [[...transactionIds]])
      .select<(ChallengeColumns & { id: string; serial: string })[]>('challenges.*', 'tokens.serial');
    return new Map(
      rows.map((row) => [row.transaction_id, { id: row.id, serial: row.serial, ...challengeOf(row) }]),
    );
  }

  /** @param challenges each with the id of its token */
  async insert(challenges: readonly (ImportedChallenge & { readonly tokenId: string })[]): Promise<void> {
    await writeTokens(
      this.#sql,
      challenges.map(({ tokenId }) => tokenId),
    );
    await this.#sql('challenges').insert(
      challenges.map((challenge) => ({
        transaction_id: challenge.transactionId,
        token_id: challenge.tokenId,
        question: challenge.question,
        data: challenge.data,
        issued_at: challenge.issuedAt,
        open_until: challenge.expiresAt,
        is_triggered: challenge.isTriggered === true,
        ...stateColumns(challenge),
      })),
    );
  }

  /** Updates challenges that are still open: one may have been closed since it was found. @param challenges by their ids */
  async update(challenges: ReadonlyMap<string, ImportedChallenge>): Promise<void> {
    const rows = this.#sql('challenges').whereIn('id', [...challenges.keys()]);
    await writeTokens(this.#sql, await rows.pluck<string[]>('token_id'));
    for (const [id, challenge] of challenges) {
      await this.#sql('challenges').where({ id }).whereNull('closed_by').update(stateColumns(challenge));
    }
  }
}

/**
 * Locks the tokens, and gives them another version, which stands for their challenges. They still count as untouched
 * since their import.
 */
async function writeTokens(sql: Knex.Transaction, tokenIds: readonly string[]): Promise<void> {
  const ids = [...new Set(tokenIds)];
  await withLockedTokens(sql, { ids }, async () => {
    await sql('tokens')
      .whereIn('id', ids)
      .update({ serial: sql.ref('serial') });
    await keepUntouched(sql, ids);
  });
}

/** LinOTP does not note when a challenge was closed. */
function stateColumns(challenge: ImportedChallenge): Readonly<Record<string, Knex.Value>> {
  return {
    wrong_count: challenge.wrongCount,
    received_tan: challenge.receivedTan,
    valid_tan: challenge.validTan,
    closed_by: challenge.closedBy,
    closed_at: challenge.closedBy === null ? null : challenge.issuedAt,
  };
}
