import type { Resolver } from '../configuration/configuration.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Act } from '../policy/caller.ts';
import { auditEntry, type AuditRows } from '../audit/rows-store.ts';
import { readConfiguration } from '../configuration/configuration-store.ts';
import type { Database } from '../database/database.ts';
import { renewStatistics, WrittenRows } from '../database/table-statistics.ts';
import type { Knex } from 'knex';
import { ChallengeImportStore } from './challenge-import-store.ts';
import { ConfigurationImportStore } from './configuration-import-store.ts';
import { TokenImportStore } from './token-import-store.ts';

/** Ends a rehearsal. */
class RolledBack extends Error {}

/** Runs imports in transactions. */
export class ImportStore {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  /** Runs `work` in one transaction. */
  async transact<T>(act: Act, work: (target: ImportTransaction) => Promise<T>): Promise<T> {
    const once = onlyOnce(work);
    const written = new WrittenRows();
    const result = await this.#database.transact(
      ({ sql, audit }) => once(new ImportTransaction(sql, written, { audit, act })),
      { isLong: true },
    );
    await renewStatistics(this.#database, written.grownTables());
    return result;
  }

  /** As `transact`, and rolls everything back in the end. No audit row is written. */
  async rehearse(work: (target: ImportTransaction) => Promise<void>): Promise<void> {
    const once = onlyOnce(work);
    const rehearsal = this.#database.transact(
      async ({ sql }) => {
        await once(new ImportTransaction(sql, new WrittenRows()));
        throw new RolledBack();
      },
      { isLong: true },
    );
    await rehearsal.catch((error: unknown) => {
      if (!(error instanceof RolledBack)) {
        throw error;
      }
    });
  }
}

/** The database would repeat the work after a deadlock, but the source has been read. */
function onlyOnce<T>(work: (target: ImportTransaction) => Promise<T>): typeof work {
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
export class ImportTransaction {
  readonly configuration: ConfigurationImportStore;
  readonly tokens: TokenImportStore;
  readonly challenges: ChallengeImportStore;
  readonly #sql: Knex.Transaction;
  readonly #trail: { readonly audit: AuditRows; readonly act: Act } | undefined;

  /** @param trail undefined: no audit row is written */
  constructor(sql: Knex.Transaction, written: WrittenRows, trail?: { audit: AuditRows; act: Act }) {
    this.configuration = new ConfigurationImportStore(sql, written);
    this.tokens = new TokenImportStore(sql, written);
    this.challenges = new ChallengeImportStore(sql, written);
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

  /** Writes audit rows. */
  async audit(
    rows: readonly {
      /** The name of the imported entry. */
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
