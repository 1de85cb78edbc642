import type { Knex } from 'knex';

/** Resolvers that ask an SQL database or an LDAP directory. */
export async function up(knex: Knex): Promise<void> {
  await restrictKinds(knex, ['managed', 'passwd', 'sql', 'ldap']);
}

/** Refused while there are such resolvers: tokens and realms may refer to them, so they are not removed unasked. */
export async function down(knex: Knex): Promise<void> {
  await restrictKinds(knex, ['managed', 'passwd']);
}

async function restrictKinds(knex: Knex, kinds: readonly string[]): Promise<void> {
  const list = kinds.map((kind) => `'${kind}'`).join(', ');
  await knex.raw(`
    ALTER TABLE resolvers
      DROP CONSTRAINT resolvers_kind_known,
      ADD CONSTRAINT resolvers_kind_known CHECK (kind IN (${list}))
  `);
}
