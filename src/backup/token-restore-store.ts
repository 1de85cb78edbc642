import type { Knex } from 'knex';

import type { Database } from '../database/database.ts';
import { appliedMigrations } from '../database/migrate.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { KeyDerivation } from '../keys/vault.ts';
import type { Act } from '../policy/caller.ts';
import type { Owner } from '../users/user.ts';
import { holdReferences } from '../tokens/token-rows-store.ts';
import { backupInvalid } from './backup-format.ts';
import type { OpenBackup } from './backup-lines.ts';
import { storedColumns } from './restore-store.ts';

/** A token as a backup has it, with the names that its ids stand for there. */
interface BackedUpToken {
  /** JSON arrays of rows, one of which is the token. */
  readonly rows: readonly string[];
  readonly names: Readonly<Record<'realms' | 'resolvers', ReadonlyMap<string, string>>>;
  /** The ids of the realms of each set. */
  readonly realmSets: ReadonlyMap<string, readonly string[]>;
}

/** The references of the row. */
interface References {
  readonly realm_set_id: string;
  readonly owner_resolver_id: string | null;
  readonly owner_user_id: string | null;
  readonly owner_login: string | null;
}

/**
 * Brings one token back into an installation that runs, such as one that was removed by mistake: the row as it was, in
 * the realms and of the owner of the same names. Its challenges stay away, so that no response to one of them is accepted
 * again.
 * @throws ServiceError 'backup.invalid', 'token.unknown', 'token.exists', 'realm.unknown', 'resolver.unknown',
 *   'user.unknown', 'key.unavailable'
 */
export async function restoreToken(
  database: Database,
  backup: OpenBackup,
  { keys, serial, act }: { readonly keys: KeyDerivation; readonly serial: string; readonly act: Act },
): Promise<void> {
  await assertSameTables(database.knex, backup);
  const found = await findToken(backup, keys, serial);
  await database.transact((unit) =>
    insert(unit, found, serial, act, `restored from ${backup.header.createdAt.toISOString()}`),
  );
}

async function assertSameTables(knex: Knex, { header }: OpenBackup): Promise<void> {
  const applied = (await appliedMigrations(knex)).map(({ name }) => name);
  if (applied.join() !== header.migrations.join()) {
    throw backupInvalid(
      `its tables are not those of this database. Restore it into another one with this version of tankeeper, and export that: the token is then in the new backup`,
    );
  }
}

/** Reads the backup to its end, which verifies it. */
async function findToken(backup: OpenBackup, keys: KeyDerivation, serial: string): Promise<BackedUpToken> {
  const rows: string[] = [];
  const names = { realms: new Map<string, string>(), resolvers: new Map<string, string>() };
  const realmSets = new Map<string, readonly string[]>();
  for await (const { table, json } of backup.rows(keys)) {
    if (table === 'tokens' && json.includes(JSON.stringify(serial))) {
      rows.push(json);
    } else if (table === 'realms' || table === 'resolvers') {
      for (const { id, name } of JSON.parse(json) as readonly { id: number; name: string }[]) {
        names[table].set(String(id), name);
      }
    } else if (table === 'realm_sets') {
      for (const { id, realm_ids } of JSON.parse(json) as readonly { id: number; realm_ids: number[] }[]) {
        realmSets.set(String(id), realm_ids.map(String));
      }
    }
  }
  return { rows, names, realmSets };
}

/** Columns of ids, which are others here. */
const ID_COLUMNS: readonly string[] = ['realm_set_id', 'owner_resolver_id'];

async function insert(
  { sql, audit }: UnitOfWork,
  found: BackedUpToken,
  serial: string,
  act: Act,
  outcome: string,
): Promise<void> {
  const [row, references] = (await rowIn(sql, found.rows, serial)) ?? [];
  if (row === undefined || references === undefined) {
    throw new ServiceError('token.unknown', `The backup has no token with the serial '${serial}'`);
  }
  const realms = realmsOf(found, references);
  const columns = await holdReferences(sql, { realms, owner: await ownerIn(sql, found, references) });
  if ((await sql('tokens').where({ serial }).first('id')) !== undefined) {
    throw new ServiceError('token.exists', `There is a token with the serial '${serial}' already`);
  }
  const kept = (await storedColumns(sql, 'tokens')).filter((name) => name !== 'id' && name !== 'version');
  const values = kept.map((name) => (ID_COLUMNS.includes(name) ? '?::bigint' : '??'));
  const bound = kept.map((name) => (ID_COLUMNS.includes(name) ? (columns[name] ?? null) : name));
  await sql.raw(
    `INSERT INTO tokens (${kept.map(() => '??').join(', ')})
     SELECT ${values.join(', ')} FROM json_populate_recordset(NULL::tokens, ?::json) WHERE serial = ?`,
    [...kept, ...bound, row, serial],
  );
  await audit.write(act, serial, outcome, realms);
}

async function rowIn(
  sql: Knex.Transaction,
  batches: readonly string[],
  serial: string,
): Promise<readonly [string, References] | undefined> {
  for (const json of batches) {
    const { rows } = await sql.raw<{ rows: References[] }>(
      `SELECT realm_set_id, owner_resolver_id, owner_user_id, owner_login
       FROM json_populate_recordset(NULL::tokens, ?::json) WHERE serial = ?`,
      [json, serial],
    );
    if (rows[0] !== undefined) {
      return [json, rows[0]];
    }
  }
  return undefined;
}

function realmsOf({ names, realmSets }: BackedUpToken, { realm_set_id }: References): readonly string[] {
  return (realmSets.get(realm_set_id) ?? []).map((id) => names.realms.get(id) ?? '').sort();
}

/** @throws ServiceError 'resolver.unknown' */
async function ownerIn(
  sql: Knex.Transaction,
  { names }: BackedUpToken,
  { owner_resolver_id: id, owner_user_id: userId, owner_login: login }: References,
): Promise<Owner | null> {
  if (id === null || userId === null || login === null) {
    return null;
  }
  const name = names.resolvers.get(id) ?? '';
  const resolver = await sql('resolvers').where({ name }).first<{ id: string } | undefined>('id');
  if (resolver === undefined) {
    throw new ServiceError('resolver.unknown', `There is no resolver '${name}'`, { name });
  }
  return { resolverId: resolver.id, resolver: name, userId, login };
}
