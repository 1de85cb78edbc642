import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT_CODES } from '../../../src/cli/cli-failure.ts';
import {
  type EmbeddedPostgres,
  openEmbeddedPostgres,
} from '../../../src/embedded-postgres/embedded-postgres.ts';
import { readPostmasterFile } from '../../../src/embedded-postgres/postmaster.ts';
import { CanaryEvidence } from './canary-evidence.ts';
import { CanaryMarks } from './canary-marks.ts';
import { addProcesses, CanaryProcess } from './canary-process.ts';
import { DatabaseProxy } from '../../support/database/database-proxy.ts';
import { embeddedUrl } from '../../support/database/embedded-url.ts';
import { queryOnce } from '../../support/database/test-server.ts';

/** PostgreSQL logs every statement with all of its values, and every row in its error messages. */
const TALKATIVE = {
  log_statement: 'all',
  log_min_messages: 'debug1',
  log_min_error_statement: 'debug1',
  log_error_verbosity: 'verbose',
  log_parameter_max_length: '-1',
  log_parameter_max_length_on_error: '-1',
  log_duration: 'on',
};

/** A suite of ten digits: fewer could occur in any number. */
export const CANARY_PIN_SUITE = 'OCRA-1:HOTP-SHA512-10:C-QA64-PSHA1';

/** The two servers of the test: each with a dialect and a format of the log. */
export const SERVERS = [
  { dialect: 'documented', format: 'json' },
  { dialect: 'linotp', format: 'text' },
] as const;

/** The line in either format of the log; with the character after the port, as a chunk of output may end anywhere. */
const LISTENING = /Listening\b.*?:(\d+)[,}\s]/;

export type CanaryServer = CanaryProcess & { readonly port: number };

/** A database that logs everything, servers at their highest log level, and folders of their own. */
export class CanaryInstallation {
  readonly marks = new CanaryMarks();
  readonly evidence = new CanaryEvidence();
  readonly folder: string;
  readonly adminPassword: string;
  readonly url: string;
  readonly proxy: DatabaseProxy;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #postgres: EmbeddedPostgres;
  readonly #servers: CanaryProcess[] = [];
  #commands = 0;

