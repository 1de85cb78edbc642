import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { ScanOptions } from './scan-code.ts';
import { examples } from '../examples.ts';

/** Adds `tankeeper device scan`. */
export function addScanCommand(device: Command, context: CommandContext): void {
  device
    .command('scan')
    .addHelpText('after', examples('device scan --png code.png --send', 'device scan --url-file code.txt'))
    .description('read a QR code (lseqr://init, lseqr://nonce or lseqr://req) and show what the app shows')
    .argument('[url]', 'what the code says; for lseqr://init rather a file, as it holds a secret')
    .option('--png <file>', 'a picture of the code')
    .option('--url-file <file>', 'a file that holds what the code says, - for stdin')
    .option('--activation-code-file <file>', 'for lseqr://nonce, - for stdin; else the kept one, or a prompt')
    .option('--ocra-pin-file <file>', 'for suites with a PIN, - for stdin; else a prompt')
    .option('--send', 'also send the response to the URL that the code names, as the app does')
    .action(async (url: string | undefined, options: ScanOptions, command: Command) => {
      const { scanCode } = await import('./scan-code.ts');
      await scanCode(context, url, { ...options, state: stateFile(command) }, context.output(command));
    });
}

/** @returns the file of the option `--state`, which belongs to the command `device` */
export function stateFile(command: Command): string {
  return command.optsWithGlobals<{ state: string }>().state;
}
