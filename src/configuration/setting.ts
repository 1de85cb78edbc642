import { ServiceError } from '../kernel/errors.ts';
import { isStorable } from '../kernel/text.ts';

/** A setting that the server reads. */
export interface KnownSetting {
  readonly key: string;
  /** The default; undefined: there is none. */
  readonly initial?: string;
  /** `truth`: True or False. `duration`: seconds (300) or a form like 1D2H3M4S. `suite`: an OCRA suite. */
  readonly form: 'number' | 'duration' | 'suite' | 'truth' | 'text';
  readonly unit?: string;
  /** The bounds of a number. */
  readonly min?: number;
  readonly max?: number;
  /** The only truth that can be set, and why the other one is refused. */
  readonly only?: { readonly value: boolean; readonly reason: string };
  /** In one line. */
  readonly meaning: string;
}

const KEY = /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,254}$/;
export const MAX_VALUE_LENGTH = 8192;
/** The key of the error codes that `httperror` applies to; it has no default. */
export const ERROR_RESTRICTION = 'errors';
/** The setting of this key. */
export const ERROR_SETTING: KnownSetting = {
  key: ERROR_RESTRICTION,
  form: 'text',
  meaning: 'error codes to which the parameter httperror applies, a comma list; without a value: all',
};
/** Parts of keys of LinOTP whose values may be secrets. The server reads none of them. */
const SECRET_KEY = /pass|secret|private|credential|(?:^|[._-])(?:pin|key)$/i;
/** Prefix of every key in LinOTP's own table. */
const PREFIX = 'linotp.';

/**
 * @param known keys that the server reads
 * @returns the key as it is stored: without LinOTP's prefix, and in the server's spelling if the server reads it
 */
export function canonicalKey(key: string, known: Iterable<string>): string {
  const trimmed = key.trim();
  const plain = trimmed.startsWith(PREFIX) ? trimmed.slice(PREFIX.length) : trimmed;
  return [...known].find((one) => one.toLowerCase() === plain.toLowerCase()) ?? plain;
}

/** @returns true for a key whose value may be a secret that an import or an old client has stored */
export function mayBeSecret(key: string): boolean {
  return SECRET_KEY.test(key);
}

/** @returns true if the text says yes or no */
export function isTruth(text: string): boolean {
  return /^(?:true|1|yes|on|false|0|no|off|)$/i.test(text.trim());
}

/** @throws ServiceError 'configuration.invalid' that names the key; an empty text is false */
export function readTruth(key: string, text: string): boolean {
  if (!isTruth(text)) {
    throw invalid(`The configuration value ${key} must be True or False`);
  }
  return isNotFalse(text);
}

/** @returns true for every text that does not say no, also for one that was stored before the key had a meaning */
export function isNotFalse(text: string): boolean {
  return !/^(?:false|0|no|off|)$/i.test(text.trim());
}

/** @throws ServiceError 'configuration.invalid' for a key or a value that cannot be stored; never quotes the value */
export function assertSetting(key: string, value: string): void {
  if (!KEY.test(key)) {
    throw invalid(
      `'${key.slice(0, 100)}' is no configuration key: 1 to 255 letters A to Z, digits and any of _ . : -`,
    );
  }
  if (value.length > MAX_VALUE_LENGTH || !isStorable(value)) {
    throw invalid(
      `The configuration value ${key} has at most ${MAX_VALUE_LENGTH} characters, none of them NUL`,
    );
  }
}

function invalid(message: string): ServiceError {
  return new ServiceError('configuration.invalid', message);
}
