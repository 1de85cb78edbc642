import type { Knex } from 'knex';
import type { ProvenPassword, SecondFactor } from './administrator.ts';
import type { ProvenFactor, SignInContent } from './session.ts';
import type { Act } from '../policy/caller.ts';
import type { Database } from '../database/database.ts';
import { isStorable } from '../kernel/text.ts';
import { Undone } from '../database/unit-of-work.ts';
import { countUse } from './passkey-store.ts';
import { insertSession, lockProven } from './session-store.ts';

/** Sign-ins of one administrator and kind that are under way at most. */
const MAX_OF_ONE = 10;

type SignInKind = SignInContent['kind'];

/** A new sign-in. Its secret is stored as a hash. */
export interface NewAttempt {
  readonly hash: Buffer;
  readonly content: SignInContent;
  readonly expiresAt: Date;
  /** The address that began it. */
  readonly client: string;
  /** The administrator; with the password that was proven, if one was. */
  readonly owner: ProvenPassword | { readonly administrator: string };
  /** The hash of the session of a login that must be confirmed. */
  readonly login?: Buffer | undefined;
  /** The hash of a link, which ends with it. */
  readonly replaces?: Buffer | undefined;
}

/** A sign-in that is under way. */
interface Attempt {
  readonly content: SignInContent;
  readonly administrator: string;
  /** The password that was proven, if one was. */
  readonly proven: ProvenPassword | undefined;
}

/** A session that a sign-in opens; always of the kind `login`. */
interface SignInSession {
  readonly hash: Buffer;
  readonly expiresAt: Date;
}

/** The password and the second factor of a sign-in. */
interface CompleteProof extends ProvenFactor {
  readonly proven: ProvenPassword;
}

/** The proof of an administrator who may have no second factor. */
type ConfirmationProof = Omit<CompleteProof, 'factor'> & { readonly factor: SecondFactor | undefined };

interface AttemptRow {
  readonly content: SignInContent;
  readonly administrator: string;
  readonly password_version: Buffer | null;
}

const ATTEMPT = `content, password_version,
  (SELECT name FROM administrators WHERE id = administrator_id) AS administrator`;

/**
 * Sign-ins and confirmations of logins that are under way: any server goes on with one that another has begun. Each ends
 * once: when it succeeds, is consumed, is replaced or expires.
 */
