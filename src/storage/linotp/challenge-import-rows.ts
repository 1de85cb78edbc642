import type { Knex } from 'knex';

import type { ChallengedToken, ImportedChallenge } from '../../linotp/challenge-mapping.ts';
import type { PresentChallenge } from '../../linotp/ports.ts';
import { type ChallengeColumns, challengeOf } from '../challenges/challenge-rows.ts';
import { withLockedTokens } from '../tokens/token-locks.ts';
import { keepUntouched } from './token-import-rows.ts';

/** @returns the imported tokens with these serials, by serial */
export async function importedTokens(
  sql: Knex,
  serials: readonly string[],
): Promise<ReadonlyMap<string, ChallengedToken & { readonly id: string }>> {
  const rows = await sql('tokens')
    .join('imported_tokens', 'imported_tokens.token_id', 'tokens.id')
    .whereRaw('tokens.serial = ANY (?::text[])', [[...serials]])
    .select<{ id: string; serial: string; type: string; ocra_suite: string | null }[]>(
      'tokens.id',
      'tokens.serial',
      'tokens.type',
      'tokens.ocra_suite',
    );
  return new Map(
    rows.map(({ id, serial, type, ocra_suite }) => [serial, { id, serial, type, ocraSuite: ocra_suite }]),
  );
}

interface PresentRow extends ChallengeColumns {
  readonly id: string;
  readonly serial: string;
}

/** @returns challenges by transaction id */
export async function findChallenges(
  sql: Knex,
  transactionIds: readonly string[],
): Promise<ReadonlyMap<string, PresentChallenge>> {
  const rows = await sql('challenges')
    .join('tokens', 'tokens.id', 'challenges.token_id')
    .whereRaw('challenges.transaction_id = ANY (?::text[])', [[...transactionIds]])
    .select<PresentRow[]>('challenges.*', 'tokens.serial');
  return new Map(
    rows.map((row) => [row.transaction_id, { id: row.id, serial: row.serial, ...challengeOf(row) }]),
  );
}

export async function insertChallenges(
  sql: Knex.Transaction,
  challenges: readonly (ImportedChallenge & { readonly tokenId: string })[],
): Promise<void> {
  await writeTokens(
    sql,
    challenges.map(({ tokenId }) => tokenId),
  );
  await sql('challenges').insert(
    challenges.map((challenge) => ({
      transaction_id: challenge.transactionId,
      token_id: challenge.tokenId,
      question: challenge.question,
      data: challenge.data,
      issued_at: challenge.issuedAt,
      ...stateColumns(challenge),
    })),
  );
}

/** Updates challenges that are still open: one may have been closed since it was found. @param challenges by their ids */
export async function updateChallenges(
  sql: Knex.Transaction,
  challenges: ReadonlyMap<string, ImportedChallenge>,
): Promise<void> {
  await writeTokens(
    sql,
    await sql('challenges')
      .whereIn('id', [...challenges.keys()])
      .pluck<string[]>('token_id'),
  );
  for (const [id, challenge] of challenges) {
    await sql('challenges').where({ id }).whereNull('closed_by').update(stateColumns(challenge));
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