  private constructor(folder: string, postgres: EmbeddedPostgres, proxy: DatabaseProxy) {
    this.folder = folder;
    this.#postgres = postgres;
    this.url = embeddedUrl(postgres.connection);
    this.proxy = proxy;
    this.adminPassword = this.marks.text('password', 'of the first administrator');
    const url = new URL(proxy.url);
    url.password = this.marks.word('database password', 'in DATABASE_URL');
    this.#environment = {
      DATABASE_URL: url.href,
      DATA_DIR: join(folder, 'server'),
      TMPDIR: join(folder, 'tmp'),
      HOME: join(folder, 'home'),
      LOG_LEVEL: 'debug',
      DATABASE_STATEMENT_TIMEOUT: '4S',
      ADMIN_PASSWORD_FILE: this.secretFile(this.adminPassword),
      TRUST_PROXY: 'loopback',
      HOUSEKEEPING_INTERVAL: '2',
      LIMIT_CLIENT_FAILURES: '5',
      LIMIT_CLIENT_REQUESTS: '100000',
    };
  }

  static async open(): Promise<CanaryInstallation> {
    const folder = mkdtempSync(join(tmpdir(), 'tankeeper-leaks-'));
    // Under root PostgreSQL runs as another user, who must be able to pass the folder.
    chmodSync(folder, 0o711);
    for (const name of ['tmp', 'home', 'work', 'secrets']) {
      mkdirSync(join(folder, name));
    }
    const quiet = {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: () => undefined,
    };
    const postgres = await openEmbeddedPostgres({
      dataDir: join(folder, 'data'),
      sharedFolder: join(folder, 'shared'),
      role: 'command',
      durable: false,
      log: quiet,
    });
    const url = embeddedUrl(postgres.connection);
    for (const [name, value] of Object.entries(TALKATIVE)) {
      await queryOnce(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${name} = '${value}'`);
    }
    return new CanaryInstallation(folder, postgres, await DatabaseProxy.start(url));
  }

  /** @returns a file that holds the secret */
  secretFile(secret: string): string {
    const folder = join(this.folder, 'secrets');
    const file = join(folder, String(readdirSync(folder).length));
    writeFileSync(file, secret, { mode: 0o600 });
    return file;
  }

  /** Starts a server, and waits until it listens. */
  async serve({ dialect, format }: (typeof SERVERS)[number]): Promise<CanaryServer> {
    const environment = {
      ...this.#environment,
      PORT: '0',
      WIRE_DIALECT: dialect,
      LOG_FORMAT: format,
      DRAIN_TIME: '0',
    };
    const server = new CanaryProcess(
      dialect,
      ['serve'],
      { environment, folder: join(this.folder, 'work') },
      '',
    );
    this.#servers.push(server);
    const port = Number(await server.printed(LISTENING));
    return Object.assign(server, { port });
  }

  /** Runs a command to its end and keeps its output. @returns its output for programs */
  async run(
    parameters: readonly string[],
    input = '',
    more: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    this.#commands += 1;
    const surroundings = {
      environment: { ...this.#environment, ...more },
      folder: join(this.folder, 'work'),
    };
    const name = parameters
      .filter((parameter) => /^[a-z][a-z-]*$/.test(parameter))
      .slice(0, 3)
      .join(' ');
    const command = new CanaryProcess(name, parameters, surroundings, input);
    addProcesses(this.evidence, `command ${this.#commands}`, command.pid);
    const code = await command.end();
    if (code === EXIT_CODES.usage) {
      throw new Error(`wrong usage: ${name}\n${command.result}`);
    }
    this.evidence.add(`command ${name} (${code === 0 ? 'success' : 'failure'})`, command.output);
    return command.result;
  }

  /** The environment for processes that a test starts itself. */
  get surroundings(): { readonly environment: Readonly<Record<string, string>>; readonly folder: string } {
    return { environment: this.#environment, folder: join(this.folder, 'work') };
  }

  /** Keeps the data that other users can see of running processes. */
  async addProcesses(servers: readonly CanaryServer[]): Promise<void> {
    for (const server of servers) {
      addProcesses(this.evidence, `server ${server.name}`, server.pid);
    }
    const postmaster = await readPostmasterFile(this.#cluster());
    addProcesses(this.evidence, 'postgres', postmaster?.pid ?? 0);
    const running = await queryOnce(this.url, 'SELECT activity::text FROM pg_stat_activity AS activity');
    this.evidence.add('process postgres activity', JSON.stringify(running));
  }

  /** Keeps all rows of all tables, each with its bytes in hexadecimal digits. @returns the names of the tables */
  async addTables(): Promise<readonly string[]> {
    const tables = await queryOnce<{ name: string }>(
      this.url,
      `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE c.relkind IN ('r', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')`,
    );
    for (const { name } of tables) {
      const rows = await queryOnce<{ row: string }>(this.url, `SELECT t::text AS row FROM ${name} AS t`);
      this.evidence.add(`table ${name}`, rows.map(({ row }) => row).join('\n'));
    }
    return tables.map(({ name }) => name);
  }

  /** Stops the database, and keeps its log, its files and all others. */
  async close(): Promise<void> {
    await queryOnce(this.url, 'CHECKPOINT');
    await this.proxy.stop();
    const cluster = this.#cluster();
    await this.#postgres.close();
    const keys = readFileSync(join(this.folder, 'server', 'encryption.key'), 'utf8');
    for (const [key] of keys.matchAll(/^[\w+/]{43}=/gm)) {
      this.marks.note('encryption key', 'in the key file', Buffer.from(key, 'base64'));
    }
    const isLog = (path: string): boolean => path.endsWith('postgres.log');
    this.#addFiles('log postgres', cluster, isLog);
    this.#addFiles('file database', cluster, (path) => !isLog(path));
    for (const name of ['tmp', 'home', 'work', 'server']) {
      this.#addFiles(`file ${name}`, join(this.folder, name), () => true);
    }
  }

  /** Ends running processes, and removes all folders. */
  async remove(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.end('SIGKILL')));
    await this.proxy.stop();
    await this.#postgres.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #addFiles(place: string, folder: string, isMeant: (path: string) => boolean): void {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && isMeant(path)) {
        this.evidence.add(`${place} ${path.slice(folder.length + 1)}`, readFileSync(path));
      }
    }
  }

  #cluster(): string {
    return join(this.folder, 'data', 'postgres');
  }
}
