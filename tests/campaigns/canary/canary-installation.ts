import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { testProgram } from '../../support/servers/test-build.ts';
import { CanaryEvidence, CanaryMarks } from './canary-search.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fieldsOf } from '../../../src/operations/shown.ts';
import { metaOf } from '../../../src/operations/input.ts';
import { OPERATION_GROUPS } from '../../../src/operations/operations.ts';
import { EXIT_CODES } from '../../../src/cli/cli-failure.ts';
import {
  type EmbeddedPostgres,
  openEmbeddedPostgres,
} from '../../../src/embedded-postgres/embedded-postgres.ts';
import { postmasterPid } from '../../embedded-postgres/support/serving-process.ts';
import { DatabaseProxy } from '../../support/database/database-proxy.ts';
import { embeddedUrl } from '../../support/database/embedded-url.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import { fileURLToPath } from 'node:url';
import { exampleOf } from '../../support/description/declared-endpoints.ts';
import { container, ocraPackage } from '../../support/values/pskc-documents.ts';

/** The environment of a process. */
interface Surroundings {
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
}

/** A `tankeeper` process. */
class CanaryProcess {
  readonly name: string;
  /** Its output so far, on both streams. */
  output = '';
  /** Its standard output alone. */
  result = '';
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<unknown[]>;

  /** @param input the text for standard input */
  constructor(
    name: string,
    parameters: readonly string[],
    { environment, folder }: Surroundings,
    input: string,
  ) {
    this.name = name;
    this.#child = spawn(process.execPath, [testProgram(), ...parameters], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', ...environment },
    });
    this.#ended = once(this.#child, 'close');
    this.#child.stdin.on('error', () => undefined);
    this.#child.stdin.end(input);
    this.#child.stdout.on('data', (piece: Buffer) => (this.result += piece.toString('utf8')));
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.on('data', (piece: Buffer) => (this.output += piece.toString('utf8')));
    }
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /**
   * @returns the pattern's group in its output, as soon as it is there
   * @throws if it ends before that
   */
  async printed(pattern: RegExp): Promise<string> {
    const over = this.#ended.then(() => true);
    for (;;) {
      const found = pattern.exec(this.output);
      if (found !== null) {
        return found[1] ?? '';
      }
      if (await Promise.race([over, sleep(20, false)])) {
        throw new Error(`${this.name} ended without ${String(pattern)}:\n${this.output}`);
      }
    }
  }

  /** @returns the exit code, null if a signal ended it */
  async end(signal?: NodeJS.Signals): Promise<number | null> {
    if (signal !== undefined) {
      this.#child.kill(signal);
    }
    const [code] = await this.#ended;
    return code as number | null;
  }
}

/** Keeps the arguments, title and environment of a process and of its children. */
function addProcesses(evidence: CanaryEvidence, name: string, pid: number): void {
  for (const each of [pid, ...childrenOf(pid)]) {
    for (const file of ['cmdline', 'comm', 'environ']) {
      evidence.add(`process ${name} ${file}`, read(`/proc/${each}/${file}`));
    }
  }
}

function childrenOf(pid: number): readonly number[] {
  const list = read(`/proc/${pid}/task/${pid}/children`).toString('latin1').trim();
  return list === '' ? [] : list.split(' ').map(Number);
}

