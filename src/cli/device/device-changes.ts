import { randomActivationCode } from '../../ocra/activation-code.ts';
import { findToken, removeToken } from '../../device/device-token.ts';
import type { Random } from '../../kernel/clock.ts';
import { CliFailure } from '../cli-failure.ts';
import { changeDeviceFile } from './device-file.ts';

/** Removes a token from the device. @throws CliFailure if it has no such token */
export async function forgetToken(file: string, serial: string): Promise<void> {
  await changeDeviceFile(file, (state) => {
    if (findToken(state.tokens, serial) === undefined) {
      throw new CliFailure(`the device has no token ${serial}`);
    }
    return Promise.resolve({
      state: { ...state, tokens: removeToken(state.tokens, serial) },
      result: undefined,
    });
  });
}

/** @returns a new activation code, which the device keeps for the second roll-out phase */
export function makeActivationCode(file: string, random: Random): Promise<string> {
  const activationCode = randomActivationCode(random);
  return changeDeviceFile(file, (state) =>
    Promise.resolve({ state: { ...state, activationCode }, result: activationCode }),
  );
}
