import type { Knex } from 'knex';
import { assertUnchanged } from '../../policy/changed-policy.ts';
import type { Policy } from '../../policy/stored-policy.ts';

/**
 * The caller holds the lock of the configuration.
 * @param expected the policy of that name that an editor has read; null: there was none; undefined: any
 * @throws ServiceError 'policy.changed' where the stored one is another
 */
export async function assertStoredAs(
  transaction: Knex.Transaction,
  name: string,
  expected: Policy | null | undefined,
): Promise<void> {
  if (expected === undefined) {
    return;
  }
  const stored = await transaction('policies')
    .where({ name })
    .first<Policy | undefined>(
      'name',
      'scope',
      'action',
      'realm',
      'username AS user',
      'client',
      'time',
      'active',
    );
  assertUnchanged(name, expected, stored ?? null);
}