/** @returns an empty buffer if the process has ended meanwhile */
function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

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
    const own = { PORT: '0', WIRE_DIALECT: dialect, LOG_FORMAT: format, DRAIN_TIME: '0' };
    const server = new CanaryProcess(dialect, ['serve'], this.surroundings(own), '');
    this.#servers.push(server);
    const port = Number(await server.printed(LISTENING));
    return Object.assign(server, { port });
  }

  /** Runs a command to its end and keeps its output. @returns its output for programs */
  async run(parameters: readonly string[], input = ''): Promise<string> {
    this.#commands += 1;
    const name = parameters
      .filter((parameter) => /^[a-z][a-z-]*$/.test(parameter))
      .slice(0, 3)
      .join(' ');
    const command = new CanaryProcess(name, parameters, this.surroundings(), input);
    addProcesses(this.evidence, `command ${this.#commands}`, command.pid);
    const code = await command.end();
    if (code === EXIT_CODES.usage) {
      throw new Error(`wrong usage: ${name}\n${command.result}`);
    }
    this.evidence.add(`command ${name} (${code === 0 ? 'success' : 'failure'})`, command.output);
    return command.result;
  }

  /** The environment of processes. */
  surroundings(own: Readonly<Record<string, string>> = {}): Surroundings {
    return { environment: { ...this.#environment, ...own }, folder: join(this.folder, 'work') };
  }

  /** Keeps the data that other users can see of running processes. */
  async addProcesses(servers: readonly CanaryServer[]): Promise<void> {
    for (const server of servers) {
      addProcesses(this.evidence, `server ${server.name}`, server.pid);
    }
    addProcesses(this.evidence, 'postgres', (await postmasterPid(this.#cluster())) ?? 0);
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

/** The program of util-linux that runs a command at a terminal. */
const TERMINAL = 'script';

const PROGRAM = fileURLToPath(new URL('../../../bin/tankeeper.js', import.meta.url));

/** @returns a new API token with all rights */
export async function makeApiToken(installation: CanaryInstallation): Promise<string> {
  const parameters = ['api-token', 'add', 'admin', 'portal', '*', '--json'];
  const { token } = JSON.parse(await installation.run(parameters)) as { token: string };
  return installation.marks.note('API token', 'of the portal', token);
}

/** Adds users of the resolvers `staff` and `passwords`. @returns the password of the latter */
export async function addUsers(installation: CanaryInstallation): Promise<string> {
  const password = installation.marks.text('password', 'of a user');
  const file = ['--password-file', installation.secretFile(password)];
  await Promise.all([
    ...['alice', 'anna'].map((user) => installation.run(['user', 'add', user, 'staff'])),
    ...SERVERS.map(({ dialect }) =>
      installation.run(['user', 'add', `${dialect}-bert`, 'passwords', ...file]),
    ),
  ]);
  return password;
}

/** Runs the commands of all operations with a secret in their schema, with its examples, in the database's present state. */
export async function useOperations(installation: CanaryInstallation): Promise<void> {
  const operations = OPERATION_GROUPS.flatMap((group) => group.operations);
  await Promise.all(
    operations.map(async (operation) => {
      const { name, input, onlyServed } = operation;
      const fields = fieldsOf(input).map(([field, schema]) => ({ field, schema, meta: metaOf(schema) }));
      const secrets = fields.filter(({ meta }) => meta.secret);
      if (secrets.length === 0 || onlyServed === true) {
        return;
      }
      const words = fields.filter(
        ({ schema, meta }) =>
          meta.secret !== true && meta.given !== 'option' && !schema.safeParse(undefined).success,
      );
      await installation.run([
        ...name.split(' '),
        ...words.map(({ schema }) => exampleOf(schema) ?? ''),
        ...secrets.flatMap(({ field }) => [
          `--${field.replaceAll('_', '-')}-file`,
          installation.secretFile(installation.marks.text('password', `${field} of the command ${name}`)),
        ]),
        ...('asks' in operation ? ['--yes'] : []),
      ]);
    }),
  );
}

/** Runs the other commands that take, make or show secrets. */
export async function useCommands(installation: CanaryInstallation): Promise<void> {
  const { marks } = installation;
  const key = marks.bytes('token key', 'of a command', 32);
  const secrets = {
    'otpkey-file': key.toString('hex'),
    'pin-file': marks.text('token PIN', 'of a command'),
    'ocra-pin-file': marks.text('OCRA PIN', 'of a command'),
  };
  const files = Object.entries(secrets).flatMap(([name, secret]) => [
    `--${name}`,
    installation.secretFile(secret),
  ]);
  await installation.run(['token', 'init', '--serial', 'CLI1', '--suite', CANARY_PIN_SUITE, ...files]);
  const made = await installation.run(['token', 'init', '--serial', 'CLI2', '--generate', '--json']);
  marks.noteHex('token key', 'made by a command', (JSON.parse(made) as { otpkey: string }).otpkey);
  const file = container({ packages: ocraPackage('CLI3', CANARY_PIN_SUITE, key) });
  const password = marks.text('key file password', 'of a file that has none');
  await installation.run(['import', 'pskc', installation.secretFile(file), '--password-file', '-'], password);
  await installation.run(['key', 'add']);
  await installation.run(['config']);
}

/** Runs the commands that show the audit trail, to people and to programs. */
export async function showAudit(installation: CanaryInstallation): Promise<void> {
  await installation.run(['audit', 'search', '--json', '--limit', '1000']);
  await installation.run(['audit', 'export', '--output', '-']);
}

/**
 * Types a password at a terminal, at two prompts.
 * @returns false if the machine has no program `script` to make a terminal
 */
export async function typeAtPrompt(installation: CanaryInstallation): Promise<boolean> {
  const password = installation.marks.word('password', 'at a prompt');
  const { environment, folder } = installation.surroundings();
  const command = `'${process.execPath}' '${PROGRAM}' admin add dora`;
  const child = spawn(TERMINAL, ['-qec', command, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ...environment },
  });
  let shown = '';
  let typed = 0;
  child.stdout.on('data', (piece: Buffer) => {
    shown += piece.toString('utf8');
    if ((shown.match(/The password( again)?: /g) ?? []).length > typed) {
      typed += 1;
      child.stdin.write(`${password}\r`);
    }
  });
  const failed = once(child, 'error').then(() => false);
  const ended = await Promise.race([once(child, 'close').then(() => true), failed]);
  installation.evidence.add('command at a terminal', shown);
  return ended && shown.includes('dora');
}
