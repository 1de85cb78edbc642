import type { Command } from 'commander';
import { safeText } from '../../../kernel/text.ts';
import type { MismatchedEntry, VerificationSummary } from '../../../linotp/verification-service.ts';
import { CliFailure } from '../../cli-failure.ts';
import type { CommandContext } from '../../command-context.ts';
import type { CliIo } from '../../dependencies.ts';
import { unreadLines } from '../../import-report-file.ts';
import { ImportProgressDisplay } from '../../import-progress.ts';
import { addLinotpOptions, type LinotpOptions, withLinotp } from './import-commands.ts';
import { examples } from '../../examples.ts';

/** Adds `verify`. */
export function addVerifyCommands(program: Command, context: CommandContext): void {
  const group = program.command('verify').description('compare this installation with another one');
  const command = group
    .command('linotp')
    .addHelpText(
      'after',
      examples(
        'verify linotp --database postgresql://linotp@db.example.com/linotp --enckey encKey',
        '--json verify linotp --database dump.sql --enckey encKey',
      ),
    )
    .description('compare every token and challenge with LinOTP and print what differs; changes nothing');
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
  const printer = json === true ? new JsonPrinter(io) : new LinePrinter(io);
  const summary = await withLinotp(context, options, (source, encryptionKey) =>
    context.withServices(({ linotpVerification }) =>
      linotpVerification.run({
        source,
        encryptionKey,
        encoding: options.encoding,
        localTime: options.timeZone,
        found: (difference) => {
          display.clear();
          printer.found(difference);
        },
        progress: (state) => {
          display.show(state);
        },
      }),
    ),
  ).finally(() => {
    display.clear();
  });
  printer.end(summary);
  const { tokens, challenges } = summary;
  const count = tokens.different + tokens.onlyHere + challenges.different;
  if (count > 0) {
    throw new CliFailure(`${count} differences`);
  }
}

/** Prints a line for each difference, and the sums. */
class LinePrinter {
  readonly #io: CliIo;

  constructor(io: CliIo) {
    this.#io = io;
  }

  found({ kind, name, differences }: MismatchedEntry): void {
    this.#io.stdout.write(`${safeText(`${kind} ${name}: ${differences.join('; ')}`)}\n`);
  }

  end({ tokens, challenges, unread }: VerificationSummary): void {
    const lines = [
      `tokens: ${tokens.equal} equal, ${tokens.different} different, ${tokens.onlyHere} only here`,
      `challenges: ${challenges.equal} equal, ${challenges.different} different`,
      ...unreadLines(unread),
    ];
    this.#io.stdout.write(`${lines.join('\n')}\n`);
  }
}

/** Prints one document, the differences while they are found: there may be many. */
class JsonPrinter {
  readonly #io: CliIo;
  #printed = 0;

  constructor(io: CliIo) {
    this.#io = io;
  }

  found(difference: MismatchedEntry): void {
    // Within JSON the escapes are equivalent.
    this.#io.stdout.write(`${this.#lead()}\n${safeText(JSON.stringify(difference))}`);
    this.#printed += 1;
  }

  end({ tokens, challenges, unread }: VerificationSummary): void {
    const start = this.#printed === 0 ? this.#lead() : '\n';
    this.#io.stdout.write(
      `${start}],"tokens":${JSON.stringify(tokens)},"challenges":${JSON.stringify(challenges)},` +
        `"unread":${safeText(JSON.stringify(unread))}}\n`,
    );
  }

  #lead(): string {
    return this.#printed === 0 ? '{"differences":[' : ',';
  }
}
