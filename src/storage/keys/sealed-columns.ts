import type { SecretPurpose } from '../../keys/vault.ts';

/** A table with secrets that the vault sealed. */
export interface SealedTable {
  readonly table: string;
  /** The column by which its rows are traversed: unique, ordered, never changed. */
  readonly id: string;
  readonly idType: 'bigint' | 'text';
  /** The column of the subject for which its secrets were sealed. */
  readonly subject: string;
  /** The sealed columns, each with its purpose. */
  readonly secrets: Readonly<Record<string, SecretPurpose>>;
  /** Its triggers write the row of the configuration's revision, which must then be locked first. */
  readonly isConfiguration: boolean;
}

/** Every place that may have a sealed secret: all are sealed anew when the key changes. */
export const SEALED_TABLES: readonly SealedTable[] = [
  {
    table: 'tokens',
    id: 'id',
    idType: 'bigint',
    subject: 'serial',
    secrets: {
      seed: 'seed',
      shared_secret: 'shared-secret',
      nonce: 'nonce',
      pin: 'pin',
      ocra_pin: 'ocra-pin',
    },
    isConfiguration: false,
  },
  {
    table: 'resolvers',
    id: 'id',
    idType: 'bigint',
    subject: 'name',
    secrets: { secret: 'resolver' },
    isConfiguration: true,
  },
  {
    table: 'configuration',
    id: 'key',
    idType: 'text',
    subject: 'key',
    secrets: { secret: 'setting' },
    isConfiguration: true,
  },
  {
    table: 'imported_tokens',
    id: 'token_id',
    idType: 'bigint',
    subject: 'serial',
    secrets: { so_pin: 'so-pin' },
    isConfiguration: false,
  },
  {
    table: 'webhooks',
    id: 'id',
    idType: 'bigint',
    subject: 'name',
    secrets: { secret: 'webhook', previous_secret: 'webhook' },
    isConfiguration: true,
  },
];

/** The id of the key in the header of a sealed secret, as SQL. */
export function keyIdInSql(column: string): string {
  return `encode(substr(${column}, 2, 8), 'hex')`;
}
