import type { Knex } from 'knex';

/** An index of the words of names after the first one: a search for people finds by the beginning of each. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE FUNCTION later_words(resolver bigint, given_name text, surname text) RETURNS tsvector
      LANGUAGE sql IMMUTABLE AS $$
        SELECT array_to_tsvector(ARRAY(
          SELECT DISTINCT resolver || ':' || left(word, 320)
          FROM (VALUES (given_name), (surname)) AS names (name),
            unnest((regexp_split_to_array(lower(name), '[-. ''\u2019]'))[2:]) AS word
          WHERE word <> ''))
      $$;
    CREATE INDEX users_later_words_idx ON users USING gin (later_words(resolver_id, given_name, surname));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX users_later_words_idx;
    DROP FUNCTION later_words(bigint, text, text);
  `);
}
