import type { ResolverKind } from '../../configuration/configuration.ts';
import type { Sealed } from '../../keys/vault.ts';
import type { ChallengedToken } from '../../linotp/challenge-mapping.ts';
import type { ComparableToken, PresentChallenge, VerificationTarget } from '../../linotp/ports.ts';
import type { TokenInfo } from '../../linotp/token-info.ts';
import { readConfiguration } from '../../configuration/configuration-store.ts';
import type { Database } from '../database/database.ts';
import { selectTokens, type TokenRow, toToken } from '../tokens/token-rows.ts';
import { findChallenges, importedTokens } from './challenge-import-rows.ts';

/** The columns of imported_tokens are null for a token that was not imported. */
interface ComparedRow extends TokenRow {
  readonly so_pin: Buffer | null;
  readonly otp_length: number | null;
  readonly last_match_at: Date | null;
  readonly info: TokenInfo | null;
}

const AT_ONCE = 5_000;

/** The tokens and challenges in PostgreSQL, for a comparison. */
export class SqlVerificationTarget implements VerificationTarget {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
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
      .select(...['so_pin', 'otp_length', 'last_match_at', 'info'].map((name) => `imported_tokens.${name}`))
      .whereRaw('tokens.serial = ANY (?::text[])', [[...serials]]);
    return new Map(rows.map((row) => [row.serial, toComparable(row)]));
  }

  async *allTokens(): AsyncIterable<readonly { readonly id: string; readonly serial: string }[]> {
    let last = '0';
    for (;;) {
      const rows = await this.#database
        .knex('tokens')
        .where('id', '>', last)
        .orderBy('id')
        .limit(AT_ONCE)
        .select<{ id: string; serial: string }[]>('id', 'serial');
      yield rows;
      if (rows.length < AT_ONCE) {
        return;
      }
      last = rows.at(-1)?.id ?? last;
    }
  }

  importedTokens(serials: readonly string[]): Promise<ReadonlyMap<string, ChallengedToken>> {
    return importedTokens(this.#database.knex, serials);
  }

  findChallenges(transactionIds: readonly string[]): Promise<ReadonlyMap<string, PresentChallenge>> {
    return findChallenges(this.#database.knex, transactionIds);
  }
}

function toComparable(row: ComparedRow): ComparableToken {
  const token = toToken(row);
  const { seed, sharedSecret, nonce, pin, ocraPin } = token.secrets;
  return {
    id: row.id,
    owner: token.owner,
    info: row.info,
    fields: {
      type: token.type,
      description: token.description,
      active: token.active,
      realms: token.realms.join(', '),
      failCount: token.failCount,
      maxFail: token.maxFail,
      counter: Number(token.counter),
      counterWindow: token.counterWindow,
      syncWindow: token.syncWindow,
      timeShift: token.timeShift,
      otpLength: row.otp_length ?? '',
      ocraSuite: token.ocraSuite ?? '',
      rollout: token.rollout,
      createdAt: token.createdAt.toISOString(),
      lastSuccessAt: token.lastSuccessAt?.toISOString() ?? '',
      lastMatchAt: row.last_match_at?.toISOString() ?? '',
    },
    // A column of the same kind as the others.
    secrets: { seed, sharedSecret, nonce, pin, userPin: ocraPin, soPin: row.so_pin as Sealed | null },
  };
}
