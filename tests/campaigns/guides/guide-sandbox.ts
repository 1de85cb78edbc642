import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { runProgram } from '../../../src/cli/program.ts';
import { openInstallation } from '../../../src/compose/open-installation.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { systemRandom } from '../../../src/kernel/system-random.ts';
import { fakeCli } from '../../cli/fake-dependencies.ts';
import { codeBlocks, shellLines } from '../../repository/markdown.ts';
import { readRepositoryFile } from '../../repository/repository-file.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';
import { testProgram } from '../../support/servers/test-build.ts';

/** The password of every administrator in the guides. */
export const PASSWORD = 'correct horse battery';

const line = (): void => undefined;
const SILENT_LOG = { error: line, warn: line, info: line, debug: line };

/** Folders of the system that guides name; each is a folder of the sandbox here. */
const SYSTEM_FOLDERS = ['/etc/tankeeper', '/etc/ssl', '/run/secrets', '/backup', '/srv/tankeeper'];
const SYSTEM_PATHS = new RegExp(String.raw`(?<=^|[\s='"])(?:${SYSTEM_FOLDERS.join('|')})(?=/)`, 'g');

/** The addresses of the servers in the guides. */
const ADDRESSES =
  /http:\/\/127\.0\.0\.1:5001|https:\/\/(?:tankeeper|tan|linotp)\.example\.(?:org|com)(?=[/ ']|$)/g;

/** A text of a guide and its stand-in, as the shell reads it. */
export type Replacement = readonly [text: string | RegExp, standIn: string];

/** The outcome of the commands of a guide. */
export interface GuideRun {
  /** null: a signal ended the shell. */
  readonly code: number | null;
  /** Each command after `+ `, and what it printed. */
  readonly output: string;
}

/** @returns the commands of a guide in their order; those within lists are indented */
export function guideCommands(page: string): readonly string[] {
  return codeBlocks(readRepositoryFile(page).replace(/^ {3}/gm, ''))
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => shellLines(text));
}

/** An installation with a running server, and a folder in which the commands of a guide run. */
export class GuideSandbox {
  readonly folder: string;
  readonly server: ServerProcess;
  readonly #database: TestDatabase;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #others: (() => Promise<void>)[] = [];

  private constructor(
    folder: string,
    server: ServerProcess,
    database: TestDatabase,
    environment: Readonly<Record<string, string>>,
  ) {
    this.folder = folder;
    this.server = server;
    this.#database = database;
    this.#environment = environment;
  }

  get databaseUrl(): string {
    return this.#database.url;
  }

  /** Starts a server on a database of its own. */
  static async start(variables: Readonly<Record<string, string>> = {}): Promise<GuideSandbox> {
    const folder = await mkdtemp(join(tmpdir(), 'tankeeper-guide-'));
    for (const path of [...SYSTEM_FOLDERS.map((system) => join('root', system)), 'bin', 'work']) {
      await mkdir(join(folder, path), { recursive: true });
    }
    const program = `#!/bin/sh\nexec '${process.execPath}' '${testProgram()}' "$@"\n`;
    await writeFile(join(folder, 'bin/tankeeper'), program, { mode: 0o755 });
    await writeFile(join(folder, 'admin-password'), PASSWORD);
    const database = await createTestDatabase();
    const environment = { DATABASE_URL: database.url, DATA_DIR: join(folder, 'data'), ...variables };
    const server = await startServerProcess({
      ...environment,
      ADMIN_PASSWORD_FILE: join(folder, 'admin-password'),
    });
    return new GuideSandbox(folder, server, database, environment);
  }

  /** Writes a file that a guide expects. @param path absolute below a folder of the system, or in the current one */
  async write(path: string, content: string | Buffer): Promise<string> {
    const file = path.startsWith('/') ? join(this.folder, 'root', path) : join(this.folder, 'work', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content, { mode: 0o600 });
    return file;
  }

  /** Runs commands in one shell, up to the first that fails. */
  async run(commands: readonly string[], replacements: readonly Replacement[] = []): Promise<GuideRun> {
    const script = commands.map((command) => {
      const line = this.#inSandbox(command, replacements);
      return `printf '%s\\n' ${quoted(`+ ${command}`)}\n${line}`;
    });
    const child = spawn('bash', ['-c', ['set -euo pipefail', ...script].join('\n')], {
      cwd: join(this.folder, 'work'),
      env: { ...this.#environment, PATH: `${join(this.folder, 'bin')}:${process.env.PATH ?? ''}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return endOf(child);
  }

  /** Runs `tankeeper` commands, given without that word, in this process: quicker. Files are named by their place in the sandbox. */
  async prepare(commands: readonly string[]): Promise<void> {
    const config = loadConfig(this.#environment);
    const installation = await openInstallation(config, 'command', SILENT_LOG);
    const services = { ...installation.services, close: () => Promise.resolve() };
    for (const command of commands) {
      const words = command.split(' ').map((word) => word.replace(/^@/, `${this.folder}/`));
      const { dependencies, io } = fakeCli(
        {},
        {
          openServices: () => Promise.resolve(services),
          loadConfiguration: () => Promise.resolve(config),
          random: systemRandom,
        },
      );
      assertSucceeded({ code: await runProgram(words, dependencies), output: `${io.out()}${io.err()}` });
    }
    await installation.close();
  }

  /** Adds to what `remove` ends, after the server. */
  removeAlso(end: () => Promise<void>): void {
    this.#others.push(end);
  }

  /** Ends the server and removes everything. */
  async remove(): Promise<void> {
    await this.server.stop();
    await Promise.all(this.#others.map((end) => end()));
    await this.#database.drop();
    await rm(this.folder, { recursive: true });
  }

  #inSandbox(command: string, replacements: readonly Replacement[]): string {
    const own = replacements.reduce<string>(
      (line, [text, standIn]) => line.replaceAll(text, standIn),
      command,
    );
    return own
      .replaceAll(SYSTEM_PATHS, (path) => join(this.folder, 'root', path))
      .replaceAll(ADDRESSES, this.server.baseUrl)
      .replaceAll(/\bcurl -u (\w+) /g, `curl -u '$1:${PASSWORD}' `)
      .replaceAll(/\bcurl /g, 'curl --silent --show-error --fail ');
  }
}

async function endOf(child: ChildProcessByStdio<null, Readable, Readable>): Promise<GuideRun> {
  const pieces: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => pieces.push(text));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: pieces.join('') };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** @throws with what the commands printed, which says why */
export function assertSucceeded({ code, output }: GuideRun): void {
  if (code !== 0) {
    throw new Error(`The shell ended with ${String(code)}:\n${output}`);
  }
}
