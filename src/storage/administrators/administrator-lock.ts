import type { Knex } from 'knex';

import { isStorable } from '../database/stored-text.ts';

/** The row of an administrator that is held. */
interface LockedAdministrator {
  readonly id: string;
  readonly second_factor: string | null;
}

/**
 * Holds the administrator's row until commit. Sign-ins, and changes of the password or the second factor, wait: the
 * holder may lock sessions, sign-ins under way and passkeys of the administrator in any order.
 * @returns undefined where there is no such administrator
 */
export async function lockAdministrator(
  sql: Knex.Transaction,
  name: string,
): Promise<LockedAdministrator | undefined> {
  return isStorable(name)
    ? sql('administrators')
        .where({ name })
        .forUpdate()
        .first<LockedAdministrator | undefined>('id', 'second_factor')
    : undefined;
}
