import type { Knex } from 'knex';
import { type Sealed, type SecretPurpose, Vault } from '../../src/keys/vault.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';

/** The vault of `TestApplication`. */
const vault = new Vault({ keys: [Buffer.alloc(32, 7)], random: systemRandom });

/** A token as the database has it after an import, with its secrets opened. */
export interface StoredRow {
  readonly serial: string;
  readonly type: string;
  readonly type_name: string;
  readonly description: string;
  readonly active: boolean;
  readonly fail_count: number;
  readonly max_fail: number;
  readonly counter: string;
  readonly otp_length: number;
  readonly counter_window: number;
  readonly sync_window: number;
  readonly time_shift: number;
  readonly time_window: number | null;
  readonly valid_from: Date | null;
  readonly valid_until: Date | null;
  readonly use_count: number;
  readonly max_uses: number | null;
  readonly success_count: number;
  readonly max_successes: number | null;
  readonly algorithm: string | null;
  readonly rollout: string;
  readonly realms: readonly string[];
  readonly owner_resolver: string | null;
  readonly owner_user_id: string | null;
  readonly owner_login: string | null;
  readonly resolver_class: string;
  readonly resolver_id: string;
  readonly user_id: string;
  readonly created_at: Date;
  readonly last_success_at: Date | null;
  readonly last_match_at: Date | null;
  readonly key_form: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<
    Record<'seed' | 'sharedSecret' | 'nonce' | 'pin' | 'ocraPin' | 'soPin', Buffer | null>
  >;
}

type SealedRow = Omit<StoredRow, 'secrets'> &
  Readonly<Record<'seed' | 'shared_secret' | 'nonce' | 'pin' | 'ocra_pin' | 'so_pin', Buffer | null>>;

const TOKENS = `
  SELECT tokens.*, imported_tokens.*, resolvers.name AS owner_resolver,
    ARRAY(SELECT name FROM realms WHERE realms.id = ANY (realm_sets.realm_ids) ORDER BY name) AS realms
  FROM tokens JOIN imported_tokens ON imported_tokens.token_id = tokens.id
  JOIN realm_sets ON realm_sets.id = tokens.realm_set_id
  LEFT JOIN resolvers ON resolvers.id = tokens.owner_resolver_id ORDER BY tokens.serial`;

async function sealedTokens(sql: Knex): Promise<readonly SealedRow[]> {
  const { rows } = await sql.raw<{ rows: SealedRow[] }>(TOKENS);
  return rows;
}

/** @returns every imported token */
export async function storedTokens(sql: Knex): Promise<readonly StoredRow[]> {
  const rows = await sealedTokens(sql);
  return rows.map((row) => ({
    ...row,
    secrets: {
      seed: opened(row.seed, 'seed', row.serial),
      sharedSecret: opened(row.shared_secret, 'shared-secret', row.serial),
      nonce: opened(row.nonce, 'nonce', row.serial),
      pin: opened(row.pin, 'pin', row.serial),
      ocraPin: opened(row.ocra_pin, 'ocra-pin', row.serial),
      soPin: opened(row.so_pin, 'so-pin', row.serial),
    },
  }));
}

/** @returns the plain bytes of a secret in the database of a `TestApplication` */
export function opened(secret: Buffer | null, purpose: SecretPurpose, subject: string): Buffer | null {
  return secret === null ? null : vault.open(secret as Sealed, purpose, subject);
}

/** Every table that an import writes, without what time and randomness make different. */
export async function wholeContent(sql: Knex): Promise<object> {
  const tokens = await storedTokens(sql);
  const resolvers = await sql('resolvers')
    .orderBy('name')
    .select<{ name: string; secret: Buffer | null }[]>('name', 'secret');
  return {
    ...(await openContent(sql)),
    secrets: tokens.map(({ serial, secrets }) => [
      serial,
      ...Object.values(secrets).map((bytes) => bytes?.toString('hex')),
    ]),
    passwords: resolvers.map(({ name, secret }) => [
      name,
      opened(secret, 'resolver', name)?.toString('utf8'),
    ]),
  };
}

/** The same without secrets, for an installation with a key of its own. */
export async function openContent(sql: Knex): Promise<object> {
  const challenges = await sql('challenges')
    .join('tokens', 'tokens.id', 'challenges.token_id')
    .orderBy('transaction_id')
    .select('transaction_id', 'serial', 'question', 'data', 'issued_at', 'wrong_count')
    .select('received_tan', 'valid_tan', 'closed_by');
  return {
    tokens: (await sealedTokens(sql)).map(withoutSeals),
    challenges,
    realms: await sql('realms').orderBy('name').select('name', 'is_default'),
    users: await sql('users').orderBy('login').select('login', 'password_hash', 'surname'),
    policies: await sql('policies').orderBy('name').select('name', 'scope', 'action', 'realm', 'active'),
    settings: await sql('configuration').orderBy('key').select('key', 'value', 'type'),
    administrators: await sql('administrators').orderBy('name').select('name', 'password_hash'),
    resolvers: await sql('resolvers').orderBy('name').select('name', 'kind', 'settings'),
  };
}

const SEALED = ['seed', 'shared_secret', 'nonce', 'pin', 'ocra_pin', 'so_pin'];
const NUMBERED = ['id', 'token_id', 'realm_set_id', 'owner_resolver_id', 'version', 'token_version'];

function withoutSeals(row: object): object {
  return Object.fromEntries(
    Object.entries(row).filter(([name]) => !SEALED.includes(name) && !NUMBERED.includes(name)),
  );
}
