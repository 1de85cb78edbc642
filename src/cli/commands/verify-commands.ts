import type { Command } from 'commander';
import { safeText } from '../../kernel/terminal-text.ts';
import type { TokenDifference } from '../../linotp/verification-service.ts';
import { CliFailure } from '../cli-failure.ts';
import type { CommandContext } from '../command-context.ts';
import { ImportProgressDisplay } from '../import-progress.ts';
import { addLinotpOptions, type LinotpOptions, withLinotp } from './import-commands.ts';

/** Adds `verify`. */
export function addVerifyCommands(program: Command, context: CommandContext): void {
  const group = program.command('verify').description('compare this installation with another one');
  const command = group
    .command('linotp')
    .description('compare every token with LinOTP and print what differs; changes nothing');
  addLinotpOptions(command).action(async (options: LinotpOptions, own: Command) => {
    await verifyLinotp(context, options, own);
  });
}

async function verifyLinotp(
  context: CommandContext,
  options: LinotpOptions,
  command: Command,
): Promise<void> {
  const { io, clock } = context.dependencies;
  const { json } = command.optsWithGlobals<{ json?: true }>();
  const display = new ImportProgressDisplay(io, clock, { json: json === true });
  const print = (difference: TokenDifference): void => {
    display.clear();
    io.stdout.write(`${json === true ? JSON.stringify(difference) : differenceLine(difference)}\n`);
  };
  const summary = await withLinotp(context, options, (source, encryptionKey) =>
    context.withServices(({ linotpVerification }) =>
      linotpVerification.run({
        source,
        encryptionKey,
        encoding: options.encoding,
        found: print,
        progress: (done, total) => {
          display.show({ group: 'tokens', done, total });
        },
      }),
    ),
  ).finally(() => {
    display.clear();
  });
  const { compared, equal, different } = summary;
  context.output(command).done(`${compared} tokens are compared: ${equal} equal, ${different} different`, {
    ...summary,
  });
  if (different > 0) {
    throw new CliFailure(`${different} tokens differ`);
  }
}

function differenceLine({ serial, differences }: TokenDifference): string {
  return safeText(`${serial}: ${differences.join('; ')}`);
}
