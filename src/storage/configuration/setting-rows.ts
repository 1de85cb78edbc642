import type { Knex } from 'knex';
import { assertSettingsUnchanged, type ExpectedSettings } from '../../configuration/expected-state.ts';

/**
 * The caller holds the lock of the configuration.
 * @param expected the values that an editor has read; undefined: any
 * @throws ServiceError 'configuration.changed' where a stored one is another
 */
export async function assertSettingsStoredAs(
  transaction: Knex.Transaction,
  expected: ExpectedSettings | undefined,
): Promise<void> {
  if (expected === undefined) {
    return;
  }
  const stored = await transaction('configuration').select<{ key: string; value: string }[]>('key', 'value');
  assertSettingsUnchanged(expected, new Map(stored.map(({ key, value }) => [key, value])));
}
