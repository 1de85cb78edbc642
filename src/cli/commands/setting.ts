import type { Command } from 'commander';
import { CliFailure } from '../cli-failure.ts';
import { addCommand, addConfirmedCommand, type CommandContext } from '../command-context.ts';
import type { Column } from '../output.ts';

interface Setting {
  readonly key: string;
  readonly value: string;
  readonly source: 'set' | 'default';
}

const SETTING_COLUMNS: readonly Column<Setting>[] = [
  { key: 'key', title: 'KEY', value: ({ key }) => key },
  { key: 'value', title: 'VALUE', value: ({ value }) => value },
  {
    key: 'source',
    title: 'FROM',
    value: ({ source }) => source,
    style: ({ source }) => (source === 'set' ? 'bold' : 'dim'),
  },
];

/** Adds `tankeeper setting …`: configuration values in the database, for all servers on it. */
export function addSettingCommands(program: Command, context: CommandContext): void {
  const setting = program
    .command('setting')
    .description('configuration values in the database, such as OcraMaxChallenges (the environment: config)');
  addCommand(setting, 'list', 'list what counts: the values that are set, and the defaults of others', [
    'setting list',
    '--json setting list',
  ]).action(async () => {
    const settings = await context.withServices(async ({ settings: configuration }) => {
      const [set, { values }] = [await configuration.list(), await configuration.inForce()];
      return [...values]
        .map(([key, value]): Setting => ({ key, value, source: set.has(key) ? 'set' : 'default' }))
        .sort((one, other) => (one.key < other.key ? -1 : 1));
    });
    context.output.list(settings, SETTING_COLUMNS, 'there are no settings');
  });
  addConfirmedCommand(setting, 'set', 'set a value', [
    'setting set OcraMaxChallenges 5',
    'setting set OcraChallengeTimeout 2M',
  ])
    .argument('<key>')
    .argument('<value>')
    .option('--force', 'also a key that the server does not read, for clients that look for it')
    .action(async (key: string, value: string, { force }: { force?: true }) => {
      await context.confirmed({
        foresee: ({ consequences }) => consequences.ofSetting(key, value),
        act: async ({ settings: configuration }, caller) => {
          const unread = force === true ? undefined : configuration.unreadReason(key);
          if (unread !== undefined) {
            throw new CliFailure(`${unread} (--force stores it all the same)`);
          }
          await configuration.set(caller, new Map([[key, value]]));
        },
        done: () => [`${key} is ${value}`, { key, value }],
      });
    });
  addConfirmedCommand(setting, 'remove', 'remove a value; the default counts again', [
    'setting remove OcraMaxChallenges',
    '--json setting remove OcraMaxChallenges',
  ])
    .argument('<key>')
    .action(async (key: string) => {
      await context.confirmed({
        foresee: ({ consequences }) => consequences.ofSetting(key, undefined),
        act: ({ settings: configuration }, caller) => configuration.remove(caller, key),
        done: () => [`${key} has its default again`, { key }],
      });
    });
}
