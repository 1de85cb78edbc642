import type { Knex } from 'knex';

/** Policies, configuration values, the licence, and the revision by which every server notices a change of any of them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(UP);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(DOWN);
}

const UP = `
  CREATE TABLE policies (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT policies_pkey PRIMARY KEY,
    name text COLLATE "C" NOT NULL CONSTRAINT policies_name_key UNIQUE
      CONSTRAINT policies_name_given CHECK (name <> ''),
    scope text NOT NULL,
    action text NOT NULL,
    realm text NOT NULL,
    username text NOT NULL,
    client text NOT NULL,
    time text NOT NULL,
    active boolean NOT NULL DEFAULT true,
    -- An inactive policy may come from another server, which had more scopes.
    CONSTRAINT policies_scope_known
      CHECK (scope IN ('admin', 'system', 'monitoring', 'ocra', 'authentication') OR NOT active)
  );
  INSERT INTO policies (name, scope, action, realm, username, client, time)
  VALUES ('ocra-administrators', 'ocra', 'request, status, activationcode, calcOTP', '*', '*', '', '');

  CREATE TABLE configuration (
    key text COLLATE "C" NOT NULL CONSTRAINT configuration_pkey PRIMARY KEY
      CONSTRAINT configuration_key_given CHECK (key <> ''),
    value text NOT NULL,
    type text,
    description text,
    secret bytea
  );

  CREATE TABLE licence (
    singleton boolean NOT NULL DEFAULT true CONSTRAINT licence_pkey PRIMARY KEY
      CONSTRAINT licence_single CHECK (singleton),
    text text NOT NULL,
    installed_at timestamptz NOT NULL DEFAULT now()
  );
  COMMENT ON TABLE licence IS 'The signed licence, at most one. A change by hand breaks its signature.';

  CREATE TABLE configuration_state (
    singleton boolean NOT NULL DEFAULT true CONSTRAINT configuration_state_pkey PRIMARY KEY
      CONSTRAINT configuration_state_single CHECK (singleton),
    revision bigint NOT NULL,
    changed_at timestamptz NOT NULL
  );
  INSERT INTO configuration_state (revision, changed_at) VALUES (1, now());

  CREATE FUNCTION note_configuration_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      UPDATE configuration_state SET revision = revision + 1, changed_at = clock_timestamp();
      -- Equal notices of one transaction are one. The channel belongs to the database, which may have several schemas.
      PERFORM pg_notify('tankeeper_configuration', TG_TABLE_SCHEMA);
      RETURN NULL;
    END
  $$;
  COMMENT ON FUNCTION note_configuration_change IS
    'Raises the revision by which every server notices a change of the configuration, also one by hand.';
  CREATE TRIGGER resolvers_note_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON resolvers
    FOR EACH STATEMENT EXECUTE FUNCTION note_configuration_change();
  CREATE TRIGGER realms_note_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON realms
    FOR EACH STATEMENT EXECUTE FUNCTION note_configuration_change();
  CREATE TRIGGER realm_resolvers_note_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON realm_resolvers
    FOR EACH STATEMENT EXECUTE FUNCTION note_configuration_change();
  CREATE TRIGGER policies_note_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON policies
    FOR EACH STATEMENT EXECUTE FUNCTION note_configuration_change();
  CREATE TRIGGER configuration_note_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON configuration
    FOR EACH STATEMENT EXECUTE FUNCTION note_configuration_change();
`;

const DOWN = `
  DROP FUNCTION note_configuration_change() CASCADE;
  DROP TABLE configuration_state;
  DROP TABLE licence;
  DROP TABLE configuration;
  DROP TABLE policies;
`;
