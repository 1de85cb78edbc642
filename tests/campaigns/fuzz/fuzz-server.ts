import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { computeResponse } from '../../../src/ocra/compute.ts';
import { questionOf } from '../../support/values/asked-question.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import type { KnownFacts } from './fuzz-values.ts';
import {
  runTankeeper,
  type ServerProcess,
  startServerProcess,
} from '../../support/servers/server-process.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import { PATIENCE_MS } from '../../support/values/until.ts';

const ADMINISTRATOR = { name: 'admin', password: 'an administrator of the fuzzer' };
const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QN08');
const USERS = ['alice', 'anna', 'bert', 'dave', 'erin', 'frank'];
/** Scopes of policies that keep the rights of administrators, whatever policies requests make. */
const KEEPERS = ['ocra', 'admin', 'system', 'monitoring'];

/** Output that the process must not print. */
const INCIDENT = /"level":"error"|request failed|\(node:\d+\)|Unhandled|Uncaught|^\s+at .*:\d+:\d+/im;

/**
 * A module loaded into the process first: at SIGUSR2 it collects its garbage and prints the remaining memory. A
 * collection may release objects for the next one; in between the event loop releases closed sockets.
 */
const PROBE = `
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
process.on('SIGUSR2', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  for (let round = 0; round < 4; round += 1) {
    collect();
    await sleep(100);
  }
  process.stdout.write(JSON.stringify({ fuzzMemory: process.memoryUsage() }) + '\\n');
});
`;

/** Memory of a process, in bytes. */
export type Memory = NodeJS.MemoryUsage;

/** A server process with a database of its own, users, tokens, sessions: everything that requests can reach. */
export class FuzzServer {
  readonly process: ServerProcess;
  readonly port: number;
  readonly dataFolder: string;
  readonly #database: TestDatabase;
  readonly #apiToken: string;
  readonly #passwdFile: string;
  #stopped: Promise<number | null> | undefined;

  private constructor(process: ServerProcess, database: TestDatabase, folder: string, apiToken: string) {
    this.process = process;
    this.port = Number(new URL(process.baseUrl).port);
    this.dataFolder = folder;
    this.#database = database;
    this.#apiToken = apiToken;
    // Beside the data folder: administrators can see its name, and no client may see that of the data folder.
    this.#passwdFile = passwdFileOf(folder);
  }

