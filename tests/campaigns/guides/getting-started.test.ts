import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { codeBlocks, shellLines } from '../../repository/markdown.ts';
import { readRepositoryFile } from '../../repository/repository-file.ts';
import { databaseOfTests } from '../../support/database/test-database.ts';
import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';
import { testProgram } from '../../support/servers/test-build.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';

/** The input at the prompts of a roll-out and of a challenge, by the text since the last answer. */
const ANSWERS: readonly (readonly [prompt: RegExp, answer: (text: string) => string])[] = [
  [/Activation code \(Enter for a new one/, () => ''],
  [/Response [^\n]*: /, (text) => /response {2}(\d+)/.exec(text)?.[1] ?? 'nothing is shown'],
];

/**
 * Runs a command at a terminal and types at its prompts what docs/guides/getting-started.md says.
 * @returns the content of the terminal
 * @throws with that if the command fails
 */
export function answerAtTerminal(
  command: string,
  cwd: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd,
    env: { ...environment, TERM: 'dumb' },
  });
  let shown = '';
  let answered = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    const rest = stripVTControlCharacters(shown).slice(answered);
    const answer = ANSWERS.find(([prompt]) => prompt.test(rest));
    if (answer !== undefined) {
      answered = stripVTControlCharacters(shown).length;
      child.stdin.write(`${answer[1](rest)}\r`);
    }
  });
  return new Promise((resolve, reject) => {
    child.once('close', (code) => {
      const text = stripVTControlCharacters(shown);
      if (code === 0) {
        resolve(text);
      } else {
        reject(new Error(`${command} ended with ${String(code)}:\n${text}`));
      }
    });
  });
}

/** The commands of the page up to the one that issues a challenge. */
const [page = ''] = readRepositoryFile('docs/guides/getting-started.md').split('## Requests over HTTP');
const commands = codeBlocks(page)
  .filter(({ language }) => language === 'sh')
  .flatMap(({ text }) => shellLines(text));

let server: ServerProcess;
let environment: Record<string, string>;

afterAll(() => server.stop());

const folder = temporaryFolder();
const test = databaseOfTests();

beforeAll(async () => {
  await mkdir(join(folder, 'bin'));
  const program = `#!/bin/sh\nexec '${process.execPath}' '${testProgram()}' "$@"\n`;
  await writeFile(join(folder, 'bin/tankeeper'), program, { mode: 0o755 });
  const path = `${join(folder, 'bin')}:${process.env.PATH ?? ''}`;
  environment = { DATABASE_URL: test.url, DATA_DIR: join(folder, 'data'), HOME: folder, PATH: path };
  server = await startServerProcess(environment);
});

const atTerminal = (command: string): Promise<string> => answerAtTerminal(command, folder, environment);

async function run(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: folder, env: environment });
  return stdout;
}

describe('the page Getting started', () => {
  it('leads in six commands from the start to the first accepted response, and on to a transaction', async () => {
    const [install, start, ...rest] = commands.map((command) =>
      command.replaceAll('http://127.0.0.1:5001', server.baseUrl),
    );
    expect([install, start]).toEqual(['npm ci', 'npm start']);
    const rollOut = rest.findIndex((command) => command.startsWith('tankeeper token init'));
    // `npm start`, which the set-up stands for, is the first of the six.
    expect(rollOut + 2).toBe(6);
    for (const command of rest.slice(0, rollOut)) {
      await run(command);
    }
    expect(await atTerminal(rest[rollOut] ?? '')).toMatch(/accepted: \S+ is ready\s*$/);
    const [transaction, ...others] = rest.slice(rollOut + 1);
    expect(others).toEqual([]);
    const shown = await atTerminal(transaction ?? '');
    expect(shown).toContain('message   Pay 12.50 to Bert?');
    expect(shown).toMatch(/is open\s+Response [^\n]*\naccepted\s*$/);
    expect(await run('tankeeper token list')).toMatch(/^\S+ +ocra2? +anna +office +active +0$/m);
  });
});
