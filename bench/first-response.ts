import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { answerAtTerminal } from '../tests/support/servers/guided-terminal.ts';
import { startServerProcess } from '../tests/support/servers/server-process.ts';
import { benchCommand, publishResults } from './result-page.ts';

/** `npm run bench:first-response`: the commands of docs/guides/getting-started.md, from the start of the server on. */

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs/guides/getting-started.md');
const MAX_COMMANDS = 6;

process.exitCode = (await run()) ? 0 : 1;

async function run(): Promise<boolean> {
  const commands = await pageCommands();
  const folder = await mkdtemp(join(tmpdir(), 'tankeeper-first-response-'));
  const environment = {
    DATA_DIR: join(folder, 'data'),
    HOME: folder,
    PATH: `${join(folder, 'bin')}:${process.env.PATH ?? ''}`,
  };
  const program = join(ROOT, 'bin/tankeeper.js');
  await mkdir(join(folder, 'bin'));
  await writeFile(
    join(folder, 'bin/tankeeper'),
    `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`,
    {
      mode: 0o755,
    },
  );
  const rows: (readonly [string, string])[] = [];
  const begun = performance.now();
  const timed = async <Value>(command: string, work: () => Promise<Value>): Promise<Value> => {
    const start = performance.now();
    const value = await work();
    rows.push([`\`${command.split(' ').slice(0, 3).join(' ')}\``, seconds(performance.now() - start)]);
    return value;
  };
  const server = await timed('npm start', () => startServerProcess(environment));
  try {
    for (const command of commands) {
      const line = command.replaceAll('http://127.0.0.1:5001', server.baseUrl);
      await timed<unknown>(command, () =>
        command.startsWith('tankeeper token init')
          ? answerAtTerminal(line, folder, environment)
          : promisify(execFile)('sh', ['-c', line], { cwd: folder, env: environment }),
      );
    }
    rows.push(['all', seconds(performance.now() - begun)]);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
  const isKept = rows.length - 1 <= MAX_COMMANDS;
  await publishResults({
    name: 'first-response',
    title: 'From the start to the first accepted response',
    command: benchCommand('bench:first-response'),
    measures:
      'The commands of [Getting started](../guides/getting-started.md), in a new folder with the embedded PostgreSQL. The prompts are answered at once: the time of the person comes on top.',
    sections: [
      { head: ['Command', 'Seconds'], rows },
      `- ${isKept ? 'PASS' : 'FAIL'}: at most ${MAX_COMMANDS} commands`,
    ],
  });
  return isKept;
}

/** @returns the commands of the page after `npm start`, up to the roll-out with the first response */
async function pageCommands(): Promise<readonly string[]> {
  const lines = [...(await readFile(PAGE, 'utf8')).matchAll(/^tankeeper .*$/gm)].map(([line]) => line);
  return lines.slice(0, lines.findIndex((line) => line.startsWith('tankeeper token init')) + 1);
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1);
}
