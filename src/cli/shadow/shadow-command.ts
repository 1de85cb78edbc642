import type { Command } from 'commander';
import { CliFailure, EXIT_CODES } from '../cli-failure.ts';
import { addCommand, type CommandContext } from '../command-context.ts';
import type { ShadowOptions } from './comparison.ts';

/** Adds `shadow`: asks an old server and tankeeper the same, and compares. */
export function addShadowCommand(program: Command, context: CommandContext): void {
  addCommand(
    program,
    'shadow',
    'ask an old LinOTP and tankeeper the same questions, which change nothing, and print where the answers differ (exit code 1)',
    [
      'shadow --url https://linotp.example.com --password-file old.password',
      'shadow --url https://linotp.example.com --new-url https://tan.example.com --questions questions.txt',
    ],
  )
    .requiredOption('--url <url>', 'of the old server', baseUrl('--url', '--user', '--password-file'))
    .option(
      '--new-url <url>',
      'of tankeeper; default: this machine, at PORT',
      baseUrl('--new-url', '--new-user', '--new-password-file'),
    )
    .option('--user <name>', 'administrator on the old server', 'admin')
    .option('--new-user <name>', 'administrator on tankeeper; default: the same name')
    .option('--password-file <file>', 'a file that holds the password there; else it is asked for')
    .option('--new-password-file <file>', 'a file that holds the password on tankeeper; else it is asked for')
    .option('--ca-file <file>', 'trust these certificates (PEM) of the old server')
    .option('--new-ca-file <file>', 'trust these certificates (PEM) of tankeeper')
    .option(
      '--questions <file>',
      'ask these instead, one a line (/ocra/checkstatus?serial=T1); default: /monitoring, for each realm; - for stdin',
    )
    .action(async (options: ShadowOptions) => {
      const { runShadow } = await import('./comparison.ts');
      await runShadow(context, options, context.output);
    });
}

/**
 * @param option the name of an option for a URL, and those for the user and the password there
 * @returns its reader. A text that it refuses is not shown: it may hold a password
 */
function baseUrl(option: string, user: string, passwordFile: string): (text: string) => string {
  return (text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && !/[@?#]/.test(text);
    if (!isPlain) {
      throw new CliFailure(
        `${option} must be a URL of http or https, without user, password and query: ` +
          `give ${user} NAME and ${passwordFile} FILE`,
        EXIT_CODES.usage,
      );
    }
    return text.replace(/\/+$/, '');
  };
}
