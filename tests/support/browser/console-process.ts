import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../database/test-database.ts';
import { queryOnce } from '../database/test-server.ts';
import { type ServerProcess, startServerProcess } from '../servers/server-process.ts';
import { PASSWORD } from './console-site.ts';

const BASIC = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;

/** A built server with the console, in a process of its own, whose `admin` has the password of the console's tests. */
export class ConsoleProcess {
  readonly #database: TestDatabase;
  readonly #folder: string;
  readonly #environment: Readonly<Record<string, string>>;
  #server: ServerProcess;

  private constructor(
    database: TestDatabase,
    folder: string,
    environment: Readonly<Record<string, string>>,
    server: ServerProcess,
  ) {
    this.#database = database;
    this.#folder = folder;
    this.#environment = environment;
    this.#server = server;
  }

  /** @param further variables of its environment */
  static async start(further: Readonly<Record<string, string>> = {}): Promise<ConsoleProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'tankeeper-console-'));
    const database = await createTestDatabase();
    await writeFile(join(folder, 'password'), PASSWORD);
    const environment = {
      DATABASE_URL: database.url,
      DATA_DIR: join(folder, 'data'),
      ADMIN_PASSWORD_FILE: join(folder, 'password'),
      ...further,
    };
    return new ConsoleProcess(database, folder, environment, await startServerProcess(environment));
  }

  /** Without a slash at its end. The same after `restart`. */
  get origin(): string {
    return this.#server.baseUrl;
  }

  /** Ends the process as a crash does: without a last word to anybody. */
  async kill(): Promise<void> {
    const ended = once(this.#server.process, 'close');
    this.#server.process.kill('SIGKILL');
    await ended;
  }

  /** Starts it again, on the same port, with the same database and folder. */
  async restart(): Promise<void> {
    const { port } = new URL(this.origin);
    this.#server = await startServerProcess({ ...this.#environment, PORT: port });
  }

  /** Adds a token by a request. */
  async enrol(serial: string): Promise<void> {
    const response = await fetch(`${this.origin}/admin/init`, {
      method: 'POST',
      headers: { Authorization: BASIC },
      body: new URLSearchParams({
        type: 'ocra',
        serial,
        genkey: '1',
        ocrasuite: 'OCRA-1:HOTP-SHA256-8:C-QN08',
      }),
    });
    const { result } = (await response.json()) as { readonly result: { readonly status: boolean } };
    if (!result.status) {
      throw new Error(`${serial} was not enrolled: ${JSON.stringify(result)}`);
    }
  }

  /** Adds a token as another server on the same database does, while this one may be away. */
  async enrolElsewhere(serial: string): Promise<void> {
    await queryOnce(
      this.#database.url,
      `INSERT INTO tokens (serial, type, active, realm_set_id, algorithm, seed)
       VALUES ('${serial}', 'ocra2', true, intern_realm_set('{}'), 'OCRA-1:HOTP-SHA256-8:C-QN08', decode(repeat('5a', 32), 'hex'))`,
    );
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    await this.#database.drop();
    await rm(this.#folder, { recursive: true });
  }
}
