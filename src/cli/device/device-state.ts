import { z } from 'zod';
import { parseJsonOrUndefined } from '../../kernel/text.ts';
import type { DeviceToken } from '../../device/device-token.ts';
import { CliFailure } from '../cli-failure.ts';

const hexText = z.string().regex(/^(?:[0-9a-f]{2})+$/);

const deviceToken: z.ZodType<DeviceToken> = z.strictObject({
  serial: z.string().min(1),
  suite: z.string().min(1),
  sharedSecret: hexText,
  key: hexText.nullable(),
  counter: z.string().regex(/^\d{1,20}$/),
});

const deviceState = z.strictObject({
  version: z.literal(1),
  /** The activation code that this device uses for every phase 2; null: it prompts. */
  activationCode: z.string().nullable(),
  tokens: z.array(deviceToken).readonly(),
});

/** The app's whole state. Holds secrets. */
export type DeviceState = Readonly<z.output<typeof deviceState>>;

/** @returns the state of a newly installed app */
export function emptyDeviceState(): DeviceState {
  return { version: 1, activationCode: null, tokens: [] };
}

/**
 * @param file for the message
 * @throws CliFailure if the text is no state that this version knows
 */
export function parseDeviceState(text: string, file: string): DeviceState {
  const parsed = deviceState.safeParse(parseJsonOrUndefined(text));
  if (!parsed.success) {
    throw new CliFailure(`${file} is not the state of a virtual device; nothing was changed`);
  }
  return parsed.data;
}

/** @returns the text of the state's file */
export function formatDeviceState(state: DeviceState): string {
  return `${JSON.stringify(state, null, 2)}\n`;
}
