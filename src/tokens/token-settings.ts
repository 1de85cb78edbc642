import type { Random } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import { readPlainText } from '../kernel/text.ts';
import { MAX_USES, type Token, type TokenChange, type TokenUse, UNBOUND_USE, wholeWithin } from './token.ts';
import type { Sealed, Vault } from '../keys/vault.ts';
import { hash } from 'node:crypto';
import { equalBytes } from '../kernel/constant-time.ts';
import {
  OTP_DIGITS,
  OTP_TIME_STEPS,
  type OtpAlgorithm,
  otpAlgorithmText,
  readOtpAlgorithm,
} from '../ocra/otp.ts';
import { isHashName } from '../ocra/suite.ts';

/** Settings of a token; an absent one stays as it is. */
export interface TokenSettings {
  /** The token PIN. */
  readonly pin?: string | undefined;
  /** Wrong responses until the token locks, 1 to 1 000 000. */
  readonly maxFail?: number | undefined;
  /** 1 to 1 000. */
  readonly counterWindow?: number | undefined;
  /** 1 to 10 000. */
  readonly syncWindow?: number | undefined;
  /** For suites with P (RFC 6287 §6.3). */
  readonly ocraPin?: string | undefined;
  readonly description?: string | undefined;
  /** Seconds that the device's clock is ahead of the server's, a day at most in either direction. */
  readonly timeShift?: number | undefined;
  /** Period and counts of use. */
  readonly use?: UseSettings | undefined;
  /** Digits of HOTP and TOTP, 6 or 8. */
  readonly otpLength?: number | undefined;
  /** The hash function of HOTP and TOTP: sha1, sha256, sha512. */
  readonly hash?: string | undefined;
  /** Seconds of a step of TOTP, 30 or 60. */
  readonly timeStep?: number | undefined;
  /** Seconds by which the clock of TOTP may be wrong, in either direction, a day at most. */
  readonly timeWindow?: number | undefined;
}

const MAX_PIN_LENGTH = 255;
export const MAX_DESCRIPTION_LENGTH = 255;

/**
 * An empty PIN is none, and of no effect where the token has none: forms and old scripts send the field as it is.
 * @returns the change of the token, secrets sealed
 * @throws ServiceError 'parameter.missing' when there is nothing to set, 'parameter.invalid'
 */
export function settingsChange(
  settings: TokenSettings,
  token: Pick<Token, 'serial' | 'secrets' | 'use' | 'algorithm'>,
  vault: Vault,
  random: Random,
): TokenChange {
  const { serial, secrets: known, use: knownUse } = token;
  const { pin, ocraPin, description, use } = settings;
  const secrets = {
    ...(isToSet(pin, known.pin) && { pin: sealPin(pin, serial, vault, random) }),
    ...(isToSet(ocraPin, known.ocraPin) && { ocraPin: sealOcraPin(presentPin(ocraPin), serial, vault) }),
  };
  const change: TokenChange = {
    ...readNumbers(settings),
    ...readAlgorithm(settings, token),
    ...(description !== undefined && {
      description: readDescription(description),
    }),
    ...(Object.keys(secrets).length > 0 && { secrets }),
    ...(use !== undefined && { use: readUse(use, knownUse) }),
  };
  if (Object.values(settings).every((value) => value === undefined)) {
    throw new ServiceError('parameter.missing', 'There is nothing to set', { parameters: [] });
  }
  return change;
}

/**
 * @param settings one each, by name
 * @returns those that each of the tokens can have, in one; and of the others, by name, why not
 * @throws ServiceError as `settingsChange`, where there are no others, and for a PIN that cannot be: who sets one must not
 *   take it for set
 */
export function fittingSettings(
  settings: ReadonlyMap<string, TokenSettings>,
  tokens: readonly Token[],
  vault: Vault,
  random: Random,
): { readonly fitting: TokenSettings; readonly unfit: ReadonlyMap<string, string> } {
  let fitting: TokenSettings = {};
  const unfit = new Map<string, ServiceError>();
  const clash = clashOfEnds([...settings.values()]);
  // Twice: the beginning of a period may fit only with its end.
  for (const [name, setting] of [...settings, ...settings]) {
    if (clash !== undefined && isEnd(setting)) {
      unfit.set(name, clash);
      continue;
    }
    const more = { ...fitting, ...setting, ...(setting.use && { use: { ...fitting.use, ...setting.use } }) };
    try {
      tokens.forEach((token) => settingsChange(more, token, vault, random));
      fitting = more;
      unfit.delete(name);
    } catch (error) {
      unfit.set(name, unfitness(error, setting));
    }
  }
  const [only] = unfit.values();
  if (only !== undefined && unfit.size === settings.size) {
    const messages = [...unfit.values()].map(({ message }) => message).join('. ');
    throw unfit.size === 1 ? only : new ServiceError('parameter.invalid', messages);
  }
  return { fitting, unfit: new Map([...unfit].map(([name, { message }]) => [name, message])) };
}

