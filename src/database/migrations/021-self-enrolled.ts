import type { Knex } from 'knex';

/** A mark of tokens whose roll-out their owner has begun; those under way are known by the text of a challenge alone. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE tokens ADD COLUMN self_enrolled boolean NOT NULL DEFAULT false;
    COMMENT ON COLUMN tokens.self_enrolled IS 'True where its owner began the enrolment, at the account page.';
    UPDATE tokens SET self_enrolled = true
      WHERE rollout <> 'complete' AND last_success_at IS NULL AND EXISTS (
        SELECT FROM challenges WHERE challenges.token_id = tokens.id
          AND (data LIKE 'This phone now belongs to the account of %'
            OR data LIKE 'Dieses Telefon gehört nun zum Konto von %'));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE tokens DROP COLUMN self_enrolled');
}
