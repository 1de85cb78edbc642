import { parseDuration } from '../kernel/duration.ts';
import { ServiceError } from '../kernel/errors.ts';
import { parseOcraSuite } from '../ocra/suite.ts';

/** OCRA settings of the configuration. Keys and defaults are LinOTP's. */
export interface OcraSettings {
  /** `OcraMaxChallenges`: maximum number of open challenges of a token. */
  readonly maxChallenges: number;
  /** `OcraMaxChallengeRequests`: number of wrong responses that close a challenge. */
  readonly maxChallengeRequests: number;
  /** `OcraChallengeTimeout`, in seconds. */
  readonly challengeTimeout: number;
  /** `ocra.timeWindow`: maximum deviation of a device's clock, in seconds either way. */
  readonly timeWindow: number;
  /** `ocra.timeShift`: seconds added to the server's clock before the comparison. */
  readonly timeShift: number;
  /** `OcraDefaultSuite`: suite of plain tokens that name none. */
  readonly defaultSuite: string;
  /** `QrOcraDefaultSuite`: suite of the roll-out of QR-TAN tokens. */
  readonly qrDefaultSuite: string;
  /** `AutoResync`: true if two consecutive responses ahead of the windows resynchronise a token's counter. */
  readonly autoResync: boolean;
  /** `DefaultMaxFailCount`: number of wrong responses that lock a new token. */
  readonly defaultMaxFail: number;
  /** `DefaultCountWindow` of new tokens. */
  readonly defaultCountWindow: number;
  /** `DefaultSyncWindow` of new tokens. */
  readonly defaultSyncWindow: number;
}

const DEFAULTS = {
  OcraMaxChallenges: '4',
  OcraMaxChallengeRequests: '3',
  OcraChallengeTimeout: '20M',
  'ocra.timeWindow': '180',
  'ocra.timeShift': '0',
  OcraDefaultSuite: 'OCRA-1:HOTP-SHA256-8:C-QN08',
  QrOcraDefaultSuite: 'OCRA-1:HOTP-SHA256-8:C-QA64',
  AutoResync: 'False',
  DefaultMaxFailCount: '10',
  DefaultCountWindow: '10',
  DefaultSyncWindow: '1000',
} as const;

/** Defaults of the settings, by key. */
export const OCRA_DEFAULTS: ReadonlyMap<string, string> = new Map(Object.entries(DEFAULTS));

type Key = keyof typeof DEFAULTS;

/**
 * @returns the settings, with defaults where the configuration has none
 * @throws ServiceError 'configuration.invalid' that names the key, when a stored value is invalid
 */
export function readOcraSettings(configuration: ReadonlyMap<string, string>): OcraSettings {
  const text = (key: Key): string => configuration.get(key) ?? DEFAULTS[key];
  const whole = (key: Key, least: number, most: number): number => wholeNumber(key, text(key), least, most);
  return {
    maxChallenges: whole('OcraMaxChallenges', 1, 1_000),
    maxChallengeRequests: whole('OcraMaxChallengeRequests', 1, 1_000),
    challengeTimeout: duration('OcraChallengeTimeout', text('OcraChallengeTimeout')),
    timeWindow: whole('ocra.timeWindow', 0, 86_400),
    timeShift: whole('ocra.timeShift', -86_400, 86_400),
    defaultSuite: text('OcraDefaultSuite'),
    qrDefaultSuite: text('QrOcraDefaultSuite'),
    autoResync: truth('AutoResync', text('AutoResync')),
    defaultMaxFail: whole('DefaultMaxFailCount', 1, 1_000_000),
    defaultCountWindow: whole('DefaultCountWindow', 1, 1_000),
    defaultSyncWindow: whole('DefaultSyncWindow', 1, 10_000),
  };
}

/**
 * Checks values before they are stored, more strictly than reading them does: the default suites must be valid.
 * @throws ServiceError 'configuration.invalid' that names the key
 */
export function checkOcraSettings(configuration: ReadonlyMap<string, string>): void {
  const { defaultSuite, qrDefaultSuite } = readOcraSettings(configuration);
  checkSuite('OcraDefaultSuite', defaultSuite);
  checkSuite('QrOcraDefaultSuite', qrDefaultSuite);
}

function checkSuite(key: Key, text: string): void {
  try {
    parseOcraSuite(text);
  } catch (cause) {
    if (!(cause instanceof ServiceError)) {
      throw cause;
    }
    throw new ServiceError('configuration.invalid', `The configuration value ${key}: ${cause.message}`, {
      cause,
    });
  }
}

function wholeNumber(key: Key, text: string, least: number, most: number): number {
  const value = /^-?\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (Number.isNaN(value) || value < least || value > most) {
    throw new ServiceError(
      'configuration.invalid',
      `The configuration value ${key} must be a whole number from ${least} to ${most}`,
    );
  }
  return value;
}

function truth(key: Key, text: string): boolean {
  const value = text.trim().toLowerCase();
  if (!['true', 'false', '1', '0', 'yes', 'no', 'on', 'off', ''].includes(value)) {
    throw new ServiceError('configuration.invalid', `The configuration value ${key} must be True or False`);
  }
  return ['true', '1', 'yes', 'on'].includes(value);
}

function duration(key: Key, text: string): number {
  try {
    return parseDuration(text);
  } catch (cause) {
    throw new ServiceError(
      'configuration.invalid',
      `The configuration value ${key} is not a duration: use seconds (300) or a form like 1D2H3M4S`,
      { cause },
    );
  }
}
