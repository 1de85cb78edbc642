import type { Knex } from 'knex';

import type { UsedPasskey } from '../../administrators/sign-in-ports.ts';

/** @returns false if the passkey was used meanwhile, or is gone */
export async function countUse(
  sql: Knex.Transaction,
  { credentialId, counterBefore, counter }: UsedPasskey,
): Promise<boolean> {
  const counted = await sql('passkeys')
    .where({ credential_id: credentialId, counter: counterBefore })
    .update({ counter, last_used_at: sql.fn.now() });
  return counted > 0;
}
