import { Command, CommanderError } from 'commander';
import { addAuditCommands } from './commands/audit.ts';
import { addBackupCommands } from './commands/backup.ts';
import { CliFailure, EXIT_CODES, describeFailure } from './cli-failure.ts';
import { CommandContext } from './command-context.ts';
import { addChallengeCommands } from './commands/challenge.ts';
import { addCountCommand } from './commands/count.ts';
import type { Config } from '../config/config.ts';
import type { CliDependencies } from './dependencies.ts';
import { addDeviceCommands } from './device/device-commands.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addHousekeepingCommand } from './commands/housekeeping.ts';
import { addImportCommands } from './commands/linotp.ts';
import { addKeyCommands } from './commands/key.ts';
import { addServerCommands } from './commands/server.ts';
import { addTokenInitCommand } from './commands/token-init.ts';
import { addUserListCommand } from './commands/user.ts';
import { isServiceError } from '../kernel/errors.ts';
import { addOperationCommands } from './operation-commands.ts';
import { OPERATION_GROUPS } from '../operations/operations.ts';
import { applyStyle } from './output.ts';

const EXIT_CODES_TEXT = `
Exit codes: 0 done, 1 it failed (the reason is on stderr), 2 wrong usage, 130 ended by Ctrl-C.
Passwords, PINs and keys are never arguments: they are asked for, or read from a file (- for stdin).`;

/** Commands of a group that are no operations. */
const BESIDE: Readonly<Record<string, (group: Command, context: CommandContext) => void>> = {
  audit: addAuditCommands,
  key: addKeyCommands,
  token: addTokenInitCommand,
  user: addUserListCommand,
};

/** @returns the `tankeeper` command with all its commands */
export function buildProgram(dependencies: CliDependencies): Command {
  const { io, version } = dependencies;
  const program = new Command('tankeeper')
    .description('QR-TAN (RFC 6287 OCRA) challenge-response server and token monitoring')
    .version(version)
    .option('--json', 'print JSON for scripts')
    .showHelpAfterError('(add --help for more)')
    .configureHelp({ showGlobalOptions: true, styleTitle: (title) => applyStyle('bold', title, io.color) })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => {
        write(withoutValue(text).replace(/^error: /, 'tankeeper: '));
      },
      getOutHelpWidth: () => io.columns,
      getErrHelpWidth: () => io.columns,
      getOutHasColors: () => io.color,
      // Headings have the colours of standard output, which may be another stream.
      getErrHasColors: () => io.color && io.isTTY,
    })
    .exitOverride()
    .addHelpText('after', EXIT_CODES_TEXT);
  const context = new CommandContext(dependencies, program);
  addServerCommands(program, context);
  addDoctorCommand(program, context);
  for (const group of OPERATION_GROUPS) {
    const command = addOperationCommands(program, context, group);
    BESIDE[group.name]?.(command, context);
  }
  addChallengeCommands(program, context);
  addCountCommand(program, context);
  addHousekeepingCommand(program, context);
  addImportCommands(program, context);
  addBackupCommands(program, context);
  addDeviceCommands(program, context);
  return program;
}

/** A wrong configuration has a line for each variable; those of a server that does not start are as its log is. */
function failureText(text: string, error: unknown, { asJson, at }: { asJson: boolean; at: Date }): string {
  const lines = isServiceError(error, 'configuration.invalid') ? text.split('\n') : [text];
  return lines
    .map((message) =>
      asJson
        ? `${JSON.stringify({ time: at.toISOString(), level: 'error', message })}\n`
        : `tankeeper: ${message}\n`,
    )
    .join('');
}

/** @returns true if the log is JSON, also where other variables than LOG_FORMAT are wrong */
async function logsJson(config: Config | undefined, { isTTY }: CliDependencies['io']): Promise<boolean> {
  const format = config?.logFormat ?? (await import('../config/config.ts')).logFormatOf();
  return format === 'json' || (format === 'auto' && !isTTY);
}

/** Removes the value of an unknown option: a password in `--password=…` must not get into the log of a script. */
function withoutValue(text: string): string {
  return text.replace(/(unknown option '(?:--[^=]*=|-[^-]))[^]*'/, "$1…'");
}

/**
 * Runs one command.
 * @param parameters the command line without the program's own name
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted
 */
export async function runProgram(
  parameters: readonly string[],
  dependencies: CliDependencies,
): Promise<number> {
  const program = buildProgram(dependencies);
  try {
    await program.parseAsync(parameters, { from: 'user' });
    return EXIT_CODES.success;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? EXIT_CODES.success : EXIT_CODES.usage;
    }
    const config = await dependencies.loadConfiguration().catch(() => undefined);
    const asJson = program.args[0] === 'serve' && (await logsJson(config, dependencies.io));
    const text = describeFailure(error, { debug: config?.logLevel === 'debug' });
    dependencies.io.stderr.write(failureText(text, error, { asJson, at: dependencies.clock.now() }));
    return error instanceof CliFailure ? error.exitCode : EXIT_CODES.failure;
  }
}