/** @throws the error, unless the setting may stay out */
function unfitness(error: unknown, { pin, ocraPin }: TokenSettings): ServiceError {
  if (!isServiceError(error, 'parameter.invalid') || pin !== undefined || ocraPin !== undefined) {
    throw error;
  }
  return error;
}

function isEnd({ use }: TokenSettings): boolean {
  return use?.validFrom !== undefined || use?.validUntil !== undefined;
}

/** @returns the fault of a period whose ends can be, one without the other: half of it would be another period */
function clashOfEnds(settings: readonly TokenSettings[]): ServiceError | undefined {
  const ends = settings.filter(isEnd).map(({ use = {} }) => use);
  const faults = [...ends, Object.assign({}, ...ends) as UseSettings].map((use) => {
    try {
      readUse(use, UNBOUND_USE);
      return undefined;
    } catch (error) {
      if (isServiceError(error, 'parameter.invalid')) {
        return error;
      }
      throw error;
    }
  });
  return faults.slice(0, -1).every((fault) => fault === undefined) ? faults.at(-1) : undefined;
}

/** @returns false for an empty PIN where the token has none */
export function isToSet(pin: string | undefined, known: Sealed | null): pin is string {
  return pin !== undefined && (pin !== '' || known !== null);
}

/** @throws ServiceError 'parameter.invalid' for more than 255 characters, or control characters */
export function readDescription(description: string): string {
  return readPlainText(description, 'description', MAX_DESCRIPTION_LENGTH);
}

/** @throws ServiceError 'parameter.invalid' for an empty PIN, one of blanks, and one of more than 255 characters */
export function sealPin(pin: string, serial: string, vault: Vault, random: Random): Sealed {
  return vault.seal(pinVerifier(fittingPin(presentPin(pin), 'PIN'), random), 'pin', serial);
}

/**
 * @returns the token PIN of a token, sealed for another one
 * @throws ServiceError 'token.state' where it has none
 */
export function copiedPin(
  { serial, secrets: { pin } }: Pick<Token, 'serial' | 'secrets'>,
  to: string,
  vault: Vault,
): Sealed {
  if (pin === null) {
    throw new ServiceError('token.state', `The token '${serial}' has no PIN`);
  }
  return vault.seal(vault.open(pin, 'pin', serial), 'pin', to);
}

/**
 * The token PIN of an enrolment or key file, whose forms have a field for it.
 * @returns null for an empty one: there is none
 * @throws ServiceError 'parameter.invalid' for a PIN of blanks, and one of more than 255 characters
 */
export function sealFirstPin(pin: string, serial: string, vault: Vault, random: Random): Sealed | null {
  return pin === '' ? null : sealPin(pin, serial, vault, random);
}

/**
 * @returns null for an empty one: there is none
 * @throws ServiceError 'parameter.invalid' for a PIN of blanks, and one of more than 255 characters
 */
export function sealOcraPin(pin: string, serial: string, vault: Vault): Sealed | null {
  const fitting = fittingPin(pin === '' ? pin : presentPin(pin), 'OCRA PIN');
  return fitting === '' ? null : vault.seal(Buffer.from(fitting, 'utf8'), 'ocra-pin', serial);
}

