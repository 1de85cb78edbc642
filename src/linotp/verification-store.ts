import type { ResolverKind } from '../configuration/configuration.ts';
import { readConfiguration } from '../configuration/configuration-store.ts';
import type { Sealed } from '../keys/vault.ts';
import type { Database } from '../database/database.ts';
import { selectTokens, type TokenRow, toToken } from '../tokens/token-rows-store.ts';
import { ImportedChallenges } from './import-store.ts';
import type { ImportedToken } from './token-mapping.ts';
import type { SecretName, TokenInfo } from './secrets.ts';

export interface ComparableToken extends Omit<
  ImportedToken,
  'typeName' | 'serial' | 'owner' | 'source' | 'otpLength' | 'replayMarkers' | 'secrets' | 'info'
> {
  readonly id: string;
  readonly owner: { readonly resolver: string; readonly userId: string; readonly login: string } | null;
  /** It was not imported, or was used or changed here since. */
  readonly isOwn: boolean;
  readonly otpLength: number | null;
  /** null: it was not imported. */
  readonly info: TokenInfo | null;
  readonly secrets: Readonly<Record<SecretName, Sealed | null>>;
}

/** The columns of imported_tokens are null for a token that was not imported. */
interface ComparedRow extends TokenRow {
  readonly so_pin: Buffer | null;
  readonly otp_length: number | null;
  readonly last_match_at: Date | null;
  readonly info: TokenInfo | null;
  readonly token_version: string | null;
}

const AT_ONCE = 5_000;

export class VerificationStore {
  readonly challenges: ImportedChallenges;
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
    this.challenges = new ImportedChallenges(database.knex);
  }

  async resolverKinds(): Promise<ReadonlyMap<string, ResolverKind>> {
    const rows = await this.#database
      .knex('resolvers')
      .select<{ name: string; kind: ResolverKind }[]>('name', 'kind');
    return new Map(rows.map(({ name, kind }) => [name, kind]));
  }

  async settings(): Promise<ReadonlyMap<string, string>> {
    return (await readConfiguration(this.#database.knex, new Date(0))).settings;
  }

  async tokens(serials: readonly string[]): Promise<ReadonlyMap<string, ComparableToken>> {
    const rows: ComparedRow[] = await selectTokens(this.#database.knex)
      .leftJoin('imported_tokens', 'imported_tokens.token_id', 'tokens.id')
      .select(
        ...['so_pin', 'otp_length', 'last_match_at', 'info', 'token_version'].map(
          (name) => `imported_tokens.${name}`,
        ),
      )
      .whereRaw('tokens.serial = ANY (?::text[])', [[...serials]]);
    return new Map(rows.map((row) => [row.serial, toComparable(row)]));
  }

  /** @returns those of the serials whose imported tokens were removed here */
  async removedHere(serials: readonly string[]): Promise<ReadonlySet<string>> {
    const names = await this.#database
      .knex('imported_entries')
      .where({ kind: 'removed token' })
      .whereRaw('name = ANY (?::text[])', [[...serials]])
      .pluck<string[]>('name');
    return new Set(names);
  }

  /** @returns every token, in batches; `isOwn`: it was not imported */
  async *allTokens(): AsyncIterable<
    readonly { readonly id: string; readonly serial: string; readonly isOwn: boolean }[]
  > {
    const { knex } = this.#database;
    let last = '0';
    for (;;) {
      const rows = await knex('tokens')
        .leftJoin('imported_tokens', 'imported_tokens.token_id', 'tokens.id')
        .where('tokens.id', '>', last)
        .orderBy('tokens.id')
        .limit(AT_ONCE)
        .select<{ id: string; serial: string; isOwn: boolean }[]>(
          'tokens.id',
          'tokens.serial',
          knex.raw('imported_tokens.token_id IS NULL AS "isOwn"'),
        );
      yield rows;
      if (rows.length < AT_ONCE) {
        return;
      }
      last = rows.at(-1)?.id ?? last;
    }
  }
}

function toComparable(row: ComparedRow): ComparableToken {
  const token = toToken(row);
  const { seed, sharedSecret, nonce, pin, ocraPin } = token.secrets;
  return {
    ...token,
    id: row.id,
    counter: Number(token.counter),
    otpLength: row.otp_length,
    lastMatchAt: row.last_match_at,
    info: row.info,
    isOwn: row.token_version !== row.version,
    // A column of the same kind as the others.
    secrets: { seed, sharedSecret, nonce, pin, userPin: ocraPin, soPin: row.so_pin as Sealed | null },
  };
}
