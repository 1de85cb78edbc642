import type { Knex } from 'knex';

/**
 * Keys that a security module encrypted. This may be the only place where such a key is, so going back is refused while
 * there is one.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE encryption_keys
      ADD COLUMN wrapped bytea,
      ADD COLUMN wrapped_by text,
      ADD CONSTRAINT encryption_keys_wrapped_whole CHECK ((wrapped IS NULL) = (wrapped_by IS NULL));
    COMMENT ON TABLE encryption_keys IS
      'The keys that secrets here are sealed with, each with a known text sealed by it; encrypted by a security module, or in a key file alone.';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DO $$ BEGIN
      IF EXISTS (SELECT FROM encryption_keys WHERE wrapped IS NOT NULL) THEN
        RAISE EXCEPTION 'encryption_keys holds keys that a security module encrypted: without them no secret can be read';
      END IF;
    END $$;
    ALTER TABLE encryption_keys DROP COLUMN wrapped_by, DROP COLUMN wrapped;
    COMMENT ON TABLE encryption_keys IS 'The keys that secrets here are sealed with, each with a known text sealed by it.';
  `);
}
