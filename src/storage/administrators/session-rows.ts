import type { ProvenPassword } from '../../administrators/ports.ts';
import { type SecondFactor, serialOf } from '../../administrators/second-factor.ts';
import type { SessionKind } from '../../administrators/session-secrets.ts';
import type { Act } from '../../policy/caller.ts';
import { isStorable } from '../database/stored-text.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';

/** A session to be stored. */
export interface NewSession {
  readonly hash: Buffer;
  readonly expiresAt: Date;
  readonly kind: SessionKind;
}

/**
 * Opens a session under the lock of the administrator's row: a change of the password or the second factor either is
 * seen here, or sees the session and ends it.
 * @param factor the second factor that was proven; undefined: none
 * @returns false if the password has changed since it was proven, the administrator has another second factor, or is
 *   gone
 */
export async function insertSession(
  { sql, audit }: UnitOfWork,
  { administrator, version }: ProvenPassword,
  factor: SecondFactor | undefined,
  session: NewSession,
  act: Act,
): Promise<boolean> {
  if (!isStorable(administrator)) {
    return false;
  }
  const { rows } = await sql.raw<{ rows: unknown[] }>(
    `INSERT INTO sessions (administrator_id, session_hash, kind, client, expires_at)
     SELECT proven.id, :hash, :kind, :client, :expiresAt::timestamptz FROM (
       SELECT id FROM administrators
       WHERE name = :administrator AND sha256(convert_to(password_hash, 'UTF8')) = :version
         AND second_factor IS NOT DISTINCT FROM :factor::text
         AND second_factor_serial IS NOT DISTINCT FROM :serial::text
       FOR SHARE
     ) AS proven
     RETURNING id`,
    {
      administrator,
      version,
      client: act.client,
      ...session,
      factor: factor?.kind ?? null,
      serial: serialOf(factor) ?? null,
    },
  );
  if (rows.length > 0) {
    await audit.write(act, administrator, 'session opened');
  }
  return rows.length > 0;
}
