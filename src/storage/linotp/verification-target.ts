import type { Sealed } from '../../keys/vault.ts';
import type { ComparableToken, VerificationTarget } from '../../linotp/ports.ts';
import type { Database } from '../database/database.ts';
import { selectTokens, type TokenRow, toToken } from '../tokens/token-rows.ts';

interface ComparedRow extends TokenRow {
  readonly so_pin: Buffer | null;
}

/** The tokens in PostgreSQL, for a comparison. */
export class SqlVerificationTarget implements VerificationTarget {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  async resolverNames(): Promise<ReadonlySet<string>> {
    return new Set(await this.#database.knex('resolvers').pluck<string[]>('name'));
  }

  async tokens(serials: readonly string[]): Promise<ReadonlyMap<string, ComparableToken>> {
    const rows: ComparedRow[] = await selectTokens(this.#database.knex)
      .leftJoin('imported_tokens', 'imported_tokens.token_id', 'tokens.id')
      .select('imported_tokens.so_pin')
      .whereRaw('tokens.serial = ANY (?::text[])', [[...serials]]);
    return new Map(rows.map((row) => [row.serial, toComparable(row)]));
  }
}

function toComparable(row: ComparedRow): ComparableToken {
  const token = toToken(row);
  const { seed, sharedSecret, nonce, pin, ocraPin } = token.secrets;
  return {
    fields: {
      type: token.type,
      description: token.description,
      active: token.active,
      realms: token.realms.join(', '),
      resolver: token.owner?.resolver ?? '',
      failCount: token.failCount,
      maxFail: token.maxFail,
      counter: Number(token.counter),
      counterWindow: token.counterWindow,
      syncWindow: token.syncWindow,
      timeShift: token.timeShift,
      ocraSuite: token.ocraSuite ?? '',
      rollout: token.rollout,
      lastSuccessAt: token.lastSuccessAt?.toISOString() ?? '',
    },
    // A column of the same kind as the others.
    secrets: { seed, sharedSecret, nonce, pin, userPin: ocraPin, soPin: row.so_pin as Sealed | null },
  };
}
