import type { Knex } from 'knex';

/** Challenges that the user has declined on the device. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE challenges DROP CONSTRAINT challenges_closed_by_known,
      ADD CONSTRAINT challenges_closed_by_known
        CHECK (closed_by IN ('accepted', 'exhausted', 'superseded', 'declined', 'reported'));
  `);
}

/** Declined challenges stay closed, as superseded ones: the state in which nothing was accepted. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE challenges DISABLE TRIGGER challenges_closed_for_ever;
    UPDATE challenges SET closed_by = 'superseded' WHERE closed_by IN ('declined', 'reported');
    ALTER TABLE challenges ENABLE TRIGGER challenges_closed_for_ever;
    ALTER TABLE challenges DROP CONSTRAINT challenges_closed_by_known,
      ADD CONSTRAINT challenges_closed_by_known CHECK (closed_by IN ('accepted', 'exhausted', 'superseded'));
  `);
}
