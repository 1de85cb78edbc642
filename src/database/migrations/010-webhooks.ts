import type { Knex } from 'knex';

/** Receivers of events, the events that wait for them, and the deliveries of each event to each receiver. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(UP);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(DOWN);
}

const UP = `
  CREATE TABLE webhooks (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT webhooks_pkey PRIMARY KEY,
    name text COLLATE "C" NOT NULL CONSTRAINT webhooks_name_key UNIQUE
      CONSTRAINT webhooks_name_given CHECK (name <> ''),
    url text NOT NULL,
    allows_http boolean NOT NULL,
    is_bounded boolean NOT NULL DEFAULT true,
    events text[] NOT NULL,
    realms text[] NOT NULL,
    is_enabled boolean NOT NULL DEFAULT true,
    secret bytea NOT NULL,
    previous_secret bytea,
    previous_until timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT webhooks_previous_whole CHECK ((previous_secret IS NULL) = (previous_until IS NULL))
  );
  COMMENT ON COLUMN webhooks.is_bounded IS 'Added over HTTP: only at a public address.';
  COMMENT ON COLUMN webhooks.events IS 'The types of the events that it gets.';
  COMMENT ON COLUMN webhooks.realms IS 'The realms of the tokens whose events it gets; empty: all tokens.';
  COMMENT ON COLUMN webhooks.previous_secret IS 'Signs beside the secret that has replaced it, until previous_until.';

  CREATE TABLE webhook_events (
    id uuid NOT NULL DEFAULT gen_random_uuid() CONSTRAINT webhook_events_pkey PRIMARY KEY,
    type text NOT NULL,
    realms text[] NOT NULL,
    occurred_at timestamptz NOT NULL,
    data text NOT NULL
  );
  COMMENT ON TABLE webhook_events IS
    'The outbox: events of committed acts. A dispatcher makes deliveries of them and removes them.';
  COMMENT ON COLUMN webhook_events.data IS 'The JSON that is sent, as it is.';
  CREATE INDEX webhook_events_occurred_at ON webhook_events (occurred_at);

  CREATE TABLE webhook_deliveries (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT webhook_deliveries_pkey PRIMARY KEY,
    webhook_id bigint NOT NULL
      CONSTRAINT webhook_deliveries_webhook_fkey REFERENCES webhooks ON DELETE CASCADE,
    event_id uuid NOT NULL,
    type text NOT NULL,
    occurred_at timestamptz NOT NULL,
    data text NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    first_attempt_at timestamptz,
    last_failure text NOT NULL DEFAULT '',
    given_up_at timestamptz,
    CONSTRAINT webhook_deliveries_once UNIQUE (webhook_id, event_id)
  );
  COMMENT ON TABLE webhook_deliveries IS
    'What has not been delivered yet. A server that tries moves next_attempt_at to the end of its claim.';
  CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at) WHERE given_up_at IS NULL;
  CREATE INDEX webhook_deliveries_given_up ON webhook_deliveries (given_up_at) WHERE given_up_at IS NOT NULL;
  CREATE INDEX webhook_deliveries_first_attempt_at ON webhook_deliveries (first_attempt_at)
    WHERE given_up_at IS NULL AND first_attempt_at IS NOT NULL;

  CREATE TABLE webhook_health (
    webhook_id bigint NOT NULL CONSTRAINT webhook_health_pkey PRIMARY KEY
      CONSTRAINT webhook_health_webhook_fkey REFERENCES webhooks ON DELETE CASCADE,
    delivered bigint NOT NULL DEFAULT 0,
    last_success_at timestamptz,
    last_failure_at timestamptz,
    last_failure text NOT NULL DEFAULT ''
  );
  COMMENT ON TABLE webhook_health IS 'The last results of each receiver. Apart from it: its row is configuration.';

  CREATE FUNCTION hold_sealing_keys_of_webhook() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      IF NEW.secret IS DISTINCT FROM OLD.secret AND NEW.secret IS NOT NULL THEN
        PERFORM hold_sealing_key(NEW.secret);
      END IF;
      IF NEW.previous_secret IS DISTINCT FROM OLD.previous_secret AND NEW.previous_secret IS NOT NULL THEN
        PERFORM hold_sealing_key(NEW.previous_secret);
      END IF;
      RETURN NEW;
    END
  $$;
  CREATE TRIGGER webhooks_sealing_key_insert BEFORE INSERT ON webhooks
    FOR EACH ROW EXECUTE FUNCTION hold_sealing_keys_of_webhook();
  CREATE TRIGGER webhooks_sealing_key_update BEFORE UPDATE OF secret, previous_secret ON webhooks
    FOR EACH ROW EXECUTE FUNCTION hold_sealing_keys_of_webhook();
  CREATE TRIGGER webhooks_note_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON webhooks
    FOR EACH STATEMENT EXECUTE FUNCTION note_configuration_change();
`;

const DOWN = `
  DROP TABLE webhook_health;
  DROP TABLE webhook_deliveries;
  DROP TABLE webhook_events;
  DROP TABLE webhooks;
  DROP FUNCTION hold_sealing_keys_of_webhook();
`;
