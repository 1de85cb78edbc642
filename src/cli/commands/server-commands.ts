import type { Command } from 'commander';
import type { ConfigRow } from '../../config/describe-config.ts';
import { CliFailure } from '../cli-failure.ts';
import { type CommandContext, operatorCaller } from '../command-context.ts';
import type { Column } from '../output.ts';

const CONFIG_COLUMNS: readonly Column<ConfigRow>[] = [
  { key: 'variable', title: 'VARIABLE', value: ({ variable }) => variable },
  { key: 'value', title: 'VALUE', value: ({ value }) => value },
  { key: 'default', title: 'DEFAULT', value: (row) => row.default },
  { key: 'source', title: 'FROM', value: ({ source }) => source },
  { key: 'meaning', title: 'MEANING', value: ({ meaning }) => meaning },
];

/** Adds `serve`, `migrate` and `config`. */
export function addServerCommands(program: Command, context: CommandContext): void {
  const { dependencies } = context;
  program
    .command('serve')
    .description('run the server until SIGTERM or Ctrl-C')
    .action(() => dependencies.serve());
  program
    .command('migrate')
    .description("bring the database's tables up to date (the server does so itself when it starts)")
    .action(async (_options: object, command: Command) => {
      const { applied } = await dependencies.migrate(operatorCaller(dependencies));
      const sentence =
        applied.length === 0 ? 'the tables are up to date' : `applied:\n  ${applied.join('\n  ')}`;
      context.output(command).done(sentence, { applied });
    });
  const config = program
    .command('config')
    .description('show what the environment and the configuration file configure, secrets masked')
    .action((_options: object, command: Command) => {
      context.output(command).list(dependencies.describeConfig(), CONFIG_COLUMNS, 'nothing is configured');
    });
  addCheck(config, context);
}

function addCheck(config: Command, context: CommandContext): void {
  config
    .command('check')
    .description(
      'check the environment and a configuration file, and list every fault at once; status 1 with faults',
    )
    .argument('[file]', 'the file; else that of --config or TANKEEPER_CONFIG')
    .action(async (file: string | undefined, _options: object, command: Command) => {
      const { faults, warnings } = await context.dependencies.checkConfig(file);
      const output = context.output(command);
      const lines = [...faults, ...warnings.map((warning) => `warning: ${warning}`)];
      const verdict = faults.length === 0 ? 'the configuration is correct' : `faults: ${faults.length}`;
      output.done([...lines, verdict].join('\n'), { faults, warnings });
      if (faults.length > 0) {
        throw new CliFailure('the configuration is wrong');
      }
    });
}