/** Nobody takes away a PIN by a field left empty, or sets one that looks like none. */
function presentPin(pin: string): string {
  if (!/[^\s\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u.test(pin)) {
    throw new ServiceError(
      'parameter.invalid',
      'A PIN has a character that can be seen. To remove the PIN, ask for that: removepin=1 or removeocrapin=1, on the command line `token remove-pin`',
      { parameter: 'pin' },
    );
  }
  return pin;
}

function fittingPin(pin: string, what: string): string {
  if (pin.length > MAX_PIN_LENGTH) {
    throw new ServiceError('parameter.invalid', `The ${what} has at most ${MAX_PIN_LENGTH} characters`);
  }
  return pin;
}

const MAX_CLOCK_SHIFT = 86_400;
/** Seconds. */
export const MAX_TIME_WINDOW = 86_400;

function fittingShift(seconds: number): number {
  if (!Number.isSafeInteger(seconds) || Math.abs(seconds) > MAX_CLOCK_SHIFT) {
    throw new ServiceError(
      'parameter.invalid',
      `The time shift is a whole number of seconds from -${MAX_CLOCK_SHIFT} to ${MAX_CLOCK_SHIFT}`,
      { parameter: 'timeShift' },
    );
  }
  return seconds;
}

function readNumbers(settings: TokenSettings): TokenChange {
  const { maxFail, counterWindow, syncWindow, timeShift } = settings;
  return {
    ...(timeShift !== undefined && { timeShift: fittingShift(timeShift) }),
    ...(maxFail !== undefined && { maxFail: wholeWithin(maxFail, 'fail counter limit', 1_000_000) }),
    ...(counterWindow !== undefined && {
      counterWindow: wholeWithin(counterWindow, 'counter window', 1_000),
    }),
    ...(syncWindow !== undefined && { syncWindow: wholeWithin(syncWindow, 'sync window', 10_000) }),
  };
}

const OF_SUITE = 'It is part of the OCRA suite, which stays that of the enrolment';

/** @throws ServiceError 'parameter.invalid' also for a token of neither HOTP nor TOTP */
function readAlgorithm(settings: TokenSettings, { algorithm }: Pick<Token, 'algorithm'>): TokenChange {
  const known = readOtpAlgorithm(algorithm);
  const { timeWindow } = settings;
  if (timeWindow !== undefined && known?.timeStep === undefined) {
    throw invalid('timeWindow', 'It is one for all tokens: the configuration value ocra.timeWindow');
  }
  return {
    ...(timeWindow !== undefined && { timeWindow: wholeWithin(timeWindow, 'time window', MAX_TIME_WINDOW) }),
    ...(changesAlgorithm(settings) && { algorithm: otpAlgorithmText(changedAlgorithm(settings, known)) }),
  };
}

function changesAlgorithm({ otpLength, hash, timeStep }: TokenSettings): boolean {
  return otpLength !== undefined || hash !== undefined || timeStep !== undefined;
}

function changedAlgorithm(
  { otpLength, hash, timeStep }: TokenSettings,
  known: OtpAlgorithm | undefined,
): OtpAlgorithm {
  if (known === undefined || (timeStep !== undefined && known.timeStep === undefined)) {
    throw invalid('algorithm', OF_SUITE);
  }
  const name = hash?.toLowerCase() ?? known.hash;
  if (!isHashName(name)) {
    throw invalid('hashlib', 'The hash function is sha1, sha256 or sha512');
  }
  return {
    hash: name,
    digits: oneOf('OtpLen', otpLength ?? known.digits, OTP_DIGITS),
    timeStep: known.timeStep && oneOf('timeStep', timeStep ?? known.timeStep, OTP_TIME_STEPS),
  };
}

function oneOf(parameter: string, value: number, allowed: readonly number[]): number {
  if (!allowed.includes(value)) {
    throw invalid(parameter, `The value is ${allowed.join(' or ')}`);
  }
  return value;
}

const VERSION = 1;
const SALT_LENGTH = 16;
const HASH_LENGTH = 32;

/**
 * Computes the verifier of a token PIN: `version (1) | salt (16) | SHA-256(UTF-8(PIN) | salt)`, with LinOTP's hash so that
 * its PINs can be imported. A PIN is short and the hash fast, so the protection is the seal of the vault; the hash only
 * keeps the PIN itself out of memory and backups.
 * @returns 49 bytes, to be sealed for the purpose `pin`
 */
export function pinVerifier(pin: string, random: Random): Buffer {
  const salt = random.bytes(SALT_LENGTH);
  return Buffer.concat([Buffer.of(VERSION), salt, hashOf(pin, salt)]);
}

/**
 * Compares in constant time.
 * @param verifier of `pinVerifier`; null: there is no PIN, and only an empty one matches
 * @throws ServiceError 'secret.unreadable' for another form of verifier
 */
export function checkPin(verifier: Buffer | null, pin: string): boolean {
  if (verifier === null) {
    return equalBytes(Buffer.from(pin, 'utf8'), Buffer.alloc(0));
  }
  if (verifier.length !== 1 + SALT_LENGTH + HASH_LENGTH || verifier[0] !== VERSION) {
    throw new ServiceError('secret.unreadable', 'The PIN of the token cannot be read', {
      detail: `unknown form of PIN verifier, ${verifier.length} bytes`,
    });
  }
  const salt = verifier.subarray(1, 1 + SALT_LENGTH);
  return equalBytes(verifier.subarray(1 + SALT_LENGTH), hashOf(pin, salt));
}

function hashOf(pin: string, salt: Uint8Array): Buffer {
  return Buffer.from(hash('sha256', Buffer.concat([Buffer.from(pin, 'utf8'), salt]), 'binary'), 'latin1');
}

/** Changes of period and counts as texts; an empty text removes a bound, or sets a count to 0. */
export type UseSettings = Readonly<Partial<Record<keyof TokenUse, string | undefined>>>;

/**
 * @param known the present use, with which the change must fit
 * @throws ServiceError 'parameter.invalid' that names the setting
 */
function readUse(settings: UseSettings, known: TokenUse): Partial<TokenUse> {
  const { validFrom, validUntil } = settings;
  const change: Partial<TokenUse> = {
    ...(validFrom !== undefined && { validFrom: readMoment(validFrom, 'validityPeriodStart') }),
    ...(validUntil !== undefined && { validUntil: readMoment(validUntil, 'validityPeriodEnd') }),
    ...readCounts(settings),
  };
  const { validFrom: from, validUntil: until } = { ...known, ...change };
  if (from !== null && until !== null && from >= until) {
    throw invalid('validityPeriodEnd', 'is after validityPeriodStart');
  }
  return change;
}

function readCounts({ useCount, maxUses, successCount, maxSuccesses }: UseSettings): Partial<TokenUse> {
  return {
    ...(useCount !== undefined && { useCount: readCount(useCount, 'countAuth') }),
    ...(maxUses !== undefined && { maxUses: readCount(maxUses, 'countAuthMax') || null }),
    ...(successCount !== undefined && { successCount: readCount(successCount, 'countAuthSuccess') }),
    ...(maxSuccesses !== undefined && {
      maxSuccesses: readCount(maxSuccesses, 'countAuthSuccessMax') || null,
    }),
  };
}

function readCount(text: string, parameter: string): number {
  const number = text.trim() === '' ? 0 : Number(text);
  if (!/^\s*\d*\s*$/.test(text) || number > MAX_USES) {
    throw invalid(parameter, `is a whole number from 0 to ${MAX_USES}, or empty`);
  }
  return number;
}

/** In the server's local time zone, set by TZ, as LinOTP has it; or with a zone, as ISO 8601 has it. */
function readMoment(text: string, parameter: string): Date | null {
  if (text.trim() === '') {
    return null;
  }
  const at = readDayFirst(text) ?? readIso(text);
  if (at === undefined) {
    throw invalid(parameter, 'is a time such as 31/12/26 18:00 or 2026-12-31T18:00:00Z, or empty');
  }
  return at;
}

/** @returns year, month, day, hour and minute of `31/12/26 18:00`; undefined for another form */
export function partsOfDayFirst(text: string): readonly [number, number, number, number, number] | undefined {
  const form =
    /^(?<day>[0-3]?\d)\/(?<month>0?[1-9]|1[0-2])\/(?<year>\d{2}|[1-9]\d{3}) (?<hour>[01]?\d|2[0-3]):(?<minute>[0-5]\d)$/;
  const { groups } = form.exec(text.trim()) ?? {};
  if (groups === undefined) {
    return undefined;
  }
  const number = (name: string): number => Number(groups[name]);
  const year = number('year');
  return [year < 100 ? 2000 + year : year, number('month'), number('day'), number('hour'), number('minute')];
}

function readDayFirst(text: string): Date | undefined {
  const parts = partsOfDayFirst(text);
  if (parts === undefined) {
    return undefined;
  }
  const [year, month, day, hour, minute] = parts;
  const at = new Date(year, month - 1, day, hour, minute);
  return at.getDate() === day ? at : undefined;
}

function readIso(text: string): Date | undefined {
  const isIso = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text.trim());
  const at = new Date(isIso && isCalendarDay(text.trim().slice(0, 10)) ? text.trim() : Number.NaN);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

/** @returns true for a day of the calendar such as 2030-01-31: `Date` takes the 31st of each month */
function isCalendarDay(day: string): boolean {
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
}

/** @returns `31/12/26 18:00`, in the server's local time zone */
export function writeDayFirst(at: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [at.getDate(), at.getMonth() + 1, at.getFullYear() % 100].map(two).join('/');
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

function invalid(parameter: string, rule: string): ServiceError {
  return new ServiceError('parameter.invalid', `The parameter '${parameter}' ${rule}`, { parameter });
}
