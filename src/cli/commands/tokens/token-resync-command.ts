import type { Command } from 'commander';
import { CliFailure } from '../../cli-failure.ts';
import type { CommandContext } from '../../command-context.ts';
import { examples } from '../../examples.ts';

interface ResyncOptions {
  readonly challenge1?: string;
  readonly challenge2?: string;
  readonly otp1File?: string;
  readonly otp2File?: string;
}

/** Adds `token resync`. */
export function addTokenResyncCommand(token: Command, context: CommandContext): void {
  token
    .command('resync')
    .addHelpText(
      'after',
      examples('token resync LSGO1', 'token resync LSGO1 --challenge1 12345678 --challenge2 87654321'),
    )
    .description('bring a token back in step by two responses that it gave one after the other')
    .argument('<serial>')
    .option('--challenge1 <question>', 'what the first response answers; else the last challenge but one')
    .option('--challenge2 <question>', 'what the second response answers; else the last challenge')
    .option('--otp1-file <file>', 'a file that holds the first response, - for stdin; else it is asked for')
    .option('--otp2-file <file>', 'a file that holds the second response, - for stdin; else it is asked for')
    .action(async (serial: string, options: ResyncOptions, command: Command) => {
      const { challenge1, challenge2, otp1File, otp2File } = options;
      const otp1 = await context.knownSecret('First response', '--otp1-file', otp1File);
      const otp2 = await context.knownSecret('Second response', '--otp2-file', otp2File);
      const request = { serial, otp1: otp1.trim(), otp2: otp2.trim(), challenge1, challenge2 };
      const done = await context.withServices(({ resynchronisation }, caller) =>
        resynchronisation.resync(caller, request),
      );
      if (!done) {
        throw new CliFailure(
          `${serial} is not in step: the two responses were not found one after the other`,
        );
      }
      context.output(command).done(`${serial} is in step again`, { serial });
    });
}
