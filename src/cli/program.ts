import { Command, CommanderError } from 'commander';
import { addAdminCommands } from './commands/admin-commands.ts';
import { addAuditCommands } from './commands/audit-commands.ts';
import { addBackupCommands } from './commands/backup-commands.ts';
import { CliFailure, EXIT_CODES, describeFailure } from './cli-failure.ts';
import { CommandContext } from './command-context.ts';
import { addCountCommand } from './commands/count-command.ts';
import { addDemoCommand } from './demo/demo-command.ts';
import type { CliDependencies } from './dependencies.ts';
import { addDeviceCommands } from './device/device-commands.ts';
import { addDoctorCommand } from './commands/doctor-command.ts';
import { addHousekeepingCommand } from './commands/housekeeping-command.ts';
import { addImportCommands } from './commands/import-commands.ts';
import { addKeysCommands } from './commands/keys-commands.ts';
import { addLicenceCommands } from './commands/licence-commands.ts';
import { addPolicyCommands } from './commands/policy-commands.ts';
import { addRealmCommands } from './commands/realm-commands.ts';
import { addResolverCommands } from './commands/resolver-commands.ts';
import { addServerCommands } from './commands/server-commands.ts';
import { addSettingCommands } from './commands/setting-commands.ts';
import { addShadowCommand } from './shadow/shadow-command.ts';
import { addTokenCommands } from './commands/token-commands.ts';
import { addVerifyCommands } from './commands/verify-commands.ts';
import { addUserCommands } from './commands/user-commands.ts';

const EXIT_CODES_TEXT = `
Exit codes: 0 done, 1 it failed (the reason is on stderr), 2 wrong usage, 130 ended by Ctrl-C.
Passwords, PINs and keys are never arguments: they are asked for, or read from a file (- for stdin).`;

/** @returns the `tankeeper` command with all its commands */
export function buildProgram(dependencies: CliDependencies): Command {
  const { io, version } = dependencies;
  const program = new Command('tankeeper')
    .description('QR-TAN (RFC 6287 OCRA) challenge-response server and token monitoring')
    .version(version)
    .option('--json', 'print JSON for scripts')
    .option('--config <file>', 'a configuration file (YAML); else TANKEEPER_CONFIG, or none')
    .showHelpAfterError('(add --help for more)')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => {
        write(withoutValue(text).replace(/^error: /, 'tankeeper: '));
      },
      getOutHelpWidth: () => io.columns,
      getErrHelpWidth: () => io.columns,
    })
    .exitOverride()
    .addHelpText('after', EXIT_CODES_TEXT);
  const context = new CommandContext(dependencies);
  addServerCommands(program, context);
  addDoctorCommand(program, context);
  addDemoCommand(program, context);
  addAdminCommands(program, context);
  addRealmCommands(program, context);
  addResolverCommands(program, context);
  addUserCommands(program, context);
  addTokenCommands(program, context);
  addPolicyCommands(program, context);
  addSettingCommands(program, context);
  addCountCommand(program, context);
  addHousekeepingCommand(program, context);
  addLicenceCommands(program, context);
  addImportCommands(program, context);
  addVerifyCommands(program, context);
  addAuditCommands(program, context);
  addKeysCommands(program, context);
  addBackupCommands(program, context);
  addShadowCommand(program, context);
  addDeviceCommands(program, context);
  return program;
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
  try {
    await buildProgram(dependencies).parseAsync(parameters, { from: 'user' });
    return EXIT_CODES.success;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? EXIT_CODES.success : EXIT_CODES.usage;
    }
    dependencies.io.stderr.write(`tankeeper: ${describeFailure(error, dependencies)}\n`);
    return error instanceof CliFailure ? error.exitCode : EXIT_CODES.failure;
  }
}
