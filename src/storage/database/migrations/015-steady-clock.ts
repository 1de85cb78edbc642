import type { Knex } from 'knex';

/**
 * Since when the database's clock has gone on steadily after a jump, and when it was last looked at. Where nobody has
 * looked yet, the newest row of the audit tells when it was right: docs/adr/0032-one-clock.md.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE clock_state ADD looked_at timestamptz NOT NULL DEFAULT now(), ADD steady_since timestamptz;
    INSERT INTO clock_state (seen_at, looked_at) SELECT max(at), max(at) FROM audit HAVING max(at) IS NOT NULL
      ON CONFLICT DO NOTHING;
    COMMENT ON COLUMN clock_state.looked_at IS 'What the clock of the database showed at the last look.';
    COMMENT ON COLUMN clock_state.steady_since IS
      'What it showed after a jump, since when it has gone on without another one. Null: it is not in doubt.';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE clock_state DROP looked_at, DROP steady_since');
}