export class SignInStore {
  readonly #database: Database;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  /**
   * Removes expired ones on the way, and the oldest beyond a few of the same administrator.
   * @returns false where the password or the second factor has changed meanwhile, the login is not confirmed, the
   *   replaced link has ended, or the administrator is gone
   */
  begin(attempt: NewAttempt, now: Date, act: Act): Promise<boolean> {
    return this.#database.transact(async (unit) => {
      const { owner } = attempt;
      const administratorId = await ownerId(unit.sql, owner);
      if (
        administratorId === undefined ||
        !(await isLoginConfirmed(unit.sql, attempt, now)) ||
        !(await endReplaced(unit.sql, attempt))
      ) {
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
      await unit.audit.write(act, owner.administrator, OUTCOMES[attempt.content.kind]);
      return true;
    });
  }

  /** @returns the sign-in, unless it has ended by `now` or is of another kind */
  async find(hash: Buffer, kinds: readonly SignInKind[], now: Date): Promise<Attempt | undefined> {
    const row = await this.#database
      .knex('sign_in_attempts')
      .where({ attempt_hash: hash })
      .whereIn('kind', kinds)
      .where('expires_at', '>', now)
      .first<AttemptRow | undefined>(this.#database.knex.raw(ATTEMPT));
    return row && toAttempt(row);
  }

  /** As `find`, and ends it: of several at once, one gets it. */
  async consume(hash: Buffer, kinds: readonly SignInKind[], now: Date): Promise<Attempt | undefined> {
    const { knex } = this.#database;
    const [row] = await knex('sign_in_attempts')
      .where({ attempt_hash: hash })
      .whereIn('kind', kinds)
      .where('expires_at', '>', now)
      .delete()
      .returning<AttemptRow[]>(knex.raw(ATTEMPT) as unknown as string);
    return row && toAttempt(row);
  }

  /**
   * Ends the sign-in and opens its session, both or none.
   * @returns false where the sign-in has ended, the password or the second factor has changed, the passkey was used
   *   meanwhile, or the administrator is gone
   */
  complete(
    hash: Buffer,
    { proven, factor, used }: CompleteProof,
    session: SignInSession,
    act: Act,
  ): Promise<boolean> {
    return Undone.catch(() =>
      this.#database.transact(async (unit) => {
        // The administrator's row is locked first, as by all who change it.
        const isOpen = await insertSession(unit, proven, factor, { ...session, kind: 'login' }, act);
        const ended = isOpen ? await unit.sql('sign_in_attempts').where({ attempt_hash: hash }).delete() : 0;
        if (ended === 0 || (used !== undefined && !(await countUse(unit.sql, used)))) {
          throw new Undone();
        }
        return true;
      }),
    );
  }

  /**
   * @param login the hash of its session
   * @returns true if the owner of the login has proven a moment ago, by password and second factor, to be the one who
   *   signed in. What ends the session ends the confirmation, too
   */
  async isConfirmed(login: Buffer, now: Date): Promise<boolean> {
    const found: unknown = await this.#database
      .knex('sessions')
      .where({ session_hash: login, revoked_at: null })
      .where('expires_at', '>', now)
      .where('confirmed_until', '>', now)
      .first('id');
    return found !== undefined;
  }

  /**
   * Confirms a login of the administrator until then, and ends the attempt, both or none.
   * @param attempt the hash of the attempt that proved the second factor; undefined: the administrator has none
   * @returns false where the login or the attempt has ended, the password or the second factor has changed, the passkey
   *   was used meanwhile, or the login is another administrator's
   */
  confirm(
    login: Buffer,
    { proven, factor, used }: ConfirmationProof,
    { attempt, until }: { readonly attempt: Buffer | undefined; readonly until: Date },
    act: Act,
  ): Promise<boolean> {
    return Undone.catch(() =>
      this.#database.transact(async ({ sql, audit }) => {
        // The administrator's row is locked first, as by all who change it.
        const owner = await lockProven(sql, proven, factor);
        const confirmed =
          owner === undefined
            ? 0
            : await sql('sessions')
                .where({ session_hash: login, administrator_id: owner, revoked_at: null })
                .update({ confirmed_until: until });
        const isEnded =
          attempt === undefined ||
          (await sql('sign_in_attempts').where({ attempt_hash: attempt }).delete()) > 0;
        if (confirmed === 0 || !isEnded || (used !== undefined && !(await countUse(sql, used)))) {
          throw new Undone();
        }
        await audit.write(act, proven.administrator, 'confirmed');
        return true;
      }),
    );
  }

  /**
   * Opens a session of a person who has no account here, and remembers the sign-on that it came from, both or none.
   * @param signOn names the sign-on, which opens one session at most, whichever server is asked
   * @returns false where it has opened one before
   */
  openForPerson(
    { name, groups }: { readonly name: string; readonly groups: readonly string[] },
    { hash, expiresAt }: SignInSession,
    signOn: { readonly hash: Buffer; readonly now: Date; readonly rememberedUntil: Date },
    act: Act,
  ): Promise<boolean> {
    return this.#database.transact(async ({ sql, audit }) => {
      // A twin that is not committed yet is waited for.
      const { rowCount } = await sql.raw<{ rowCount: number }>(
        `INSERT INTO used_sign_ons (state_hash, expires_at) VALUES (:hash, :rememberedUntil)
         ON CONFLICT (state_hash) DO NOTHING`,
        { hash: signOn.hash, rememberedUntil: signOn.rememberedUntil },
      );
      if (rowCount === 0) {
        return false;
      }
      await removeExpired(sql, 'used_sign_ons', 'state_hash', signOn.now);
      await sql('sessions').insert({
        person: name,
        groups,
        kind: 'login',
        client: act.client,
        session_hash: hash,
        expires_at: expiresAt,
      });
      await audit.write(act, name, `session opened, ${groups.join(', ')}`);
      return true;
    });
  }
}

