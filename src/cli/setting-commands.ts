import type { Command } from 'commander';
import type { CommandContext } from './command-context.ts';
import type { Column } from './output.ts';

const SETTING_COLUMNS: readonly Column<readonly [string, string]>[] = [
  { key: 'key', title: 'KEY', value: ([key]) => key },
  { key: 'value', title: 'VALUE', value: ([, value]) => value },
];

/** Adds `tankeeper setting …`: configuration values in the database, for all servers on it. */
export function addSettingCommands(program: Command, context: CommandContext): void {
  const setting = program
    .command('setting')
    .description('configuration values in the database, such as OcraMaxChallenges (the environment: config)');
  setting
    .command('list')
    .description('list the values that are set; all others have their defaults')
    .action(async (_options: object, command: Command) => {
      const found = await context.withServices(({ configuration }, caller) => configuration.list(caller));
      context
        .output(command)
        .list([...found], SETTING_COLUMNS, 'nothing is set: all values are the defaults');
    });
  setting
    .command('set')
    .description('set a value')
    .argument('<key>')
    .argument('<value>')
    .action(async (key: string, value: string, _options: object, command: Command) => {
      await context.withServices(({ configuration }, caller) =>
        configuration.set(caller, new Map([[key, value]])),
      );
      context.output(command).done(`${key} is ${value}`, { key, value });
    });
  setting
    .command('remove')
    .description('remove a value; the default counts again')
    .argument('<key>')
    .action(async (key: string, _options: object, command: Command) => {
      await context.withServices(({ configuration }, caller) => configuration.remove(caller, key));
      context.output(command).done(`${key} has its default again`, { key });
    });
}
