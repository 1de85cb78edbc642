import type { Knex } from 'knex';

/**
 * The index by which an issue finds the challenges of a token with the same question, and the challenges of sign-ins,
 * which others do not supersede; the index by which a token is known as a second factor. The policy of a new
 * installation still gives every right of its scope.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- First of all, as it takes the strongest lock: a lock that grows meanwhile could be in a circle with an answer's.
    ALTER TABLE challenges ADD sign_in boolean NOT NULL DEFAULT false;
    COMMENT ON COLUMN challenges.sign_in IS
      'That of an administrator''s sign-in: only those of other sign-ins supersede it.';

    -- Of the keys that questionKeys (src/ocra/question.ts) makes. One expression, for the token, too: by a column of its
    -- own for the token, a plan for any values would read all of its challenges.
    CREATE INDEX challenges_question_idx ON challenges
      ((hashtextextended(lower(btrim(question, '0') COLLATE "C"), token_id)));

    CREATE INDEX administrators_second_factor_idx ON administrators (second_factor_serial)
      WHERE second_factor_serial IS NOT NULL;

    UPDATE policies SET action = action || ', secondfactor'
    WHERE name = 'ocra-administrators' AND scope = 'ocra' AND action = 'request, status, activationcode, calcOTP';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    UPDATE policies SET action = 'request, status, activationcode, calcOTP'
    WHERE name = 'ocra-administrators' AND action = 'request, status, activationcode, calcOTP, secondfactor';
    ALTER TABLE challenges DROP sign_in;
    DROP INDEX challenges_question_idx;
    DROP INDEX administrators_second_factor_idx;
  `);
}
