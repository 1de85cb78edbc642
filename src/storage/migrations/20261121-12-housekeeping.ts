import type { Knex } from 'knex';

/** Lets housekeeping find what is due without reading what is not. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX challenges_open_issued_idx ON challenges (issued_at) WHERE closed_by IS NULL;
    CREATE INDEX challenges_closed_issued_idx ON challenges (issued_at) WHERE closed_by IS NOT NULL;
    CREATE INDEX sessions_revoked_idx ON sessions (id) WHERE revoked_at IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'DROP INDEX sessions_revoked_idx; DROP INDEX challenges_closed_issued_idx; DROP INDEX challenges_open_issued_idx;',
  );
}