  /** @param folder a new one, for the server's files */
  static async start(folder: string, environment: Readonly<Record<string, string>>): Promise<FuzzServer> {
    mkdirSync(folder);
    const database = await createTestDatabase();
    const password = join(folder, 'password');
    writeFileSync(password, ADMINISTRATOR.password);
    mkdirSync(dirname(passwdFileOf(folder)));
    writeFileSync(
      passwdFileOf(folder),
      USERS.map((name, at) => `${name}:x:${at + 1}:1:${name}::\n`).join(''),
    );
    const own = { DATABASE_URL: database.url, DATA_DIR: folder, ...environment };
    const process = await startServerProcess({
      ...own,
      ADMIN_PASSWORD_FILE: password,
      RESOLVER_TIMEOUT: '3S',
      RESOLVER_FILE_DIRS: dirname(passwdFileOf(folder)),
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PROBE)}`,
    });
    const made = await runTankeeper(['api-token', 'add', ADMINISTRATOR.name, 'fuzz', '*'], own);
    const apiToken = /tk_[\w-]{20,}/.exec(made.output)?.[0];
    if (apiToken === undefined) {
      throw new Error(`No API token:\n${made.output}`);
    }
    return new FuzzServer(process, database, folder, apiToken);
  }

  /** Reverts changes of the configuration by requests, and adds new tokens, transactions, sessions. */
  async prepare(): Promise<KnownFacts> {
    await this.#clear();
    // What the schemas name as examples.
    for (const [path, parameters] of [
      ['/system/setResolver', { name: 'staff', type: 'managed' }],
      ...USERS.map((login) => ['/admin/user/add', { resolver: 'staff', login }] as const),
      ['/system/setRealm', { realm: 'customers', resolvers: 'staff' }],
      ['/system/setRealm', { realm: 'office', resolvers: 'staff' }],
      ['/system/setRealm', { realm: 'staff', resolvers: 'staff' }],
      ['/system/setDefaultRealm', { realm: 'customers' }],
      ['/system/setResolver', { name: 'directory', type: 'passwd', fileName: this.#passwdFile }],
      ['/admin/webhook/add', { name: 'siem', url: 'https://receiver.invalid/' }],
      ['/system/setPolicy', { name: 'helpdesk', scope: 'ocra', action: 'status', realm: '*', user: '*' }],
      ['/system/setConfig', { key: 'OcraMaxChallenges', value: '4' }],
      ['/admin/init', { type: 'ocra', serial: 'QR1', genkey: '1' }],
      ['/admin/init', { type: 'ocra', serial: 'QR2', genkey: '1' }],
    ] as const) {
      await this.#admin(path, parameters);
    }
    const transactions = [];
    for (const [at, user] of USERS.entries()) {
      transactions.push(await this.#transaction(`FUZZ${at}`, user));
    }
    return {
      administrator: ADMINISTRATOR,
      apiToken: this.#apiToken,
      session: await this.#session(),
      spareSession: await this.#session(),
      login: await this.#login(),
      passwdFile: this.#passwdFile,
      transactions,
    };
  }

  /** The memory of the process after garbage collection. */
  async memory(): Promise<Memory> {
    const reported = (): readonly string[] =>
      [...this.process.output().matchAll(/\{"fuzzMemory":(\{[^}]*\})\}/g)].map(([, text = '']) => text);
    const before = reported().length;
    this.process.process.kill('SIGUSR2');
    const deadline = performance.now() + PATIENCE_MS;
    while (performance.now() < deadline) {
      const text = reported()[before];
      if (text !== undefined) {
        return JSON.parse(text) as Memory;
      }
      await sleep(50);
    }
    throw new Error('The process does not tell its memory');
  }

  /** @returns forbidden output, undefined if there is none */
  incident(): string | undefined {
    const output = this.process.output();
    const found = INCIDENT.exec(output);
    return found === null
      ? undefined
      : output.slice(found.index - 200 < 0 ? 0 : found.index - 200, found.index + 2_000);
  }

  /** @returns the exit code after SIGTERM */
  stop(): Promise<number | null> {
    this.#stopped ??= this.process.stop().then(async ({ code }) => {
      await this.#database.drop();
      return code;
    });
    return this.#stopped;
  }

  async #clear(): Promise<void> {
    const { url } = this.#database;
    await queryOnce(url, 'DELETE FROM policies');
    for (const scope of KEEPERS) {
      await queryOnce(
        url,
        `INSERT INTO policies (name, scope, action, realm, username, client, time) VALUES ($1, $2, '*', '*', '*', '', '')`,
        [`keeper-${scope}`, scope],
      );
    }
    await queryOnce(url, 'DELETE FROM configuration');
    await queryOnce(url, 'DELETE FROM webhooks');
    await queryOnce(url, 'DELETE FROM users');
  }

  async #transaction(serial: string, user: string): Promise<KnownFacts['transactions'][number]> {
    const key = randomBytes(32);
    await this.#admin('/admin/unassign', { user }, true);
    await this.#admin('/admin/init', {
      type: 'ocra',
      serial,
      otpkey: key.toString('hex'),
      ocrasuite: SUITE.text,
      pin: '',
    });
    await this.#admin('/admin/assign', { serial, user });
    const { detail = {} } = await this.#admin('/ocra/request', { serial, data: '12345678' });
    const url = Object.values(detail).find((text) => String(text).startsWith('lseqr://req'));
    const question = questionOf(String(url));
    const tan = computeResponse(SUITE, key, { question, counter: 0n });
    return { transactionid: String(detail.transactionid), serial, user, tan };
  }

  async #admin(
    path: string,
    parameters: Record<string, string>,
    mayFail = false,
  ): Promise<{ readonly detail?: Readonly<Record<string, unknown>> }> {
    const response = await fetch(`${this.process.baseUrl}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.#apiToken}` },
      body: new URLSearchParams(parameters),
    });
    const text = await response.text();
    const answer = JSON.parse(text) as {
      result: { status: boolean };
      detail?: Readonly<Record<string, unknown>>;
    };
    if (!answer.result.status && !mayFail) {
      throw new Error(`${path} does not work: ${text}\n${this.incident() ?? ''}`);
    }
    return answer;
  }

  async #session(): Promise<string> {
    const basic = Buffer.from(`${ADMINISTRATOR.name}:${ADMINISTRATOR.password}`).toString('base64');
    const response = await fetch(`${this.process.baseUrl}/admin/getsession`, {
      headers: { Authorization: `Basic ${basic}` },
    });
    return cookie(response, 'admin_session');
  }

  async #login(): Promise<KnownFacts['login']> {
    const response = await fetch(`${this.process.baseUrl}/admin/login`, {
      method: 'POST',
      body: new URLSearchParams({ username: ADMINISTRATOR.name, password: ADMINISTRATOR.password }),
    });
    return {
      token: cookie(response, 'access_token_cookie'),
      csrfToken: cookie(response, 'csrf_access_token'),
    };
  }
}

function passwdFileOf(folder: string): string {
  return join(`${folder}-users`, 'passwd');
}

function cookie(response: Response, name: string): string {
  const value = new RegExp(`${name}=([^;]+)`).exec(response.headers.getSetCookie().join('\n'))?.[1];
  if (value === undefined) {
    throw new Error(`No cookie ${name}: ${response.status}`);
  }
  return value;
}
