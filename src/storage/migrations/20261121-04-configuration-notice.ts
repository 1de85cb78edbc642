import type { Knex } from 'knex';

/** A change of the configuration is also told to every server that listens, as soon as it is committed. */
export async function up(knex: Knex): Promise<void> {
  // Alike notices of one transaction are one. The channel belongs to the database, in which several schemas may lie.
  await knex.raw(
    noteConfigurationChange(`
        PERFORM pg_notify('tankeeper_configuration', TG_TABLE_SCHEMA);`),
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(noteConfigurationChange());
}

/** @returns the statement that makes the function of 20261120-04 anew, with one more thing that it does */
function noteConfigurationChange(also = ''): string {
  return `
    CREATE OR REPLACE FUNCTION note_configuration_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      BEGIN
        UPDATE configuration_state SET revision = revision + 1, changed_at = clock_timestamp();${also}
        RETURN NULL;
      END
    $$`;
}
