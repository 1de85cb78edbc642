import { describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { EXIT_CODES } from '../../src/cli/cli-failure.ts';
import { buildProgram, runProgram } from '../../src/cli/program.ts';
import { shellWords } from '../repository/markdown.ts';
import { fakeCli } from './fake-dependencies.ts';
import { fakeIo } from './fake-io.ts';
import { temporaryFolder } from '../support/values/temporary-folder.ts';

const homeFolder = temporaryFolder();

/** Dependencies with which every command fails as soon as it begins its work. */
function unreachable() {
  const reached = (): Promise<never> => Promise.reject(new Error('reached'));
  return fakeCli(
    {},
    {
      openServices: reached,
      loadConfiguration: reached,
      homeFolder,
      // Some examples need a terminal.
      io: fakeIo({ typed: [] }),
    },
  );
}

function leaves(command: Command, above: readonly string[] = []): readonly (readonly string[])[] {
  // Hidden commands are for scripts of our own.
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help')
    .flatMap((one) => {
      const path = [...above, one.name()];
      return one.commands.length === 0 ? [path] : leaves(one, path);
    });
}

const program = buildProgram(fakeCli().dependencies);
const commands = leaves(program).map((path) => [path.join(' '), path] as const);

function hasOption(path: readonly string[], option: string): boolean {
  const command = path.reduce<Command | undefined>(
    (above, word) => above?.commands.find((one) => one.name() === word),
    program,
  );
  return command?.options.some(({ long }) => long === option) === true;
}

/** @returns the examples in the help of a command */
async function examplesOf(path: readonly string[]): Promise<readonly string[]> {
  const { dependencies, io } = unreachable();
  expect(await runProgram([...path, '--help'], dependencies)).toBe(EXIT_CODES.success);
  const [, section = ''] = io.out().split('\nExamples:\n');
  return section
    .split('\n')
    .filter((line) => line.startsWith('  tankeeper '))
    .map((line) => line.trim());
}

describe('the help of every command', () => {
  it.each(commands)('%s has two examples of it that it accepts', async (name, path) => {
    const examples = await examplesOf(path);
    expect(new Set(examples).size).toBeGreaterThanOrEqual(2);
    for (const example of examples) {
      expect(`${example.replace('tankeeper --json ', 'tankeeper ')} `.startsWith(`tankeeper ${name} `)).toBe(
        true,
      );
      const { dependencies, io } = unreachable();
      const status = await runProgram(shellWords(example).slice(1), dependencies);
      expect([example, status === EXIT_CODES.usage ? io.err() : '']).toEqual([example, '']);
    }
  });
});

const foretelling = commands.filter(([, path]) => hasOption(path, '--yes') && hasOption(path, '--dry-run'));

describe('--dry-run', () => {
  it.each(foretelling)('of %s changes nothing', async (_name, path) => {
    const answers = {
      'realms.list': [{ name: 'office', resolvers: [] }],
      'policies.unknownNames': [],
      'resolvers.draft': { kind: 'managed' },
      'audit.monthsBefore': 2,
      'webhooks.show': { waiting: 1 },
      'keys.list': [],
    };
    const io = fakeIo({ typed: ['a new password', 'a new password'] });
    const { dependencies, calls } = fakeCli(answers, { io });
    const [example = ''] = await examplesOf(path);
    await runProgram([...shellWords(example).slice(1), '--dry-run'], dependencies);
    expect(io.err()).toBe('');
    const writing = /\.(?:set\w*|remove\w*|disable|enable|lose|unassign|rotate|retire|prune|end|add|create)$/;
    expect(calls.map(([name]) => name).filter((name) => writing.test(name))).toEqual([]);
  });
});
