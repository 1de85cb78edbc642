import type { Command } from 'commander';
import { CliFailure } from '../cli-failure.ts';
import { type CommandContext, operatorCaller } from '../command-context.ts';
import { examples } from '../command-context.ts';
import type { Column } from '../output.ts';
import { withSlowWorkLine } from '../progress.ts';
import type { ConfigRow } from '../../config/describe-config.ts';

const CONFIG_COLUMNS: readonly Column<ConfigRow>[] = [
  { key: 'variable', title: 'VARIABLE', value: ({ variable }) => variable, whole: true },
  { key: 'value', title: 'VALUE', value: ({ value }) => value },
  { key: 'default', title: 'DEFAULT', value: (row) => row.default, rank: 3 },
  { key: 'source', title: 'FROM', value: ({ source }) => source, rank: 4 },
  { key: 'meaning', title: 'MEANING', value: ({ meaning }) => meaning, rank: 2 },
];

/** Adds `serve`, `migrate` and `config`. */
export function addServerCommands(program: Command, context: CommandContext): void {
  const { dependencies } = context;
  program
    .command('serve')
    .addHelpText('after', examples('serve', 'serve --help'))
    .description('run the server until SIGTERM or Ctrl-C')
    .action(() => dependencies.serve());
  program
    .command('migrate')
    .addHelpText('after', examples('migrate', '--json migrate'))
    .description("bring the database's tables up to date (the server does so itself when it starts)")
    .action(async (_options: object, command: Command) => {
      const { applied } = await withSlowWorkLine(dependencies.io, 'bringing the tables up to date', () =>
        dependencies.migrate(operatorCaller(dependencies)),
      );
      const sentence =
        applied.length === 0 ? 'the tables are up to date' : `applied:\n  ${applied.join('\n  ')}`;
      context.output(command).done(sentence, { applied });
    });
  const config = program
    .command('config')
    .addHelpText('after', examples('config', '--config tankeeper.yaml config'))
    .description('show what the environment and the configuration file configure, secrets masked')
    .action(async (_options: object, command: Command) => {
      const rows = await dependencies.describeConfig();
      context.output(command).list(rows, CONFIG_COLUMNS, 'nothing is configured');
    });
  addCheck(config, context);
}

function addCheck(config: Command, context: CommandContext): void {
  config
    .command('check')
    .addHelpText('after', examples('config check', 'config check tankeeper.yaml'))
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
