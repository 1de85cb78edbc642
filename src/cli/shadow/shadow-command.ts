import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { ShadowOptions } from './run-shadow.ts';
import { examples } from '../examples.ts';

/** Adds `shadow`: asks an old server and tankeeper the same, and compares. */
export function addShadowCommand(program: Command, context: CommandContext): void {
  program
    .command('shadow')
    .addHelpText(
      'after',
      examples(
        'shadow --url https://linotp.example.com --password-file old.password',
        'shadow --url https://linotp.example.com --new-url https://tan.example.com --questions questions.txt',
      ),
    )
    .description(
      'ask an old LinOTP and tankeeper the same questions, which change nothing, and print where the answers differ (exit code 1)',
    )
    .requiredOption('--url <url>', 'of the old server', parseBaseUrl)
    .option('--new-url <url>', 'of tankeeper; default: this machine, at PORT', parseBaseUrl)
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
    .action(async (options: ShadowOptions, command: Command) => {
      const { runShadow } = await import('./run-shadow.ts');
      await runShadow(context, options, context.output(command));
    });
}

function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '') {
    throw new InvalidArgumentError('It must be a URL of http or https, without a user and without a query.');
  }
  return text.replace(/\/+$/, '');
}
