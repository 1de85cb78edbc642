import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { UNSHARED } from '../../../src/database/prepared-statements.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import { HistoryClient, now } from './client.ts';
import type { ConfigurationKey, HistoryRecord, Operation } from './operations.ts';
import { COUNTER_SUITE, type Names, TIME_SUITE, TOKENS, USERS } from './random-steps.ts';
import type { Ask } from './stored-facts.ts';

const REALM = 'bank';
const KEYS = ['a1'.repeat(32), 'b2'.repeat(32)] as const;
const SETTINGS: Readonly<Record<ConfigurationKey, string>> = {
  OcraMaxChallenges: '4',
  OcraMaxChallengeRequests: '3',
  OcraChallengeTimeout: '1200',
  AutoResync: 'False',
  DefaultMaxFailCount: '4',
  DefaultSyncWindow: '30',
};

/**
 * Two servers with one clock that a test sets, on one database, each with connections of its own, over HTTP. Requests
 * share statements in the first.
 */
export class TwoServers {
  readonly client: HistoryClient;
  readonly #applications: readonly TestApplication[];
  readonly #servers: readonly Server[];
  readonly #beginning: Date;
  #runs = 0;

  private constructor(applications: readonly TestApplication[], servers: readonly Server[], bearer: string) {
    this.#applications = applications;
    this.#servers = servers;
    this.#beginning = this.#first.clock.now();
    this.client = new HistoryClient({ credentials: { bearer }, realm: REALM, clock: () => this.now });
  }

  /** @param options of the application, such as a fault */
  static async open(options: Parameters<typeof TestApplication.open>[0] = {}): Promise<TwoServers> {
    const here = await TestApplication.open(options);
    const applications = [here, here.beside(UNSHARED)];
    await here.addRealm(REALM, USERS);
    const granted = { name: 'history', rights: ['*'] };
    const { token } = await here.services.administrators.addApiToken(OPERATOR, 'admin', granted);
    const servers = await Promise.all(applications.map(({ app }) => listen(createServer(app))));
    return new TwoServers(applications, servers, token);
  }

  async close(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    for (const application of [...this.#applications].reverse()) {
      await application.close();
    }
  }

  get databaseUrl(): string {
    return this.#first.databaseUrl;
  }

  /** Seconds. */
  get now(): number {
    return this.#first.clock.now().getTime() / 1_000;
  }

  readonly ask: Ask = (sql, values) => queryOnce(this.databaseUrl, sql, values);

  get #first(): TestApplication {
    const [first] = this.#applications;
    if (first === undefined) {
      throw new Error('There is no server');
    }
    return first;
  }

  /** Begins a new history: one token for each user, and an unassigned one with a clock. @returns its names */
  async begin(): Promise<Names> {
    this.#runs += 1;
    const run = `RUN${this.#runs}`;
    this.client.records.length = 0;
    this.#first.clock.set(this.#beginning);
    await queryOnce(this.databaseUrl, 'DELETE FROM tokens');
    await this.#first.services.settings.set(OPERATOR, new Map(Object.entries(SETTINGS)));
    for (const [key, value] of Object.entries(SETTINGS) as [ConfigurationKey, string][]) {
      this.#note({ op: 'configure', args: { key, value } }, true);
    }
    const keys = KEYS.map((key) => this.client.learn(Buffer.from(key, 'hex')));
    const serial = (token: number): string => `${run}-${token}`;
    for (let token = 0; token < TOKENS; token += 1) {
      const user = USERS[token];
      const suite = token < USERS.length ? COUNTER_SUITE : TIME_SUITE;
      const owner = user === undefined ? {} : { user };
      // Without drawing the QR code of the answer, which is most of the time of an enrolment.
      await this.#first.enrolPlain(serial(token), suite, {
        otpkey: KEYS[token % KEYS.length] ?? '',
        ...(user !== undefined && { user, realm: REALM }),
      });
      const args = { serial: serial(token), suite, key: keys[token % keys.length] ?? '', ...owner };
      this.#note({ op: 'enrol', args }, true);
    }
    return { serial, keys };
  }

  wait(seconds: number): void {
    this.#first.clock.advance(seconds);
  }

  async perform(operation: Operation, server: number, client?: string): Promise<HistoryRecord> {
    if (operation.op === 'housekeeping') {
      await this.#first.services.housekeeping.run(OPERATOR, true);
      return this.#note(operation, true);
    }
    const { port } = this.#servers[server % this.#servers.length]?.address() as AddressInfo;
    return this.client.perform(operation, `http://127.0.0.1:${port}`, client);
  }

  #note(operation: Operation, answer: boolean): HistoryRecord {
    return this.client.note(operation, { client: 'test', invoked: now(), outcome: 'ok', answer });
  }
}

async function listen(server: Server): Promise<Server> {
  // As the true server: on a slow machine a connection may be idle for longer than Node's five seconds.
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
