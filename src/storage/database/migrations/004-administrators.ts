import type { Knex } from 'knex';

/** Administrators, and their API tokens and sessions, which are kept as hashes only. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(UP);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(DOWN);
}

const UP = `
  CREATE TABLE administrators (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT administrators_pkey PRIMARY KEY,
    name text COLLATE "C" NOT NULL CONSTRAINT administrators_name_key UNIQUE
      CONSTRAINT administrators_name_given CHECK (name <> ''),
    password_hash text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE UNIQUE INDEX administrators_name_caseless ON administrators (lower(name COLLATE "default"));

  CREATE TABLE api_tokens (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT api_tokens_pkey PRIMARY KEY,
    administrator_id bigint NOT NULL
      CONSTRAINT api_tokens_administrator_fkey REFERENCES administrators ON DELETE CASCADE,
    name text COLLATE "C" NOT NULL CONSTRAINT api_tokens_name_given CHECK (name <> ''),
    token_hash bytea NOT NULL CONSTRAINT api_tokens_token_hash_key UNIQUE,
    rights text[] NOT NULL CONSTRAINT api_tokens_rights_given CHECK (cardinality(rights) > 0),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    CONSTRAINT api_tokens_administrator_name_key UNIQUE (administrator_id, name)
  );

  CREATE TABLE sessions (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT sessions_pkey PRIMARY KEY,
    administrator_id bigint NOT NULL
      CONSTRAINT sessions_administrator_fkey REFERENCES administrators ON DELETE CASCADE,
    session_hash bytea NOT NULL CONSTRAINT sessions_session_hash_key UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz
  );
  CREATE INDEX sessions_administrator_idx ON sessions (administrator_id);
  CREATE INDEX sessions_expires_idx ON sessions (expires_at);
  CREATE INDEX sessions_revoked_idx ON sessions (id) WHERE revoked_at IS NOT NULL;
`;

const DOWN = `
  DROP TABLE sessions;
  DROP TABLE api_tokens;
  DROP TABLE administrators;
`;
