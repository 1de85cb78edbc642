import type { Knex } from 'knex';

import { type ChallengeColumns, challengeOf } from '../challenges/challenge-store.ts';
import type { WrittenRows } from '../database/table-statistics.ts';
import { withLockedTokens } from '../tokens/token-rows-store.ts';
import type { ChallengedToken, ImportedChallenge } from './challenge-mapping.ts';
import { keepUntouched } from './token-import-store.ts';

/** A challenge of this server. */
export interface PresentChallenge extends ImportedChallenge {
  readonly id: string;
}

/** An imported token. */
export type PresentChallengedToken = ChallengedToken & { readonly id: string };

/** Reads imported tokens and their challenges. */
export class ImportedChallenges {
  readonly #sql: Knex;

  constructor(sql: Knex) {
    this.#sql = sql;
  }

  /** @returns the imported tokens with these serials, by serial */
  async tokens(serials: readonly string[]): Promise<ReadonlyMap<string, PresentChallengedToken>> {
    const rows = await this.#sql('tokens')
      .join('imported_tokens', 'imported_tokens.token_id', 'tokens.id')
      .whereRaw('tokens.serial = ANY (?::text[])', [[...serials]])
      .select<PresentChallengedToken[]>('tokens.id', 'tokens.serial', 'tokens.type', {
        ocraSuite: 'tokens.ocra_suite',
      });
    return new Map(rows.map((row) => [row.serial, row]));
  }

  /** @returns challenges by transaction id */
  async find(transactionIds: readonly string[]): Promise<ReadonlyMap<string, PresentChallenge>> {
    const rows = await this.#sql('challenges')
      .join('tokens', 'tokens.id', 'challenges.token_id')
      .whereRaw('challenges.transaction_id = ANY (?::text[])', [[...transactionIds]])
      .select<(ChallengeColumns & { id: string; serial: string })[]>('challenges.*', 'tokens.serial');
    return new Map(
      rows.map((row) => [row.transaction_id, { id: row.id, serial: row.serial, ...challengeOf(row) }]),
    );
  }
}

/** Writes challenges, within the transaction of an import. */
export class ChallengeImportStore extends ImportedChallenges {
  readonly #sql: Knex.Transaction;
  readonly #written: WrittenRows;

  constructor(sql: Knex.Transaction, written: WrittenRows) {
    super(sql);
    this.#sql = sql;
    this.#written = written;
  }

  /** @param challenges each with the id of its token */
  async insert(challenges: readonly (ImportedChallenge & { readonly tokenId: string })[]): Promise<void> {
    await writeTokens(
      this.#sql,
      challenges.map(({ tokenId }) => tokenId),
    );
    await this.#sql('challenges').insert(
      challenges.map((challenge) => ({
        transaction_id: challenge.transactionId,
        token_id: challenge.tokenId,
        question: challenge.question,
        data: challenge.data,
        issued_at: challenge.issuedAt,
        ...stateColumns(challenge),
      })),
    );
    this.#written.add(challenges.length, 'challenges');
  }

  /** Updates challenges that are still open: one may have been closed since it was found. @param challenges by their ids */
  async update(challenges: ReadonlyMap<string, ImportedChallenge>): Promise<void> {
    const rows = this.#sql('challenges').whereIn('id', [...challenges.keys()]);
    await writeTokens(this.#sql, await rows.pluck<string[]>('token_id'));
    for (const [id, challenge] of challenges) {
      await this.#sql('challenges').where({ id }).whereNull('closed_by').update(stateColumns(challenge));
    }
  }
}

/**
 * Locks the tokens, and gives them another version, which stands for their challenges. They still count as untouched
 * since their import.
 */
async function writeTokens(sql: Knex.Transaction, tokenIds: readonly string[]): Promise<void> {
  const ids = [...new Set(tokenIds)];
  await withLockedTokens(sql, { ids }, async () => {
    await sql('tokens')
      .whereIn('id', ids)
      .update({ serial: sql.ref('serial') });
    await keepUntouched(sql, ids);
  });
}

/** LinOTP does not note when a challenge was closed. */
function stateColumns(challenge: ImportedChallenge): Readonly<Record<string, Knex.Value>> {
  return {
    wrong_count: challenge.wrongCount,
    received_tan: challenge.receivedTan,
    valid_tan: challenge.validTan,
    closed_by: challenge.closedBy,
    closed_at: challenge.closedBy === null ? null : challenge.issuedAt,
  };
}
