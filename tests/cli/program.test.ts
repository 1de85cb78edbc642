import { describe, expect, it } from '@jest/globals';
import { runProgram } from '../../src/cli/program.ts';
import { loadConfig } from '../../src/config/config.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { fakeCli } from './fake-dependencies.ts';
import { fakeIo } from './fake-io.ts';

const MISSING = new ServiceError('administrator.unknown', 'There is no administrator bert');

describe('the tankeeper command', () => {
  it('says what it knows with --help, exit codes included, and ends well', async () => {
    const { dependencies, io } = fakeCli();
    expect(await runProgram(['--help'], dependencies)).toBe(0);
    expect(io.out()).toContain('Exit codes: 0 done, 1 it failed');
  });

  it.each([
    ['no command', []],
    ['an unknown command', ['frobnicate']],
    ['an unknown command of a noun', ['token', 'frobnicate']],
    ['a noun alone', ['token']],
    ['an unknown option', ['token', 'list', '--frobnicate']],
    ['a missing argument', ['token', 'show']],
    ['one argument too many', ['token', 'show', 'A', 'B']],
    ['a missing option', ['realm', 'add', 'r']],
    ['an option with a wrong value', ['token', 'list', '--limit', '-1']],
    ['options that exclude each other', ['token', 'init', '--generate', '--phase2']],
    ['a password as an argument', ['admin', 'add', 'bert', 's3cret']],
  ])('ends with 2 and a word on stderr for %s, and touches nothing', async (_what, parameters) => {
    const { dependencies, io, opened } = fakeCli();
    expect(await runProgram(parameters, dependencies)).toBe(2);
    expect(io.err()).not.toBe('');
    expect(io.out()).toBe('');
    expect(opened.count).toBe(0);
  });

  it('ends with 1 and the reason on stderr when a service refuses, and closes the database', async () => {
    const { dependencies, io, opened } = fakeCli({ 'administrators.remove': MISSING });
    expect(await runProgram(['admin', 'remove', 'bert'], dependencies)).toBe(1);
    expect(io.err()).toBe(
      'tankeeper: There is no administrator bert; `tankeeper admin list` shows those that there are\n',
    );
    expect(io.out()).toBe('');
    expect(opened).toEqual({ count: 1, closed: 1 });
  });

  it('tells an operator the detail that clients never see', async () => {
    const failure = new ServiceError('database.unavailable', 'The database is away', {
      detail: 'ECONNREFUSED',
    });
    const { dependencies, io } = fakeCli({}, { openServices: () => Promise.reject(failure) });
    expect(await runProgram(['token', 'list'], dependencies)).toBe(1);
    expect(io.err()).toBe('tankeeper: The database is away (ECONNREFUSED)\n');
  });

  it('shows no stack for what nobody expected, unless LOG_LEVEL is debug', async () => {
    const failing = { 'tokenPages.page': new TypeError('x is undefined', { cause: new Error('deep') }) };
    const quiet = fakeCli(failing);
    expect(await runProgram(['token', 'list'], quiet.dependencies)).toBe(1);
    expect(quiet.io.err()).toBe(
      'tankeeper: unexpected failure: x is undefined (LOG_LEVEL=debug tells more)\n',
    );
    const loud = fakeCli(failing, {
      loadConfiguration: () => Promise.resolve(loadConfig({ LOG_LEVEL: 'debug' })),
    });
    await runProgram(['token', 'list'], loud.dependencies);
    expect(loud.io.err()).toMatch(/TypeError: x is undefined\n\s+at .*\ncaused by Error: deep/s);
  });

  it('lets nothing that others wrote reach the terminal as an escape sequence', async () => {
    const { dependencies, io } = fakeCli({
      'tokens.show': new ServiceError('token.unknown', 'no \u001b[2J'),
    });
    await runProgram(['token', 'show', 'x'], dependencies);
    expect(io.err()).toBe('tankeeper: no \\u001b[2J; `tankeeper token list` shows those that there are\n');
  });

  it('acts as the operator at the machine, under the name of their account', async () => {
    const { dependencies, callers } = fakeCli({ 'tokenPages.page': { tokens: [], next: null, total: 0 } });
    await runProgram(['token', 'list'], dependencies);
    expect(callers).toEqual([
      {
        principal: { administrator: 'operator:root', rights: ['*'], operator: true, client: '' },
        requestId: 'cli-0101010101010101',
      },
    ]);
  });
});

describe('serve, migrate and config', () => {
  it.each(['serve', 'migrate', 'doctor', 'restore backup.age --check', 'demo'])(
    '%s tells what is wrong with the configuration',
    async (line) => {
      const wrong = new ServiceError('configuration.invalid', "PORT='x' is not allowed");
      const { dependencies, io } = fakeCli(
        {},
        {
          io: fakeIo({ typed: ['a passphrase'], terminal: { columns: 100 } }),
          loadConfiguration: () => Promise.reject(wrong),
        },
      );
      const words = line.replace('backup.age', import.meta.filename).split(' ');
      expect(await runProgram(words, dependencies)).toBe(line === 'doctor' ? 2 : 1);
      expect(io.err()).toContain("tankeeper: PORT='x' is not allowed\n");
    },
  );

  it('serve tells each fault in a line of its log, which is JSON but at a terminal', async () => {
    const wrong = new ServiceError(
      'configuration.invalid',
      "PORT='x' is not allowed\nHOST='' is not allowed",
    );
    const { dependencies, io } = fakeCli({}, { loadConfiguration: () => Promise.reject(wrong) });
    expect(await runProgram(['serve'], dependencies)).toBe(1);
    const time = '2026-11-20T12:00:00.000Z';
    expect(
      io
        .err()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { time, level: 'error', message: "PORT='x' is not allowed" },
      { time, level: 'error', message: "HOST='' is not allowed" },
    ]);
  });
});
