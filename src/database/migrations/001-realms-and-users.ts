import type { Knex } from 'knex';

/** The sources of users, the realms that group them, and the interned sets of realms that tokens refer to. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(UP);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(DOWN);
}

const UP = `
  CREATE TABLE resolvers (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT resolvers_pkey PRIMARY KEY,
    name text COLLATE "C" NOT NULL CONSTRAINT resolvers_name_key UNIQUE
      CONSTRAINT resolvers_name_given CHECK (name <> ''),
    kind text NOT NULL CONSTRAINT resolvers_kind_known CHECK (kind IN ('managed', 'passwd', 'sql', 'ldap')),
    settings jsonb NOT NULL DEFAULT '{}',
    is_bounded boolean NOT NULL DEFAULT true,
    secret bytea,
    created_at timestamptz NOT NULL DEFAULT now()
  );
  COMMENT ON COLUMN resolvers.is_bounded IS 'Whether its file must be below RESOLVER_FILE_DIRS: it was not set at the machine.';

  CREATE TABLE users (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT users_pkey PRIMARY KEY,
    resolver_id bigint NOT NULL CONSTRAINT users_resolver_fkey REFERENCES resolvers ON DELETE CASCADE,
    login text COLLATE "C" NOT NULL CONSTRAINT users_login_given CHECK (login <> ''),
    given_name text NOT NULL DEFAULT '',
    surname text NOT NULL DEFAULT '',
    email text NOT NULL DEFAULT '',
    phone text NOT NULL DEFAULT '',
    password_hash text,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT users_resolver_login_key UNIQUE (resolver_id, login)
  );
  -- For users whose name begins with a text, whatever the case and the collation.
  CREATE INDEX users_login_idx ON users (resolver_id, lower(login COLLATE "default") text_pattern_ops);
  CREATE INDEX users_given_name_idx ON users (resolver_id, lower(given_name) text_pattern_ops);
  CREATE INDEX users_surname_idx ON users (resolver_id, lower(surname) text_pattern_ops);
  CREATE INDEX users_email_idx ON users (resolver_id, lower(email) text_pattern_ops);

  CREATE TABLE realms (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT realms_pkey PRIMARY KEY,
    name text COLLATE "C" NOT NULL CONSTRAINT realms_name_key UNIQUE
      CONSTRAINT realms_name_lower CHECK (name = lower(name) AND name <> ''),
    is_default boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE UNIQUE INDEX realms_one_default ON realms (is_default) WHERE is_default;

  CREATE TABLE realm_resolvers (
    realm_id bigint NOT NULL CONSTRAINT realm_resolvers_realm_fkey REFERENCES realms ON DELETE CASCADE,
    resolver_id bigint NOT NULL CONSTRAINT realm_resolvers_resolver_fkey REFERENCES resolvers ON DELETE RESTRICT,
    position integer NOT NULL,
    CONSTRAINT realm_resolvers_pkey PRIMARY KEY (realm_id, resolver_id)
  );
  CREATE INDEX realm_resolvers_resolver_idx ON realm_resolvers (resolver_id);

  CREATE FUNCTION is_sorted_set(ids bigint[]) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT ids = ARRAY(SELECT DISTINCT id FROM unnest(ids) AS id ORDER BY id)
  $$;

  CREATE TABLE realm_sets (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT realm_sets_pkey PRIMARY KEY,
    realm_ids bigint[] NOT NULL CONSTRAINT realm_sets_realm_ids_key UNIQUE
      CONSTRAINT realm_sets_sorted CHECK (is_sorted_set(realm_ids))
  );
  CREATE INDEX realm_sets_realm_ids_gin ON realm_sets USING gin (realm_ids);
  COMMENT ON TABLE realm_sets IS 'Each combination of realms once; the empty one is "no realm".';
  INSERT INTO realm_sets (realm_ids) VALUES ('{}');

  CREATE FUNCTION intern_realm_set(ids bigint[]) RETURNS bigint LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    DECLARE
      wanted bigint[] := ARRAY(SELECT DISTINCT id FROM unnest(ids) AS id ORDER BY id);
      found bigint;
    BEGIN
      SELECT id INTO found FROM realm_sets WHERE realm_ids = wanted;
      IF found IS NULL THEN
        INSERT INTO realm_sets (realm_ids) VALUES (wanted) ON CONFLICT (realm_ids) DO NOTHING;
        SELECT id INTO STRICT found FROM realm_sets WHERE realm_ids = wanted;
      END IF;
      RETURN found;
    END
  $$;
  COMMENT ON FUNCTION intern_realm_set IS
    'Id of a set of realms, which is made on first use. Realm ids are not checked: lock the realms first.';
`;

const DOWN = `
  DROP FUNCTION intern_realm_set(bigint[]);
  DROP TABLE realm_sets;
  DROP FUNCTION is_sorted_set(bigint[]);
  DROP TABLE realm_resolvers;
  DROP TABLE realms;
  DROP TABLE users;
  DROP TABLE resolvers;
`;