/** Outcomes of the audit rows. */
const OUTCOMES: Readonly<Record<SignInKind, string>> = {
  token: 'second factor requested',
  passkey: 'second factor requested',
  registration: 'passkey requested',
  link: 'passkey link created',
  confirmation: 'second factor requested',
};

/**
 * Holds the administrator's row until commit.
 * @returns undefined where the password or the second factor is not the proven one, or there is no such administrator
 */
async function ownerId(
  sql: Knex.Transaction,
  owner: ProvenPassword | { readonly administrator: string },
): Promise<string | undefined> {
  if ('version' in owner) {
    return lockProven(sql, owner, owner.secondFactor);
  }
  const { administrator: name } = owner;
  const row = isStorable(name)
    ? await sql('administrators').where({ name }).forShare().first<{ id: string } | undefined>('id')
    : undefined;
  return row?.id;
}

/** @returns false if the sign-in replaces one that has ended */
async function endReplaced(sql: Knex.Transaction, { replaces }: NewAttempt): Promise<boolean> {
  return (
    replaces === undefined || (await sql('sign_in_attempts').where({ attempt_hash: replaces }).delete()) > 0
  );
}

/** @returns the version of the password, where the second step needs the password of the first one */
function versionOf({ owner, content: { kind } }: NewAttempt): Buffer | null {
  const isSecondStep = kind === 'token' || kind === 'passkey' || kind === 'confirmation';
  return isSecondStep && 'version' in owner ? owner.version : null;
}

/**
 * Read under the lock of the administrator's row: either it sees a new password, or that ends the new sign-in.
 * @returns false if the attempt needs a confirmed login, and it is not
 */
async function isLoginConfirmed(sql: Knex.Transaction, { login }: NewAttempt, now: Date): Promise<boolean> {
  const found: unknown =
    login === undefined ||
    (await sql('sessions')
      .where({ session_hash: login, revoked_at: null })
      .where('confirmed_until', '>', now)
      .first('id'));
  return found !== undefined;
}

/** Removes expired sign-ins, and the oldest ones of the same owner, but for those that somebody else is ending. */
async function makeRoom(
  sql: Knex.Transaction,
  { content: { kind } }: NewAttempt,
  administratorId: string,
  now: Date,
): Promise<void> {
  await removeExpired(sql, 'sign_in_attempts', 'id', now);
  await sql.raw(
    `DELETE FROM sign_in_attempts WHERE id = ANY (ARRAY(
       SELECT id FROM sign_in_attempts WHERE id IN (
         SELECT id FROM sign_in_attempts WHERE administrator_id = ? AND kind = ? ORDER BY id DESC OFFSET ?)
       FOR UPDATE SKIP LOCKED))`,
    [administratorId, kind, MAX_OF_ONE - 1],
  );
}

/** Removes rows that have expired, a hundred at most, but for those that somebody else removes. */
async function removeExpired(
  sql: Knex.Transaction,
  table: 'sign_in_attempts' | 'used_sign_ons',
  key: 'id' | 'state_hash',
  now: Date,
): Promise<void> {
  await sql.raw(
    `DELETE FROM ${table} WHERE ${key} = ANY (ARRAY(
       SELECT ${key} FROM ${table} WHERE expires_at <= ? LIMIT 100 FOR UPDATE SKIP LOCKED))`,
    [now],
  );
}

function toAttempt({ content, administrator, password_version: version }: AttemptRow): Attempt {
  return { content, administrator, proven: version === null ? undefined : { administrator, version } };
}
