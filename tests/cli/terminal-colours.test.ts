import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { testProgram } from '../support/servers/test-build.ts';

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
