import type { CommandContext } from '../command-context.ts';
import { safeText } from '../../kernel/text.ts';
import { changeDeviceFile } from './device-file.ts';
import { type DeviceAnswer, type DeviceQuestions, VirtualDevice } from './virtual-device.ts';

/**
 * Lets the virtual device read a code.
 * @param file the file of its state
 * @returns its display
 * @throws ServiceError 'qrtan-url.invalid' for a code that it refuses
 */
export function readByDevice(
  { dependencies: { clock } }: CommandContext,
  file: string,
  text: string,
  questions: DeviceQuestions,
): Promise<DeviceAnswer> {
  const device = new VirtualDevice({ clock });
  return changeDeviceFile(file, async (state) => {
    const scanned = await device.scan(state, text, questions);
    return { state: scanned.state, result: scanned.answer };
  });
}

/** @returns the lines that the device shows for a challenge */
export function deviceScreen(answer: DeviceAnswer): string {
  return answer.kind === 'init'
    ? `The virtual device has read the code: ${safeText(answer.serial)} is on it.`
    : `The virtual device shows:\n  message   ${safeText(answer.message)}\n  response  ${answer.response}`;
}
