import type { Knex } from 'knex';

/** Servers keep what counts are of, too: they read it anew when somebody gives a set of realms other realms by hand. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE FUNCTION note_realm_set_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      BEGIN
        UPDATE count_state SET revision = revision + 1, changed_at = clock_timestamp();
        RETURN NULL;
      END
    $$;
    CREATE TRIGGER realm_sets_note_change AFTER UPDATE ON realm_sets
      FOR EACH STATEMENT EXECUTE FUNCTION note_realm_set_change();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER realm_sets_note_change ON realm_sets;
    DROP FUNCTION note_realm_set_change();
  `);
}
