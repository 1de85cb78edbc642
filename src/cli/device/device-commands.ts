import type { Command } from 'commander';
import type { DeviceToken } from '../../device/device-token.ts';
import type { CommandContext } from '../command-context.ts';
import type { Column } from '../output.ts';
import { defaultDeviceFile } from './code-reader.ts';
import { addScanCommand, stateFile } from './scan-command.ts';
import { examples } from '../examples.ts';

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
  addScanCommand(device, context);
  device
    .command('list')
    .addHelpText('after', examples('device list', '--json device list'))
    .description("list the device's tokens; no secrets")
    .action(async (_options: object, command: Command) => {
      const { readDeviceFile } = await import('./device-file.ts');
      const { tokens } = await readDeviceFile(stateFile(command));
      context.output(command).list(tokens, TOKEN_COLUMNS, 'no tokens');
    });
  device
    .command('forget')
    .addHelpText('after', examples('device forget LSGO1', 'device forget LSGO1 --state phone.json'))
    .description('remove a token from the device')
    .argument('<serial>')
    .action(async (serial: string, _options: object, command: Command) => {
      const { forgetToken } = await import('./device-changes.ts');
      await forgetToken(stateFile(command), serial);
      context.output(command).done(`${serial} is forgotten`, { serial });
    });
  device
    .command('activation-code')
    .addHelpText('after', examples('device activation-code', '--json device activation-code'))
    .description('make a random activation code, keep it for the second roll-out phase and print it')
    .action(async (_options: object, command: Command) => {
      const { makeActivationCode } = await import('./device-changes.ts');
      const code = await makeActivationCode(stateFile(command), context.dependencies.random);
      context.output(command).done(code, { activationcode: code });
    });
}
