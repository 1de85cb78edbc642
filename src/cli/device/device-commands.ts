import { type Command, Option } from 'commander';
import { addCommand, type CommandContext } from '../command-context.ts';
import { defaultDeviceFile } from './qr-code.ts';
import type { ScanOptions } from './scan-code.ts';
import type { Column } from '../output.ts';
import type { DeviceToken } from '../../device/device-token.ts';

const TOKEN_COLUMNS: readonly Column<DeviceToken>[] = [
  { key: 'serial', title: 'SERIAL', value: ({ serial }) => serial },
  { key: 'suite', title: 'SUITE', value: ({ suite }) => suite },
  { key: 'ready', title: 'READY', value: ({ key }) => key !== null },
  { key: 'counter', title: 'NEXT COUNTER', value: ({ counter }) => counter, align: 'right' },
];

/** Adds `tankeeper device …`: a QR-TAN app without a phone. */
export function addDeviceCommands(program: Command, context: CommandContext): void {
  const device = program
    .command('device')
    .description('a virtual QR-TAN app, to try a server without a phone')
    .option('--state <file>', 'where it keeps its tokens, mode 0600', defaultDeviceFile(context));
  const stateFile = (): string => device.opts<{ state: string }>().state;
  addScanCommand(device, context, stateFile);
  addCommand(device, 'list', "list the device's tokens; no secrets", [
    'device list',
    '--json device list',
  ]).action(async () => {
    const { readDeviceFile } = await import('./device-file.ts');
    const { tokens } = await readDeviceFile(stateFile());
    context.output.list(tokens, TOKEN_COLUMNS, 'no tokens');
  });
  addCommand(device, 'forget', 'remove a token from the device', [
    'device forget LSGO1',
    'device forget LSGO1 --state phone.json',
  ])
    .argument('<serial>')
    .action(async (serial: string) => {
      const { forgetToken } = await import('./virtual-device.ts');
      await forgetToken(stateFile(), serial);
      context.output.done(`${serial} is forgotten`, { serial });
    });
  addCommand(
    device,
    'activation-code',
    'make a random activation code, keep it for the second roll-out phase and print it',
    ['device activation-code', '--json device activation-code'],
  ).action(async () => {
    const { makeActivationCode } = await import('./virtual-device.ts');
    const code = await makeActivationCode(stateFile(), context.dependencies.random);
    context.output.done(code, { activationcode: code });
  });
}

/** Adds `tankeeper device scan`. */
function addScanCommand(device: Command, context: CommandContext, stateFile: () => string): void {
  addCommand(
    device,
    'scan',
    'read the text of a QR code (lseqr://init, lseqr://nonce or lseqr://req) and show what the app shows',
    ["device scan 'lseqr://req?…' --send", 'device scan --url-file code.txt'],
  )
    .argument('[url]', 'what the code says; for lseqr://init rather a file, as it holds a secret')
    .option('--url-file <file>', 'a file that holds what the code says, - for stdin')
    .option('--activation-code-file <file>', 'for lseqr://nonce, - for stdin; else the kept one, or a prompt')
    .option('--ocra-pin-file <file>', 'for suites with a PIN, - for stdin; else a prompt')
    .option('--send', 'also send the response to the URL that the code names, as the app does')
    .option('--decline', 'decline the challenge in place of answering it')
    .addOption(new Option('--report', 'decline it with “this was not me”').conflicts('decline'))
    .action(async (url: string | undefined, options: ScanOptions) => {
      const { scanCode } = await import('./scan-code.ts');
      await scanCode(context, url, { ...options, state: stateFile() });
    });
}
