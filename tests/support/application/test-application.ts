import { afterAll, beforeAll } from '@jest/globals';
import type { AuditPageRequest } from '../../../src/audit/audit-reading.ts';
import type { AuditRow } from '../../../src/audit/audit-row.ts';
import type { SingleSignOnSettings } from '../../../src/administrators/single-sign-on-service.ts';
import { statementsOf } from '../database/sql-tap.ts';
import type { Express } from 'express';
import type { Knex } from 'knex';
import type { Caller } from '../../../src/policy/caller.ts';
import type { PolicyDraft } from '../../../src/policy/policy.ts';
import { appMetrics, buildGuards } from '../../../src/compose/http-server.ts';
import { buildServices, type Services } from '../../../src/services.ts';
import { loadConfig, type Config } from '../../../src/config/config.ts';
import type { Log, LogFields } from '../../../src/kernel/log.ts';
import type { AnswerCheck } from '../description/answer-check.ts';
import { createDescribedApp } from '../description/described-app.ts';
import { basic } from '../values/callers.ts';
import type { DialectName } from '../../../src/http/dialects/dialect.ts';
import type { Readiness } from '../../../src/http/controllers/operations-controller.ts';
import type { Guards } from '../../../src/http/limits/guards.ts';
import type { AppConfig } from '../../../src/http/served-endpoints.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { systemRandom } from '../../../src/kernel/system-random.ts';
import { decimalTransactionIds, hexTransactionIds } from '../../../src/challenges/challenge-factory.ts';
import { computeResponse, timeStepAt } from '../../../src/ocra/compute.ts';
import { computeDecline, type DeclineKind } from '../../../src/ocra/decline.ts';
import { questionOf } from '../values/asked-question.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import type { Responder } from '../../../src/ocra/verify.ts';
import { ServiceMetrics } from '../../../src/observability/metrics.ts';
import { openDatabase } from '../../../src/database/database.ts';
import { SHARING } from '../../../src/database/prepared-statements.ts';
import type { PasswordHasher } from '../../../src/users/password-hash.ts';
import { testKeys } from './test-keys.ts';
import { createTestDatabase, type TestDatabase } from '../database/test-database.ts';
import request, { type Response } from 'supertest';
import type { AdministratorService } from '../../../src/administrators/administrator-service.ts';

/** A clock that stands still until a test sets it. */
export class TestClock {
  #now = new Date('2026-11-20T12:00:00Z');
  now(): Date {
    return this.#now;
  }
  set(time: Date): void {
    this.#now = time;
  }
  advance(seconds: number): void {
    this.#now = new Date(this.#now.getTime() + seconds * 1000);
  }
}

/** A challenge as a portal gets it. */
export interface PortalChallenge {
  readonly transactionid: string;
  readonly question: string;
  readonly url: string;
}

/** A transaction's entry in checkstatus. */
export interface StatusEntry {
  readonly serial: string;
  readonly transactionid: string;
  readonly received_tan: boolean;
  readonly valid_tan: boolean;
  readonly failcount: number;
  readonly declined?: string;
}

/** How a request ended. */
export interface Result<Value = unknown> {
  readonly status: boolean;
  readonly value?: Value;
  readonly error?: { readonly code: number; readonly message: string };
}

export const OPERATOR: Caller = {
  principal: { administrator: 'test', operator: true, rights: ['*'], client: '' },
  requestId: 'test',
};

export const PASSWORD = 'correct horse';
/** The credentials of the administrator `admin`. */
export const AS_ADMIN = { Authorization: basic('admin', PASSWORD) };

export interface LogLine {
  readonly level: keyof Log;
  readonly message: string;
  readonly fields: LogFields;
}

/** The key of every token that `enrolPlain` makes. */
const KEY = Buffer.from('12345678901234567890123456789012', 'ascii');

/** Hashes that are none, for tests without an interest in the time they take. */
export const QUICK_HASHER: PasswordHasher = {
  hash: (password) => Promise.resolve(`test:${password}`),
  verify: (hash, password) => Promise.resolve(hash === `test:${password}`),
  verifyNothing: () => Promise.resolve(false),
  isForeign: () => false,
};

const CONFIG = loadConfig({});

type Method = 'get' | 'post';

