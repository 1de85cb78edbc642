import type { Knex } from 'knex';

/** Self-service of users: its sessions, and the scope of its policies. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE policies DROP CONSTRAINT policies_scope_known,
      ADD CONSTRAINT policies_scope_known
        CHECK (scope IN ('admin', 'system', 'monitoring', 'ocra', 'authentication', 'selfservice') OR NOT active);
    CREATE TABLE user_sessions (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT user_sessions_pkey PRIMARY KEY,
      session_hash bytea NOT NULL CONSTRAINT user_sessions_hash_key UNIQUE,
      token_id bigint NOT NULL CONSTRAINT user_sessions_token_fkey REFERENCES tokens ON DELETE CASCADE,
      owner_resolver_id bigint NOT NULL,
      owner_user_id text COLLATE "C" NOT NULL,
      login text NOT NULL,
      realm text COLLATE "C" NOT NULL,
      transaction_id text COLLATE "C",
      is_open boolean NOT NULL DEFAULT false,
      expires_at timestamptz NOT NULL,
      ends_at timestamptz NOT NULL,
      CONSTRAINT user_sessions_asked CHECK (is_open OR transaction_id IS NOT NULL)
    );
    COMMENT ON TABLE user_sessions IS 'Sign-ins of users at /app/account under way, and the sessions that they open.';
    COMMENT ON COLUMN user_sessions.token_id IS 'The token that signs in; its owner must stay the same.';
    COMMENT ON COLUMN user_sessions.transaction_id IS
      'The challenge that confirms the sign-in or, of an open session, its next act. NULL: none is asked.';
    COMMENT ON COLUMN user_sessions.expires_at IS 'Moves with each request, up to ends_at.';
    CREATE INDEX user_sessions_token_idx ON user_sessions (token_id);
    CREATE INDEX user_sessions_owner_idx ON user_sessions (owner_resolver_id, owner_user_id);
    CREATE INDEX user_sessions_expires_idx ON user_sessions (expires_at);
  `);
}

/** Policies of the scope stay, inactive. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE user_sessions;
    UPDATE policies SET active = false WHERE scope = 'selfservice';
    ALTER TABLE policies DROP CONSTRAINT policies_scope_known,
      ADD CONSTRAINT policies_scope_known
        CHECK (scope IN ('admin', 'system', 'monitoring', 'ocra', 'authentication') OR NOT active);
  `);
}
