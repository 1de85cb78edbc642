import type { Knex } from 'knex';

import type { ProvenPassword } from '../../administrators/ports.ts';
import { isSameFactor, type SecondFactor } from '../../administrators/second-factor.ts';
import type {
  Attempt,
  CompleteProof,
  NewAttempt,
  SignInContent,
  SignInKind,
  SignInSession,
  SignInStore,
  UsedPasskey,
} from '../../administrators/sign-in-ports.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Act } from '../../policy/caller.ts';
import type { Database } from '../database/database.ts';
import { isStorable } from '../database/stored-text.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { insertSession } from './session-rows.ts';

/** Sign-ins of one administrator and kind that are under way at most. */
const MOST_OF_ONE = 10;
/** Sign-ins without an administrator of one client that are under way at most: an office may be behind one address. */
const MOST_OF_CLIENT = 100;
/** Sign-ins without an administrator that are under way at most: any client may begin one. */
const MOST_OPEN = 10_000;

interface AttemptRow {
  readonly content: SignInContent;
  readonly administrator: string | null;
  readonly password_version: Buffer | null;
  readonly second_factor: SecondFactor['kind'] | null;
  readonly second_factor_serial: string | null;
}

const ATTEMPT = `content, password_version,
  (SELECT name FROM administrators WHERE id = administrator_id) AS administrator`;

/** The end of a transaction that must leave nothing behind. */
class Undone extends Error {}

/** Sign-ins that are under way, in PostgreSQL: any server goes on with one that another has begun. */
export class SqlSignInStore implements SignInStore {
  readonly #database: Database;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  begin(attempt: NewAttempt, now: Date, act: Act): Promise<boolean> {
    return this.#database.transact(async (unit) => {
      const { owner } = attempt;
      const administratorId = owner === undefined ? null : await ownerId(unit.sql, owner);
      if (administratorId === undefined || !(await endReplaced(unit.sql, attempt))) {
        return false;
      }
      await makeRoom(unit.sql, attempt, administratorId, now);
      await unit.sql('sign_in_attempts').insert({
        kind: attempt.content.kind,
        attempt_hash: attempt.hash,
        administrator_id: administratorId,
        password_version: versionOf(attempt),
        client: attempt.client,
        content: JSON.stringify(attempt.content),
        expires_at: attempt.expiresAt,
      });
      const outcome = OUTCOMES[attempt.content.kind];
      if (outcome !== undefined) {
        await unit.audit.write(act, owner?.administrator ?? '', outcome);
      }
      return true;
    });
  }

  async find(hash: Buffer, kinds: readonly SignInKind[], now: Date): Promise<Attempt | undefined> {
    const row = await this.#database
      .knex('sign_in_attempts')
      .where({ attempt_hash: hash })
      .whereIn('kind', kinds)
      .where('expires_at', '>', now)
      .first<AttemptRow | undefined>(this.#database.knex.raw(ATTEMPT));
    return row && toAttempt(row);
  }

  async take(hash: Buffer, kinds: readonly SignInKind[], now: Date): Promise<Attempt | undefined> {
    const { knex } = this.#database;
    const [row] = await knex('sign_in_attempts')
      .where({ attempt_hash: hash })
      .whereIn('kind', kinds)
      .where('expires_at', '>', now)
      .delete()
      .returning<AttemptRow[]>(knex.raw(ATTEMPT) as unknown as string);
    return row && toAttempt(row);
  }

  async complete(
    hash: Buffer,
    { proven, factor, used }: CompleteProof,
    session: SignInSession,
    act: Act,
  ): Promise<boolean> {
    try {
      await this.#database.transact(async (unit) => {
        // The administrator's row is locked first, as by all who change it.
        const isOpen = await insertSession(unit, proven, factor, { ...session, kind: 'login' }, act);
        const ended = isOpen ? await unit.sql('sign_in_attempts').where({ attempt_hash: hash }).delete() : 0;
        if (ended === 0 || (used !== undefined && !(await countUse(unit.sql, used)))) {
          throw new Undone();
        }
      });
      return true;
    } catch (error) {
      if (error instanceof Undone) {
        return false;
      }
      throw error;
    }
  }

  async openForPerson(
    { name, groups }: { readonly name: string; readonly groups: readonly string[] },
    { hash, expiresAt }: SignInSession,
    act: Act,
  ): Promise<void> {
    await this.#database.transact(async ({ sql, audit }) => {
      await sql('sessions').insert({
        person: name,
        groups,
        kind: 'login',
        client: act.client,
        session_hash: hash,
        expires_at: expiresAt,
      });
      await audit.write(act, name, `session opened, ${groups.join(', ')}`);
    });
  }
}

