import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { type Column, Output, withProgress } from '../../src/cli/output.ts';
import { type FakeIo, fakeIo } from './fake-io.ts';
import { spawnSync } from 'node:child_process';
import { testProgram } from '../support/servers/test-build.ts';

import stringWidth from 'string-width';

interface Row {
  readonly name: string;
  readonly count: number | null;
  readonly tags: readonly string[];
  readonly on: boolean;
}

const COLUMNS: readonly Column<Row>[] = [
  { key: 'name', title: 'NAME', value: ({ name }) => name },
  { key: 'count', title: 'COUNT', value: ({ count }) => count, align: 'right' },
  { key: 'tags', title: 'TAGS', value: ({ tags }) => tags },
  {
    key: 'on',
    title: 'ON',
    value: ({ on }) => on,
    text: ({ on }) => (on ? 'on' : 'off'),
    style: ({ on }) => (on ? 'green' : undefined),
  },
  { key: 'hidden', value: () => 'for scripts' },
];
const ROWS: readonly Row[] = [
  { name: 'a', count: 12, tags: ['x', 'y'], on: true },
  { name: '\u001b[31mevil\nrow', count: null, tags: [], on: false },
];

function printed(json: boolean, print: (output: Output) => void): string {
  const io = fakeIo();
  print(new Output(io, { json }));
  return io.out();
}

describe('the output of commands', () => {
  it('is an aligned table for people, with nothing in it that a terminal would obey', () => {
    expect(
      printed(false, (output) => {
        output.list(ROWS, COLUMNS, 'none');
      }),
    ).toBe(
      [
        'NAME                     COUNT  TAGS  ON',
        'a                           12  x, y  on',
        '\\u001b[31mevil\\u000arow               off',
        '',
      ].join('\n'),
    );
  });

  it('keeps the columns one below the other, also after wide characters', () => {
    const names = ['a', 'e\u0301', '日本', '👨‍👩‍👧', '🇩🇪 Z'];
    const lines = printed(false, (output) => {
      output.list(
        names.map((name) => ({ name, count: 1, tags: [], on: true })),
        COLUMNS.slice(0, 2),
        'none',
      );
    }).trimEnd();
    expect(new Set(lines.split('\n').map((line) => stringWidth(line))).size).toBe(1);
  });

  it('has bold titles, and colours where they mean something, on a terminal alone', () => {
    const lines = (io: FakeIo): readonly string[] => {
      new Output(io, { json: false }).list(ROWS, COLUMNS, 'none');
      return io.out().split('\n');
    };
    const shown = lines(fakeIo({ terminal: { columns: 80 } }));
    expect(shown[0]?.startsWith('\u001b[1mNAME\u001b[22m ')).toBe(true);
    expect(shown[1]).toContain('\u001b[32mon\u001b[39m');
    expect(shown.map(stripVTControlCharacters)).toEqual(lines(fakeIo()));
  });
});

/** @returns the text that `--help` prints to a terminal (by util-linux's `script`), or to a pipe */
function help(to: 'terminal' | 'pipe', environment: Readonly<Record<string, string>>): string {
  const command = `'${process.execPath}' '${testProgram()}' --help`;
  const [program, words]: [string, string[]] =
    to === 'terminal' ? ['script', ['-qec', command, '/dev/null']] : ['sh', ['-c', `${command} | cat`]];
  const { stdout, status } = spawnSync(program, words, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, TERM: 'xterm-256color', ...environment },
  });
  expect(status).toBe(0);
  expect(stdout).toContain('Usage:');
  return stdout;
}

describe('colours', () => {
  it.each([
    ['a terminal has them', 'terminal', {}, true],
    ['NO_COLOR takes them away', 'terminal', { NO_COLOR: '1' }, false],
    ['TERM=dumb takes them away', 'terminal', { TERM: 'dumb' }, false],
    ['FORCE_COLOR=0 takes them away', 'terminal', { FORCE_COLOR: '0' }, false],
    ['a pipe has none', 'pipe', {}, false],
    ['a pipe has them where FORCE_COLOR asks for them', 'pipe', { FORCE_COLOR: '1' }, true],
  ] as const)('%s', (_title, to, environment, coloured) => {
    expect(help(to, environment).includes('\u001b[')).toBe(coloured);
  });
});

async function shownOn(io: FakeIo): Promise<readonly string[]> {
  const work = withProgress(io, 'verifying bytes', (progress) => {
    progress(0, 0);
    progress(500, 1000);
    progress(7, 7, 'restoring rows');
    return Promise.reject(new Error('no'));
  });
  await expect(work).rejects.toThrow('no');
  return io.err().split('\r\u001b[K');
}

it('names the work on a terminal, and how far it is, on one line, which is gone in the end, also after a failure', async () => {
  expect(await shownOn(fakeIo({ typed: [] }))).toEqual([
    '',
    'verifying bytes …',
    'verifying bytes … 500 of 1000 (50 %)',
    'restoring rows … 7 of 7 (100 %)',
    '',
  ]);
});

it('fits on a narrow terminal', async () => {
  const lines = await shownOn({ ...fakeIo({ typed: [] }), columns: 20 });
  expect(lines.map(({ length }) => length)).toEqual([0, 17, 19, 19, 0]);
});

it('shows nothing without a terminal', async () => {
  expect(await shownOn(fakeIo())).toEqual(['']);
});
