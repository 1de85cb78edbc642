import { z } from 'zod';
import { CliFailure } from '../cli-failure.ts';

const hexText = z.string().regex(/^(?:[0-9a-f]{2})+$/);

const deviceToken = z.strictObject({
  serial: z.string().min(1),
  /** The OCRA suite of phase 1 of the roll-out. */
  suite: z.string().min(1),
  /** From phase 1, in hexadecimal: the key of phase 2 is derived from it. */
  sharedSecret: hexText,
  /** Derived in phase 2, in hexadecimal; null until then. */
  key: hexText.nullable(),
  /** The next counter (RFC 6287 C), in decimal: it may exceed JSON's safe integers. */
  counter: z.string().regex(/^\d{1,20}$/),
});

const deviceState = z.strictObject({
  version: z.literal(1),
  /** The activation code that this device uses for every phase 2; null: it prompts. */
  activationCode: z.string().nullable(),
  tokens: z.array(deviceToken).readonly(),
});

/** A token in the app's state. Holds secrets. */
export type DeviceToken = Readonly<z.output<typeof deviceToken>>;

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
  const parsed = deviceState.safeParse(parseJson(text));
  if (!parsed.success) {
    throw new CliFailure(`${file} is not the state of a virtual device; nothing was changed`);
  }
  return parsed.data;
}

/** @returns the text of the state's file */
export function formatDeviceState(state: DeviceState): string {
  return `${JSON.stringify(state, null, 2)}\n`;
}

/** @returns the token of that serial. Serials differ by more than case. */
export function findToken(state: DeviceState, serial: string): DeviceToken | undefined {
  return state.tokens.find((token) => sameSerial(token.serial, serial));
}

/** @returns the state with this token in place of the one with its serial, or added */
export function putToken(state: DeviceState, token: DeviceToken): DeviceState {
  const others = removeToken(state, token.serial).tokens;
  return {
    ...state,
    tokens: [...others, token].toSorted((left, right) => (left.serial < right.serial ? -1 : 1)),
  };
}

/** @returns the state without the token of that serial */
export function removeToken(state: DeviceState, serial: string): DeviceState {
  return { ...state, tokens: state.tokens.filter((token) => !sameSerial(token.serial, serial)) };
}

function sameSerial(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
