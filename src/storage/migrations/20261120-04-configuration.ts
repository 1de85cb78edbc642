import type { Knex } from 'knex';

const WATCHED = ['resolvers', 'realms', 'realm_resolvers', 'policies', 'configuration'];

/** Policies, configuration values, and the revision that tells every server when one of them has changed. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE policies (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT policies_pkey PRIMARY KEY,
      name text COLLATE "C" NOT NULL CONSTRAINT policies_name_key UNIQUE CONSTRAINT policies_name_given CHECK (name <> ''),
      scope text NOT NULL
        CONSTRAINT policies_scope_known CHECK (scope IN ('admin', 'system', 'monitoring', 'ocra', 'authentication')),
      action text NOT NULL,
      realm text NOT NULL,
      username text NOT NULL,
      client text NOT NULL,
      time text NOT NULL,
      active boolean NOT NULL DEFAULT true
    );

    CREATE TABLE configuration (
      key text COLLATE "C" NOT NULL CONSTRAINT configuration_pkey PRIMARY KEY CONSTRAINT configuration_key_given CHECK (key <> ''),
      value text NOT NULL,
      type text,
      description text,
      secret bytea
    );

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
        RETURN NULL;
      END
    $$;
    COMMENT ON FUNCTION note_configuration_change IS 'Whoever changes the configuration, even by hand: every server notices.';
  `);
  for (const table of WATCHED) {
    await knex.raw(
      `CREATE TRIGGER ${table}_note_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON ${table}
         FOR EACH STATEMENT EXECUTE FUNCTION note_configuration_change()`,
    );
  }
  await knex('policies').insert({
    name: 'ocra-administrators',
    scope: 'ocra',
    action: 'request, status, activationcode, calcOTP',
    realm: '*',
    username: '*',
    client: '',
    time: '',
  });
}

export async function down(knex: Knex): Promise<void> {
  for (const table of WATCHED) {
    await knex.raw(`DROP TRIGGER ${table}_note_change ON ${table}`);
  }
  await knex.raw(`
    DROP FUNCTION note_configuration_change();
    DROP TABLE configuration_state;
    DROP TABLE configuration;
    DROP TABLE policies;
  `);
}
