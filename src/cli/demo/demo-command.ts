import { type Command, InvalidArgumentError } from 'commander';
import { watchSignals } from '../../compose/process.ts';
import { addCommand, type CommandContext } from '../command-context.ts';
import type { DemoOptions } from './run-demo.ts';

/** Adds `tankeeper demo`. */
export function addDemoCommand(program: Command, context: CommandContext): void {
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
      const { runDemo } = await import('./run-demo.ts');
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