interface TestApplicationOptions {
  readonly dialect?: DialectName;
  /** Seconds. */
  readonly resolverTimeout?: number;
  /** Folders of files that may be named over HTTP; default: none. */
  readonly resolverFileDirs?: readonly string[];
  /** Milliseconds for which a read of the configuration holds; default 0: each request reads it. */
  readonly configurationWindow?: number;
  /** Hashes passwords; default: a quick hash. */
  readonly hasher?: PasswordHasher;
  /** Differences from the default limits, which exempt the clients of most tests. */
  readonly limits?: Partial<Config['limits']>;
  readonly trustProxy?: readonly string[];
  /** Computes the expected responses; default `respond`. */
  readonly responder?: Responder;
  /** Milliseconds between two looks for requests that wait; default: that of a server. */
  readonly statusPoll?: number;
  /** The provider of single sign-on; default: none. */
  readonly singleSignOn?: SingleSignOnSettings;
  /** The address of the server in browsers; default: none. */
  readonly publicUrl?: string;
  /** Differences from the configuration of the HTTP interface. */
  readonly http?: Partial<AppConfig>;
  /** Guards in place of those of a server. */
  readonly guards?: Partial<Guards>;
  /** What /readyz asks; default: it is ready. */
  readonly readiness?: () => Promise<Readiness>;
  /** The description of the answers; default: the app's own. */
  readonly check?: AnswerCheck;
  /** Waits some milliseconds; default: not at all. */
  readonly pause?: (milliseconds: number) => Promise<unknown>;
  /** Puts a fault into the services, for tests of tests. */
  readonly spoil?: (services: Services) => Services;
}

const DEFAULTS = {
  dialect: 'documented',
  resolverTimeout: 30,
  resolverFileDirs: [],
  trustProxy: [],
  hasher: QUICK_HASHER,
  configurationWindow: 0,
} as const satisfies TestApplicationOptions;

/**
 * The whole server without its socket: real database, real services, real HTTP handling; only the clock is a test's.
 */
export class TestApplication {
  readonly clock: TestClock;
  readonly services: Services;
  readonly app: Express;
  readonly databaseUrl: string;
  readonly lines: LogLine[] = [];
  readonly metrics: ServiceMetrics;
  readonly #database: TestDatabase;
  readonly #options: TestApplicationOptions;
  readonly #beside: TestApplication[] = [];
  #closing: Promise<void> | undefined;
  #bearer = '';

