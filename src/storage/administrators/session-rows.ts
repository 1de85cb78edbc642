import type { Act } from '../../policy/caller.ts';
import type { ProvenPassword } from '../../administrators/ports.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { isStorable } from '../database/stored-text.ts';

/** @returns false where the password has been changed since it was proven, or the administrator is gone */
export async function insertSession(
  { sql, audit }: UnitOfWork,
  { administrator, version }: ProvenPassword,
  session: { readonly hash: Buffer; readonly expiresAt: Date },
  act: Act,
): Promise<boolean> {
  if (!isStorable(administrator)) {
    return false;
  }
  const { rows } = await sql.raw<{ rows: unknown[] }>(
    `INSERT INTO sessions (administrator_id, session_hash, expires_at)
     SELECT proven.id, :hash, :expiresAt::timestamptz FROM (
       SELECT id FROM administrators
       WHERE name = :administrator AND sha256(convert_to(password_hash, 'UTF8')) = :version
       FOR SHARE
     ) AS proven
     RETURNING id`,
    { administrator, version, ...session },
  );
  if (rows.length > 0) {
    await audit.write(act, administrator, 'session opened');
  }
  return rows.length > 0;
}

/** @returns whether it was open */
export async function revokeSession(
  { sql, audit }: UnitOfWork,
  sessionHash: Buffer,
  act: Act,
): Promise<boolean> {
  const { rows } = await sql.raw<{ rows: { name: string }[] }>(
    `UPDATE sessions SET revoked_at = now() FROM administrators
     WHERE administrators.id = sessions.administrator_id AND session_hash = ? AND revoked_at IS NULL
     RETURNING administrators.name`,
    [sessionHash],
  );
  for (const { name } of rows) {
    await audit.write(act, name, 'session closed');
  }
  return rows.length > 0;
}
