import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  RecordedLicences,
  recordedPolicies,
  recordedResolvers,
  recordedState,
} from './monitoring-fixture.ts';
import type { ReplayServer } from './replay-server.ts';
import { reachOf } from '../support/servers/sql-resolver.ts';
import {
  OPERATOR,
  PASSWORD,
  QUICK_HASHER,
  type TestApplication,
} from '../support/application/test-application.ts';
import { insertTokens } from '../support/database/token-rows.ts';

/** Beside `admin`. */
const ADMINISTRATORS = ['helpdesk', 'restricted', 'noread'];
/** Seven users, as the SQL table had that was dropped while the recording went on. */
const BROKEN_USERS = ['sql1', 'sql2', 'sql3', 'sql4', 'sql5', 'sql6', 'sql7'];
const BROKEN_REALM = 'brokenrealm';
/** The place of the tables of the SQL resolvers. */
const SCHEMA = 'recorded';

/** The configuration of the recorded server, put up on another one step by step as the recording goes on. */
export class MonitoringReplayState {
  readonly #application: TestApplication;
  readonly #folder: string;
  readonly #licences: RecordedLicences;
  #phase = '';

  private constructor({ application, folder }: ReplayServer) {
    this.#application = application;
    this.#folder = folder;
    this.#licences = new RecordedLicences(application);
  }

  /** Realms, users, tokens and administrators; no policy yet. */
  static async putUp(server: ReplayServer): Promise<MonitoringReplayState> {
    const { services, sql } = server.application;
    const state = new MonitoringReplayState(server);
    for (const name of ADMINISTRATORS) {
      await services.administrators.add(OPERATOR, name, PASSWORD);
    }
    // Shorter than ours have to be, as recorded.
    await sql('administrators').update({ password_hash: await QUICK_HASHER.hash('secret') });
    for (const { name, kind, users, limit } of recordedResolvers()) {
      await (kind === 'passwd' ? state.#addPasswd(name, users) : state.#addSql(name, users, limit));
    }
    const { realms, tokens } = recordedState();
    for (const realm of realms) {
      await services.realms.set(OPERATOR, realm);
    }
    await insertTokens({ knex: sql }, tokens);
    await state.#setPolicies('');
    return state;
  }

  /** Changes the configuration to what it was when the exchange of that name was recorded. */
  async prepare(name: string): Promise<void> {
    await this.#licences.prepare(name);
    const phase = /^(?:pol\d+|errors_cfg|broken)/.exec(name)?.[0] ?? '';
    if (phase !== this.#phase) {
      await this.#leave();
      this.#phase = phase;
      await this.#setPolicies(name);
      if (phase === 'errors_cfg') {
        await this.#application.services.settings.set(OPERATOR, new Map([['errors', '410,707']]));
      }
    }
    if (phase === 'broken') {
      await this.#breakResolver(name);
    }
  }

  async #leave(): Promise<void> {
    const { settings: configuration, realms } = this.#application.services;
    if (this.#phase === 'errors_cfg') {
      await configuration.remove(OPERATOR, 'errors');
    }
    if (this.#phase === 'broken') {
      await realms.remove(OPERATOR, BROKEN_REALM);
    }
  }

  async #setPolicies(name: string): Promise<void> {
    const { policies } = this.#application.services;
    for (const old of await policies.list()) {
      await policies.remove(OPERATOR, old.name);
    }
    for (const policy of recordedPolicies(name)) {
      await policies.set(OPERATOR, policy);
    }
  }

  /** A realm of two resolvers, the first of which breaks by losing its file or its table. */
  async #breakResolver(name: string): Promise<void> {
    const isPasswd = name.includes('passwd');
    const resolver = isPasswd ? 'passwdbroken' : 'sqlbroken';
    await (isPasswd ? this.#addPasswd(resolver, BROKEN_USERS) : this.#addSql(resolver, BROKEN_USERS));
    const resolvers = [resolver, 'passwdshared'];
    await this.#application.services.realms.set(OPERATOR, { name: BROKEN_REALM, resolvers });
    if (!name.includes('before')) {
      await (isPasswd
        ? rm(this.#fileOf(resolver))
        : this.#application.sql.schema.withSchema(SCHEMA).dropTable(resolver));
    }
  }

  async #addPasswd(name: string, users: readonly string[]): Promise<void> {
    const lines = users.map((user, index) => `${user}:x:${1000 + index}:100:${user}::`);
    await writeFile(this.#fileOf(name), `${lines.join('\n')}\n`);
    await this.#application.setResolver(name, 'passwd', { fileName: this.#fileOf(name) });
  }

  /** A table of the recorded users, beside the tables of the server. */
  async #addSql(name: string, users: readonly string[], limit = 1_000): Promise<void> {
    const knex = this.#application.sql;
    await knex.raw('CREATE SCHEMA IF NOT EXISTS ??', [SCHEMA]);
    await knex.schema.withSchema(SCHEMA).dropTableIfExists(name);
    await knex.schema.withSchema(SCHEMA).createTable(name, (table) => {
      table.text('id').primary();
      table.text('user');
    });
    await knex(name)
      .withSchema(SCHEMA)
      .insert(users.map((user) => ({ id: user, user })));
    const { reach, password } = reachOf(this.#application.databaseUrl);
    const settings = {
      ...reach,
      Password: password,
      Table: `${SCHEMA}.${name}`,
      Map: '{"userid": "id", "username": "user"}',
      Limit: String(limit),
    };
    await this.#application.setResolver(name, 'sql', settings);
  }

  #fileOf(resolver: string): string {
    return join(this.#folder, `${resolver}.passwd`);
  }
}