  private constructor(database: TestDatabase, clock: TestClock, options: TestApplicationOptions) {
    this.#database = database;
    this.#options = options;
    this.databaseUrl = database.url;
    this.clock = clock;
    this.metrics = new ServiceMetrics({ clock });
    const at =
      (level: keyof Log) =>
      (message: string, fields: LogFields = {}): void => {
        this.lines.push({ level, message, fields });
      };
    const log = { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
    const all = { ...DEFAULTS, ...options };
    const { dialect, trustProxy, spoil } = all;
    const services = buildServices({
      database: database.database,
      keys: testKeys(),
      hasher: all.hasher,
      clock,
      random: systemRandom,
      log,
      transactionIds: dialect === 'linotp' ? decimalTransactionIds : hexTransactionIds,
      sessionLifetime: 3600,
      publicUrl: options.publicUrl,
      singleSignOn: options.singleSignOn,
      configurationWindow: all.configurationWindow,
      resolverTimeout: all.resolverTimeout,
      resolverFileDirs: all.resolverFileDirs,
      challengeRetention: 604_800,
      passwordsAtOnce: 2,
      statusWaits: options.limits?.statusWaits ?? 500,
      statusPoll: options.statusPoll,
      responder: options.responder,
      metrics: this.metrics,
      examined: CONFIG,
    });
    this.services = spoil?.(services) ?? services;
    const guards = buildGuards({
      trustProxy,
      database: database.database,
      metrics: this.metrics,
      log,
      limits: { ...CONFIG.limits, ...options.limits },
      clock: systemClock,
    });
    this.app = createDescribedApp(
      {
        services: this.services,
        readiness: options.readiness ?? (() => Promise.resolve('ready')),
        config: {
          trustProxy,
          dialect,
          serviceVersion: dialect === 'documented' ? 'Tankeeper test' : undefined,
          monitoringPost: 'on',
          ...options.http,
        },
        metrics: appMetrics(this.metrics, this.services.monitoring),
        guards: { ...guards, ...options.guards },
        log,
        clock,
        random: systemRandom,
        pause: options.pause ?? (() => Promise.resolve()),
      },
      options.check,
    );
  }

  /** The database of the server, for looks and changes by hand. */
  get sql(): Knex {
    return this.#database.database.knex;
  }

  /** Runs a statement over a connection of its own. @returns its rows */
  rows: TestDatabase['rows'] = (sql, values) => this.#database.rows(sql, values);

  /** The lines of the log, as text. */
  get logged(): readonly string[] {
    return this.lines.map(({ message, fields }) => JSON.stringify({ message, ...fields }));
  }

  static async open(options: TestApplicationOptions = {}): Promise<TestApplication> {
    const application = new TestApplication(await createTestDatabase(), new TestClock(), options);
    await application.#addAdministrator();
    return application;
  }

  /**
   * @param changes of the configuration from then on
   * @returns the same server after a restart: over the same database, without any other state
   */
  restarted(changes: TestApplicationOptions = {}): TestApplication {
    const again = new TestApplication(this.#database, this.clock, { ...this.#options, ...changes });
    again.#bearer = this.#bearer;
    return again;
  }

  /** @returns another server over the same database with connections of its own, which ends with this one */
  beside(sharing = SHARING): TestApplication {
    const database = openDatabase({ connection: this.databaseUrl, applicationName: 'test', sharing });
    const own = { ...this.#database, database, drop: () => database.close() };
    const other = new TestApplication(own, this.clock, this.#options);
    this.#beside.push(other);
    return other;
  }

  async #addAdministrator(): Promise<void> {
    await this.services.administrators.ensureFirstAdministrator(PASSWORD);
    this.#bearer = await this.apiToken('test', ['*']);
  }

  /** @returns a new API token of an administrator */
  async apiToken(name: string, rights: readonly string[], administrator = 'admin'): Promise<string> {
    const draft = { name, rights: [...rights] };
    return (await this.services.administrators.addApiToken(OPERATOR, administrator, draft)).token;
  }

  /** Also those beside it; a second call does nothing. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await Promise.all(this.#beside.map((other) => other.close()));
    await this.services.waitingRequests.end();
    await this.services.auditVerification.stop();
    await this.services.closeSources();
    await this.#database.drop();
  }

  /** @returns the statements that reached the database meanwhile */
  statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
    return statementsOf(work);
  }

  /** Sends a request as the administrator `admin`. */
  async asAdmin(
    path: string,
    parameters: Record<string, string>,
    method: Method = 'post',
  ): Promise<Response> {
    return this.send(path, parameters, method).set('Authorization', `Bearer ${this.#bearer}`);
  }

  /** As `asAdmin`. @returns the result in the answer */
  async ask(path: string, parameters: Record<string, string> = {}, method: Method = 'post'): Promise<Result> {
    return ((await this.asAdmin(path, parameters, method)).body as { result: Result }).result;
  }

  /** Sends a request without credentials. */
  send(path: string, parameters: Record<string, string>, method: Method = 'post'): request.Test {
    return method === 'get'
      ? request(this.app).get(path).query(parameters)
      : request(this.app).post(path).type('form').send(parameters);
  }

  /** Adds a managed resolver, a realm of the same name over it, and its users. */
  async addRealm(name: string, logins: readonly string[] = []): Promise<void> {
    await this.setResolver(name, 'managed');
    await this.services.realms.set(OPERATOR, { name, resolvers: [name] });
    for (const login of logins) {
      await this.addUser(login, name);
    }
  }

  /** Adds a user of whom nothing but the login is known, and perhaps the password. */
  async addUser(login: string, resolver: string, password?: string): Promise<void> {
    const names = { givenName: '', surname: '', email: '', phone: '' };
    await this.services.users.add(OPERATOR, { resolver, login, password, ...names });
  }

  async setResolver(
    name: string,
    kind: string,
    settings: Readonly<Record<string, string>> = {},
    secret?: string | null,
  ): Promise<void> {
    await this.services.resolvers.set(OPERATOR, {
      name,
      kind,
      settings,
      ...(secret !== undefined && { secret }),
    });
  }

  /** Makes an administrator anew: nothing is left of an earlier test. */
  async renewAdministrator(name: string, password: string): Promise<void> {
    const { administrators } = this.services;
    if ((await administrators.list()).some((one) => one.name === name)) {
      await administrators.remove(OPERATOR, name);
    }
    await administrators.add(OPERATOR, name, password);
  }

  /** Stores a policy, of all realms unless one is named. */
  async setPolicy(
    name: string,
    scope: string,
    action: string,
    more: Partial<PolicyDraft> = {},
  ): Promise<void> {
    await this.services.policies.set(OPERATOR, { name, scope, action, realm: '*', ...more });
  }

  /** @returns rows of the audit, newest first */
  async auditRows(filter: AuditPageRequest): Promise<readonly AuditRow[]> {
    return (await this.services.auditReading.page(OPERATOR, filter)).rows;
  }

  async enrolPlain(serial: string, ocrasuite: string, more: Record<string, string> = {}): Promise<void> {
    await this.services.enrolment.init(OPERATOR, {
      type: 'ocra',
      serial,
      ocrasuite,
      otpkey: KEY.toString('hex'),
      ...more,
    });
  }

  async challenge(serial: string, data = ''): Promise<PortalChallenge> {
    const { body } = (await this.asAdmin('/ocra/request', { serial, data })) as {
      body: { detail?: { transactionid: string; data: string } };
    };
    if (body.detail === undefined) {
      throw new Error(`no challenge: ${JSON.stringify(body)}`);
    }
    return {
      transactionid: body.detail.transactionid,
      question: questionOf(body.detail.data),
      url: body.detail.data,
    };
  }

  /** @returns the value of /ocra/check_t */
  async check(transactionid: string, pass: string, method: Method = 'post'): Promise<unknown> {
    const { body } = (await this.send('/ocra/check_t', { transactionid, pass }, method)) as {
      body: { result: { value: unknown } };
    };
    return body.result.value;
  }

  async status(parameters: Record<string, string>): Promise<readonly StatusEntry[]> {
    const { body } = (await this.asAdmin('/ocra/checkstatus', parameters)) as {
      body: { result: { value: readonly StatusEntry[] } };
    };
    return body.result.value;
  }

  /** @returns the response of the customer's device */
  respond(
    suite: string,
    question: string,
    { counter = 0n, pin = '', key = KEY }: { counter?: bigint; pin?: string; key?: Buffer } = {},
  ): string {
    const parsed = parseOcraSuite(suite);
    return computeResponse(parsed, key, {
      question,
      counter,
      pin,
      timeStep: timeStepAt(parsed, this.clock.now()),
    });
  }

  /** @returns the decline of the customer's device */
  decline(
    suite: string,
    transactionId: string,
    question: string,
    kind: DeclineKind,
    key: Uint8Array = KEY,
  ): string {
    return computeDecline(parseOcraSuite(suite), key, { question, transactionId }, kind);
  }
}

/**
 * @param options are read at once, before any hook: what a hook makes is not in them yet
 * @returns a server for the tests of the file or the `describe` that calls this, which ends after them
 */
export function applicationOfTests(options?: TestApplicationOptions): TestApplication {
  let opened: TestApplication | undefined;
  beforeAll(async () => {
    opened = await TestApplication.open(options);
  });
  afterAll(() => opened?.close());
  return new Proxy(Object.create(TestApplication.prototype) as TestApplication, {
    get: (_, name): unknown => {
      if (opened === undefined) {
        throw new Error('There is no server before the tests begin');
      }
      const method: unknown = Object.getOwnPropertyDescriptor(TestApplication.prototype, name)?.value;
      return method instanceof Function ? method.bind(opened) : Reflect.get(opened, name, opened);
    },
  });
}

/** @returns another response of the same length */
export function wrongResponse(right: string): string {
  return right.replace(/.$/, (last) => String((Number(last) + 1) % 10));
}

/** Administrators whose rights are those of one policy each. */
export class BoundedAdministrators {
  readonly #application: TestApplication;
  /** API tokens by the administrator's name. */
  readonly #bearers = new Map<string, string>();

  private constructor(application: TestApplication) {
    this.#application = application;
  }

  /** Leaves all rights to the administrator `admin`. */
  static async of(application: TestApplication): Promise<BoundedAdministrators> {
    const administrators = new BoundedAdministrators(application);
    await application.setPolicy('all', 'admin', '*', { user: 'admin' });
    return administrators;
  }

  /**
   * @param action a comma list of actions of the scope admin
   * @param realm a comma list of realms, or `*`
   */
  async add(name: string, action: string, realm: string): Promise<void> {
    const { administrators } = this.#application.services;
    await administrators.add(OPERATOR, name, 'correct horse battery');
    this.#bearers.set(name, await this.#application.apiToken('test', ['*'], name));
    await this.#application.setPolicy(name, 'admin', action, { user: name, realm });
  }

  /** @returns the result of a request by GET, of `admin` unless another one is named */
  async ask(path: string, parameters: Record<string, string>, as?: string): Promise<Result> {
    return as === undefined
      ? this.#application.ask(path, parameters, 'get')
      : ((await this.get(as, path, parameters)).body as { result: Result }).result;
  }

  /** Sends a request by GET. */
  async get(name: string, path: string, parameters: Readonly<Record<string, string>>): Promise<Response> {
    return this.#send(name, path, parameters, 'get');
  }

  /** Sends a request by POST. */
  async post(name: string, path: string, parameters: Readonly<Record<string, string>>): Promise<Response> {
    return this.#send(name, path, parameters, 'post');
  }

  #send(
    name: string,
    path: string,
    parameters: Readonly<Record<string, string>>,
    method: Method,
  ): request.Test {
    const bearer = `Bearer ${this.#bearers.get(name) ?? ''}`;
    return this.#application.send(path, { ...parameters }, method).set('Authorization', bearer);
  }
}

/** Opens a session with the password, just proven. @throws if the password is wrong */
export async function openSession(
  administrators: Pick<AdministratorService, 'authenticatePassword' | 'openSession'>,
  name: string,
  password: string,
): Promise<{ readonly session: string; readonly expiresAt: Date }> {
  const proven = await administrators.authenticatePassword(name, password);
  const opened = proven && (await administrators.openSession(proven));
  if (opened === undefined) {
    throw new Error(`There is no session for ${name}`);
  }
  return opened;
}
