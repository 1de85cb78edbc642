import type pg from 'pg';

/**
 * The statements that the yardsticks run: the two statements of a check_t, without the service. Their tables are copies
 * of the service's own with all indexes and checks, in a schema of their own, without triggers and foreign keys.
 */

const BARE_SCHEMA = 'yardstick';

const TABLES = ['realm_sets', 'tokens', 'challenges', 'audit'];

/** Makes the tables, and tokens in one realm set. @param tokens their number */
export async function makeBareTables(client: pg.Client, tokens: number): Promise<void> {
  await client.query(`
    CREATE SCHEMA ${BARE_SCHEMA};
    ${TABLES.map((table) => `CREATE TABLE ${BARE_SCHEMA}.${table} (LIKE public.${table} INCLUDING ALL);`).join('\n')}
    INSERT INTO ${BARE_SCHEMA}.realm_sets (realm_ids) VALUES ('{1}');
    INSERT INTO ${BARE_SCHEMA}.tokens (serial, type, active, realm_set_id, algorithm, seed)
      SELECT 'BARE' || n, 'ocra2', true, (SELECT id FROM ${BARE_SCHEMA}.realm_sets), 'OCRA-1:HOTP-SHA256-8:C-QN08',
        decode(repeat('5a', 61), 'hex')
      FROM generate_series(1, ${tokens}) AS n;
    ANALYZE ${BARE_SCHEMA}.realm_sets, ${BARE_SCHEMA}.tokens`);
}

/** Makes open challenges with the transaction ids `1` to `challenges`, in place of those that were there. */
export async function fillBareChallenges(
  client: pg.Client,
  challenges: number,
  tokens: number,
): Promise<void> {
  await client.query(`
    TRUNCATE ${BARE_SCHEMA}.challenges RESTART IDENTITY;
    INSERT INTO ${BARE_SCHEMA}.challenges (transaction_id, token_id, question, data, issued_at,
        open_until)
      SELECT n, 1 + n % ${tokens}, '12345678', 'data', clock_timestamp(), clock_timestamp() + interval '1 day'
      FROM generate_series(1, ${challenges}) AS n`);
  await client.query(`VACUUM (ANALYZE) ${BARE_SCHEMA}.challenges, ${BARE_SCHEMA}.tokens`);
}

/** Reads a challenge with its token and the token's realms, by transaction id. */
export const READ_STATEMENT = `SELECT c.id AS challenge_id, c.question, c.issued_at, c.wrong_count, c.closed_by,
      t.id AS token_id, t.serial, t.counter, t.fail_count, t.max_fail, t.seed, t.algorithm, s.realm_ids
    FROM ${BARE_SCHEMA}.challenges AS c
    JOIN ${BARE_SCHEMA}.tokens AS t ON t.id = c.token_id
    JOIN ${BARE_SCHEMA}.realm_sets AS s ON s.id = t.realm_set_id
    WHERE c.transaction_id = $1`;

/** Settles a right response: token, challenge and audit row, by the challenge's id. */
export const SETTLE_STATEMENT = `WITH challenge AS (
      UPDATE ${BARE_SCHEMA}.challenges
      SET received_tan = true, valid_tan = true, closed_by = 'accepted', closed_at = clock_timestamp()
      WHERE id = $1::bigint AND closed_by IS NULL
      RETURNING id, token_id
    ), token AS (
      UPDATE ${BARE_SCHEMA}.tokens AS t
      SET counter = t.counter + 1, fail_count = 0, last_success_at = clock_timestamp()
      FROM challenge WHERE t.id = challenge.token_id
      RETURNING t.serial
    )
    INSERT INTO ${BARE_SCHEMA}.audit (id, at, actor, action, subject, realm, outcome, client, request_id,
      transaction_id)
    SELECT challenge.id, clock_timestamp(), '', 'ocra/check_t', token.serial, 'staff', 'accepted', '127.0.0.1',
      '00000000-0000-0000-0000-000000000000', challenge.id::text
    FROM challenge CROSS JOIN token`;
