import type { Knex } from 'knex';

/**
 * Of tokens of the type pw LinOTP has only a hash of the text, which imports kept in place of the key while no such token
 * was checked. Taken for the text, the hash would be a password. The tokens count as untouched since their import.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    WITH hashed AS (
      UPDATE tokens SET seed = NULL FROM imported_tokens
      WHERE imported_tokens.token_id = tokens.id AND imported_tokens.key_form = 'crypt' AND tokens.seed IS NOT NULL
      RETURNING tokens.id, tokens.version
    )
    UPDATE imported_tokens SET token_version = hashed.version FROM hashed
    WHERE imported_tokens.token_id = hashed.id AND imported_tokens.token_version = hashed.version - 1;
    COMMENT ON COLUMN imported_tokens.key_form IS
      'key: the key itself. text: as it was typed. crypt: left, as it was only a hash of the text. none: no key.';
  `);
}

/** The hashes cannot come back. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('COMMENT ON COLUMN imported_tokens.key_form IS NULL');
}
