import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sealed, Vault } from '../../../src/keys/vault.ts';
import { systemRandom } from '../../../src/kernel/system-random.ts';
import { computeResponse } from '../../../src/ocra/compute.ts';
import { questionOf } from '../../support/values/asked-question.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { SEALED_TABLES } from '../../../src/keys/resealing-store.ts';
import {
  type ProcessEnd,
  runTankeeper,
  type ServerProcess,
  startServerProcess,
} from '../../support/servers/server-process.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { until } from '../../support/values/until.ts';

const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QN08');
const KEY = '31'.repeat(32);
const PASSWORD = 'correct horse battery';

interface Envelope {
  readonly result: { readonly value?: unknown; readonly error?: unknown };
  readonly detail?: Readonly<Record<string, string>>;
}

/** A key as `tankeeper key list --count --json` shows it. */
export interface ListedKey {
  readonly key_id: string;
  readonly state: string;
  readonly secrets: number;
}

/** Servers on one database whose keys change. */
export class KeyInstallation {
  readonly folder = mkdtempSync(join(tmpdir(), 'tankeeper-keys-'));
  readonly test: TestDatabase;
  readonly environment: Record<string, string>;
  readonly #servers: ServerProcess[] = [];
  #bearer: Promise<string> | undefined;

  private constructor(test: TestDatabase, more: Record<string, string>) {
    this.test = test;
    const passwordFile = join(this.folder, 'password');
    writeFileSync(passwordFile, PASSWORD);
    this.environment = {
      DATABASE_URL: test.url,
      DATA_DIR: this.folder,
      ENCRYPTION_KEY_FILE: this.keyFile,
      ADMIN_PASSWORD_FILE: passwordFile,
      LIMIT_CLIENT_REQUESTS: '100000',
      ...more,
    };
  }

  static async create(more: Record<string, string> = {}): Promise<KeyInstallation> {
    return new KeyInstallation(await createTestDatabase({ schema: 'empty' }), more);
  }

  get keyFile(): string {
    return join(this.folder, 'encryption.key');
  }

  /** @returns a copy of the key file as it is now, as on another machine */
  copyKeyFile(name: string): string {
    const copy = join(this.folder, name);
    copyFileSync(this.keyFile, copy);
    return copy;
  }

  /** Takes the line of a key out of the file, as an operator does. */
  takeFromFile(keyId: string): void {
    const lines = readFileSync(this.keyFile, 'utf8').split('\n');
    const place = lines.indexOf(`# Key ${keyId}`);
    writeFileSync(this.keyFile, lines.toSpliced(place, 2).join('\n'));
  }

  async start(more: Record<string, string> = {}): Promise<ServerProcess> {
    const server = await startServerProcess({ ...this.environment, ...more });
    this.#servers.push(server);
    this.#bearer ??= this.#addApiToken();
    await this.#bearer;
    return server;
  }

