import type { Command } from 'commander';
import { commandLog, untilSignal } from '../../compose/process.ts';
import { actOf } from '../../policy/caller.ts';
import { CliFailure } from '../cli-failure.ts';
import { addCommand, type CommandContext, operatorCaller } from '../command-context.ts';
import type { Column } from '../output.ts';
import { withSlowWorkLine } from '../progress.ts';
import type { ConfigRow } from '../../config/config.ts';

const CONFIG_COLUMNS: readonly Column<ConfigRow>[] = [
  { key: 'variable', title: 'VARIABLE', value: ({ variable }) => variable },
  { key: 'value', title: 'VALUE', value: ({ value }) => value },
  { key: 'default', title: 'DEFAULT', value: (row) => row.default, rank: 3 },
  { key: 'source', title: 'FROM', value: ({ source }) => source, rank: 4 },
  { key: 'meaning', title: 'MEANING', value: ({ meaning }) => meaning, rank: 2 },
];

/** Adds `serve`, `migrate` and `config`. */
export function addServerCommands(program: Command, context: CommandContext): void {
  addCommand(program, 'serve', 'run the server until SIGTERM or Ctrl-C', ['serve', 'serve --help']).action(
    async () => {
      const { config, file } = await context.configuration();
      const { serve } = await import('../../compose/server.ts');
      await serve(config, file?.warnings);
    },
  );
  addCommand(
    program,
    'migrate',
    "bring the database's tables up to date (the server does so itself when it starts)",
    ['migrate', '--json migrate'],
  ).action(async () => {
    const { io } = context.dependencies;
    const applied = await withSlowWorkLine(io, 'bringing the tables up to date', () => migrated(context));
    const sentence =
      applied.length === 0 ? 'the tables are up to date' : `applied:\n  ${applied.join('\n  ')}`;
    context.output.done(sentence, { applied });
  });
  const config = addCommand(
    program,
    'config',
    'show what the environment and the configuration file configure, secrets masked',
    ['config', '--config tankeeper.yaml config'],
  ).action(async () => {
    const { describeConfig } = await import('../../config/config.ts');
    const rows = describeConfig(undefined, (await context.configuration()).file);
    context.output.list(rows, CONFIG_COLUMNS, 'nothing is configured');
  });
  addCheck(config, context);
}

async function migrated(context: CommandContext): Promise<readonly string[]> {
  const { config } = await context.configuration();
  const { migrate } = await import('../../compose/open-database.ts');
  const act = actOf(operatorCaller(context.dependencies), 'migrate');
  return untilSignal((giveUp) => migrate(config, commandLog(config), act, giveUp));
}

function addCheck(config: Command, context: CommandContext): void {
  addCommand(
    config,
    'check',
    'check the environment and a configuration file, and list every fault at once; status 1 with faults',
    ['config check', 'config check tankeeper.yaml'],
  )
    .argument('[file]', 'the file; else that of --config or TANKEEPER_CONFIG')
    .action(async (file: string | undefined, _options: object, command: Command) => {
      const { configFileVariable } = await import('../../config/config-file.ts');
      const { checkConfig } = await import('../../config/config.ts');
      const path = file ?? command.optsWithGlobals<{ config?: string }>().config ?? configFileVariable();
      const { faults, warnings } = await checkConfig(path);
      const output = context.output;
      const lines = [...faults, ...warnings.map((warning) => `warning: ${warning}`)];
      const verdict = faults.length === 0 ? 'the configuration is correct' : `faults: ${faults.length}`;
      output.done([...lines, verdict].join('\n'), { faults, warnings });
      if (faults.length > 0) {
        throw new CliFailure('the configuration is wrong');
      }
    });
}
