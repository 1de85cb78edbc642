import { join } from 'node:path';
import type { Command } from 'commander';
import { randomActivationCode } from '../../ocra/activation-code.ts';
import { CliFailure } from '../cli-failure.ts';
import type { CommandContext } from '../command-context.ts';
import type { Column } from '../output.ts';
import { changeDeviceFile, readDeviceFile } from './device-file.ts';
import { type DeviceToken, findToken, removeToken } from './device-state.ts';
import { addScanCommand, stateFile } from './scan-command.ts';

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
    .option(
      '--state <file>',
      'where it keeps its tokens, mode 0600',
      join(context.dependencies.homeFolder, '.tankeeper-device.json'),
    );
  addScanCommand(device, context);
  device
    .command('list')
    .description("list the device's tokens; no secrets")
    .action(async (_options: object, command: Command) => {
      const { tokens } = await readDeviceFile(stateFile(command));
      context.output(command).list(tokens, TOKEN_COLUMNS, 'no tokens');
    });
  device
    .command('forget')
    .description('remove a token from the device')
    .argument('<serial>')
    .action(async (serial: string, _options: object, command: Command) => {
      await forget(stateFile(command), serial);
      context.output(command).done(`${serial} is forgotten`, { serial });
    });
  device
    .command('activation-code')
    .description('make a random activation code, keep it for the second roll-out phase and print it')
    .action(async (_options: object, command: Command) => {
      const code = await makeActivationCode(stateFile(command), context);
      context.output(command).done(code, { activationcode: code });
    });
}

async function forget(file: string, serial: string): Promise<void> {
  await changeDeviceFile(file, (state) => {
    if (findToken(state, serial) === undefined) {
      throw new CliFailure(`the device has no token ${serial}`);
    }
    return Promise.resolve({ state: removeToken(state, serial), result: undefined });
  });
}

function makeActivationCode(file: string, { dependencies }: CommandContext): Promise<string> {
  const activationCode = randomActivationCode(dependencies.random);
  return changeDeviceFile(file, (state) =>
    Promise.resolve({ state: { ...state, activationCode }, result: activationCode }),
  );
}
