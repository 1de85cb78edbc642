import { type Command, InvalidArgumentError } from 'commander';
import { commandLog, untilSignal, watchSignals } from '../../compose/process.ts';
import { actOf } from '../../policy/caller.ts';
import { type CommandContext, addCommand, operatorCaller } from '../command-context.ts';
import { type Column, withProgress } from '../output.ts';
import type { ConfigRow } from '../../config/config.ts';
import type { DemoOptions } from '../demo/run-demo.ts';

const CONFIG_COLUMNS: readonly Column<ConfigRow>[] = [
  { key: 'variable', title: 'VARIABLE', value: ({ variable }) => variable },
  { key: 'value', title: 'VALUE', value: ({ value }) => value },
  { key: 'default', title: 'DEFAULT', value: (row) => row.default },
  { key: 'source', title: 'FROM', value: ({ source }) => source },
  { key: 'meaning', title: 'MEANING', value: ({ meaning }) => meaning },
];

/** Adds `serve`, `migrate`, `config` and `demo`. */
export function addServerCommands(program: Command, context: CommandContext): void {
  addCommand(program, 'serve', 'run the server until SIGTERM or Ctrl-C', ['serve', 'serve --help']).action(
    async () => {
      const config = await context.configuration();
      const { serve } = await import('../../compose/server.ts');
      await serve(config);
    },
  );
  addCommand(
    program,
    'migrate',
    "bring the database's tables up to date (the server does so itself when it starts)",
    ['migrate', '--json migrate'],
  ).action(async () => {
    const { io } = context.dependencies;
    const applied = await withProgress(io, 'bringing the tables up to date', () => migrated(context));
    const sentence =
      applied.length === 0 ? 'the tables are up to date' : `applied:\n  ${applied.join('\n  ')}`;
    context.output.done(sentence, { applied });
  });
  addCommand(program, 'config', 'show what the environment configures, secrets masked', [
    'config',
    '--json config',
  ]).action(async () => {
    const { describeConfig } = await import('../../config/config.ts');
    // Fails where a variable is wrong.
    await context.configuration();
    context.output.list(describeConfig(), CONFIG_COLUMNS, 'nothing is configured');
  });
  addDemoCommand(program, context);
}

async function migrated(context: CommandContext): Promise<readonly string[]> {
  const config = await context.configuration();
  const { migrate } = await import('../../compose/open-database.ts');
  const act = actOf(operatorCaller(context.dependencies), 'migrate');
  return untilSignal((giveUp) => migrate(config, commandLog(config), act, giveUp));
}

function addDemoCommand(program: Command, context: CommandContext): void {
  addCommand(
    program,
    'demo',
    'a tour over real HTTP: a server and a database of its own, which go when it ends',
    ['demo --portal', 'demo --exit --port 6001'],
  )
    .option('--portal', 'no tour: the example portal and the app, to be opened in a browser')
    .option('--exit', 'end after the tour instead of staying up')
    .option('--port <number>', 'where to begin looking for a free port (default: PORT, 5001)', parsePort)
    .action(async (options: DemoOptions) => {
      const { runDemo } = await import('../demo/run-demo.ts');
      const { startDemoServer } = await import('../../compose/server.ts');
      const signals = watchSignals();
      await runDemo(context, options, startDemoServer, signals).finally(signals.release);
    });
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) {
    throw new InvalidArgumentError('It must be a number from 1 to 65535.');
  }
  return port;
}