/** Of the audit. Anybody may begin single sign-on: its rows would fill the audit. */
const OUTCOMES: Readonly<Record<SignInKind, string | undefined>> = {
  token: 'second factor requested',
  passkey: 'second factor requested',
  registration: 'passkey requested',
  link: 'passkey link created',
  oidc: undefined,
};

/**
 * Holds the administrator's row until commit.
 * @returns undefined where the password or the second factor is not the proven one, or there is no such administrator
 */
async function ownerId(
  sql: Knex.Transaction,
  owner: ProvenPassword | { readonly administrator: string },
): Promise<string | undefined> {
  if (!isStorable(owner.administrator)) {
    return undefined;
  }
  const { rows } = await sql.raw<{ rows: (Omit<AttemptRow, 'content'> & { id: string })[] }>(
    `SELECT id, second_factor, second_factor_serial, sha256(convert_to(password_hash, 'UTF8')) AS password_version
     FROM administrators WHERE name = ? FOR SHARE`,
    [owner.administrator],
  );
  const [row] = rows;
  if (row === undefined || !('version' in owner)) {
    return row?.id;
  }
  const isProven = row.password_version?.equals(owner.version) === true;
  return isProven && isSameFactor(factorOf(row), owner.secondFactor) ? row.id : undefined;
}

function factorOf({
  second_factor: kind,
  second_factor_serial: serial,
}: Pick<AttemptRow, 'second_factor' | 'second_factor_serial'>): SecondFactor | undefined {
  return kind === null ? undefined : kind === 'token' ? { kind, serial: serial ?? '' } : { kind };
}

/** @returns false if the sign-in replaces one that has ended */
async function endReplaced(sql: Knex.Transaction, { replaces }: NewAttempt): Promise<boolean> {
  return (
    replaces === undefined || (await sql('sign_in_attempts').where({ attempt_hash: replaces }).delete()) > 0
  );
}

/** @returns the version of the password, where the second step needs the password of the first one */
function versionOf({ owner, content: { kind } }: NewAttempt): Buffer | null {
  const isSecondStep = kind === 'token' || kind === 'passkey';
  return isSecondStep && owner !== undefined && 'version' in owner ? owner.version : null;
}

/** @returns false if the passkey was used meanwhile, or is gone */
async function countUse(
  sql: Knex.Transaction,
  { credentialId, counterBefore, counter }: UsedPasskey,
): Promise<boolean> {
  const counted = await sql('passkeys')
    .where({ credential_id: credentialId, counter: counterBefore })
    .update({ counter, last_used_at: sql.fn.now() });
  return counted > 0;
}

/** Removes expired sign-ins, and the oldest ones of the same owner. @throws ServiceError 'server.busy' */
async function makeRoom(
  sql: Knex.Transaction,
  { client, content: { kind } }: NewAttempt,
  administratorId: string | null,
  now: Date,
): Promise<void> {
  await sql.raw(
    `DELETE FROM sign_in_attempts WHERE id = ANY (ARRAY(
       SELECT id FROM sign_in_attempts WHERE expires_at <= ? LIMIT 100 FOR UPDATE SKIP LOCKED))`,
    [now],
  );
  const same = administratorId === null ? { client, kind } : { administrator_id: administratorId, kind };
  const older = sql('sign_in_attempts')
    .where(same)
    .orderBy('id', 'desc')
    .offset((administratorId === null ? MOST_OF_CLIENT : MOST_OF_ONE) - 1);
  await sql('sign_in_attempts').whereIn('id', older.select('id')).delete();
  if (administratorId === null) {
    const { rows } = await sql.raw<{ rows: unknown[] }>(
      'SELECT FROM sign_in_attempts WHERE administrator_id IS NULL OFFSET ? LIMIT 1',
      [MOST_OPEN],
    );
    if (rows.length > 0) {
      throw new ServiceError('server.busy', 'Too many sign-ins are under way: try again in a few minutes');
    }
  }
}

function toAttempt({ content, administrator, password_version: version }: AttemptRow): Attempt {
  return {
    content,
    administrator: administrator ?? undefined,
    proven: administrator === null || version === null ? undefined : { administrator, version },
  };
}

/** Ends what a change of the second factor must not leave open. */
export async function endSignIns({ sql }: UnitOfWork, administratorId: string): Promise<void> {
  await sql('sign_in_attempts').where({ administrator_id: administratorId }).delete();
}