  async #addApiToken(): Promise<string> {
    const { output } = await this.run('--json', 'api-token', 'add', 'admin', 'test', '*');
    return /tk_[\w-]{43}/.exec(output)?.[0] ?? '';
  }

  /** Sends SIGHUP to the servers. @returns when they have logged what came of it */
  async readKeys(...servers: readonly ServerProcess[]): Promise<void> {
    const count = (server: ServerProcess): number =>
      server.output().split(/"The encryption keys (?:were|cannot be) read/).length;
    for (const server of servers) {
      const before = count(server);
      server.process.kill('SIGHUP');
      await until(() => count(server) > before);
    }
  }

  run(...words: readonly string[]): Promise<ProcessEnd> {
    return runTankeeper(words, this.environment);
  }

  /** Runs a command that must succeed. @returns the JSON that it printed */
  async json<T>(...words: readonly string[]): Promise<T> {
    const { code, output } = await this.run('--json', ...words);
    if (code !== 0) {
      throw new Error(output);
    }
    return JSON.parse(output.slice(output.search(/^[[{]\n/m))) as T;
  }

  keys(): Promise<readonly ListedKey[]> {
    return this.json<readonly ListedKey[]>('key', 'list', '--count');
  }

  async ask(server: ServerProcess, path: string, parameters: Record<string, string> = {}): Promise<Envelope> {
    const response = await fetch(`${server.baseUrl}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${(await this.#bearer) ?? ''}` },
      body: new URLSearchParams(parameters),
    });
    return (await response.json()) as Envelope;
  }

  async enrol(server: ServerProcess, serial: string, more: Record<string, string> = {}): Promise<unknown> {
    const given = { type: 'ocra', serial, otpkey: KEY, ocrasuite: SUITE.text, ...more };
    return (await this.ask(server, '/admin/init', given)).result.value;
  }

  /** Runs a whole transaction, for which the token's key must be opened. @param servers that ask and answer */
  async confirm(
    servers: readonly [ServerProcess, ServerProcess],
    serial: string,
    counter: number,
  ): Promise<unknown> {
    const issued = await this.ask(servers[0], '/ocra/request', { serial, data: '' });
    const question = questionOf(issued.detail?.data ?? '');
    const pass = computeResponse(SUITE, Buffer.from(KEY, 'hex'), { question, counter: BigInt(counter) });
    const { transactionid = '' } = issued.detail ?? {};
    const { result } = await this.ask(servers[1], '/ocra/check_t', { transactionid, pass });
    return result.value ?? result.error ?? issued.result.error;
  }

  /** @returns the cookie of a login with the password */
  async logIn(server: ServerProcess): Promise<string> {
    const response = await fetch(`${server.baseUrl}/admin/login`, {
      method: 'POST',
      body: new URLSearchParams({ username: 'admin', password: PASSWORD }),
    });
    return response.headers
      .getSetCookie()
      .map((line) => line.slice(0, line.indexOf(';')))
      .join('; ');
  }

  async isLoggedIn(server: ServerProcess, cookie: string): Promise<boolean> {
    const response = await fetch(`${server.baseUrl}/monitoring/config`, { headers: { Cookie: cookie } });
    return response.status === 200;
  }

  vault(): Vault {
    const lines = readFileSync(this.keyFile, 'utf8').split('\n');
    const keys = lines.filter((line) => /^[A-Za-z0-9+/]{43}=$/.test(line));
    return new Vault({ keys: keys.map((key) => Buffer.from(key, 'base64')), random: systemRandom });
  }

  /**
   * @throws if a secret of the database does not open with the keys of the file
   * @returns their number
   */
  async openAll(): Promise<number> {
    const vault = this.vault();
    let opened = 0;
    for (const { table, subject, secrets } of SEALED_TABLES) {
      const rows = await this.test.database
        .knex(table)
        .select<Record<string, Buffer | string | null>[]>(subject, ...Object.keys(secrets));
      for (const row of rows) {
        for (const [column, purpose] of Object.entries(secrets)) {
          const sealed = row[column];
          if (Buffer.isBuffer(sealed)) {
            vault.open(sealed as Sealed, purpose, String(row[subject]));
            opened += 1;
          }
        }
      }
    }
    return opened;
  }

  async seedsOfOtherKeys(keyId: string): Promise<number> {
    const others = this.test.database
      .knex('tokens')
      .whereRaw("encode(substr(seed, 2, 8), 'hex') <> ?", [keyId])
      .count<{ count: string }[]>();
    return Number((await others)[0]?.count);
  }

  /** Stores tokens with nothing but a key, many at once. */
  async load(count: number): Promise<void> {
    const vault = this.vault();
    const rows = Array.from({ length: count }, (_, index) => {
      const serial = `LOADED${index}`;
      const seed = vault.seal(Buffer.from(KEY, 'hex'), 'seed', serial);
      return { serial, type: 'ocra', active: true, realm_set_id: 1, seed, algorithm: SUITE.text };
    });
    await this.test.database.knex.batchInsert('tokens', rows, 1_000);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.splice(0).map((server) => server.stop()));
  }

  async remove(): Promise<void> {
    await this.stop();
    await this.test.drop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
