import type { Knex } from 'knex';

/** For users whose telephone number ends with some digits, however it is written. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX users_phone_idx ON users
      (resolver_id, reverse(regexp_replace(phone, '[^0-9]', '', 'g')) text_pattern_ops) WHERE phone <> '';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX users_phone_idx');
}
