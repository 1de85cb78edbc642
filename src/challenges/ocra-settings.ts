import { type KnownSetting, readTruth } from '../configuration/setting.ts';
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
  /** `splitAtSign`: true if a user's name may include a realm. */
  readonly splitAtSign: boolean;
}

/** The known settings, by key, in the order in which they are shown. */
const SETTINGS = {
  OcraMaxChallenges: {
    initial: '4',
    form: 'number',
    min: 1,
    max: 1_000,
    meaning: 'open challenges of a token; a further one closes the oldest',
  },
  OcraMaxChallengeRequests: {
    initial: '3',
    form: 'number',
    min: 1,
    max: 1_000,
    meaning: 'wrong responses that close a challenge',
  },
  OcraChallengeTimeout: { initial: '20M', form: 'duration', meaning: 'lifetime of a challenge' },
  'ocra.timeWindow': {
    initial: '180',
    form: 'number',
    unit: 'seconds',
    min: 0,
    max: 86_400,
    meaning: "difference that a device's clock may have, either way",
  },
  'ocra.timeShift': {
    initial: '0',
    form: 'number',
    unit: 'seconds',
    min: -86_400,
    max: 86_400,
    meaning: "time added to the server's clock before it is compared",
  },
  OcraDefaultSuite: {
    initial: 'OCRA-1:HOTP-SHA256-8:C-QN08',
    form: 'suite',
    meaning: 'suite of plain tokens that name none',
  },
  QrOcraDefaultSuite: {
    initial: 'OCRA-1:HOTP-SHA256-8:C-QA64',
    form: 'suite',
    meaning: 'suite of QR-TAN apps',
  },
  AutoResync: {
    initial: 'False',
    form: 'truth',
    meaning: "two consecutive responses ahead of the windows resynchronise a token's counter",
  },
  DefaultMaxFailCount: {
    initial: '10',
    form: 'number',
    min: 1,
    max: 1_000_000,
    meaning: 'wrong responses in a row that lock a new token',
  },
  DefaultCountWindow: {
    initial: '10',
    form: 'number',
    min: 1,
    max: 1_000,
    meaning: 'counters ahead that a response of a new token may have',
  },
  DefaultSyncWindow: {
    initial: '1000',
    form: 'number',
    min: 1,
    max: 10_000,
    meaning: 'counters, or time steps, ahead that a resynchronisation of a new token tries',
  },
  splitAtSign: {
    initial: 'True',
    form: 'truth',
    meaning:
      'login@realm and realm\\login name a realm, if there is one of that name; False: all is the login',
  },
} as const satisfies Readonly<Record<string, Omit<KnownSetting, 'key'>>>;

type Key = keyof typeof SETTINGS;
/** Settings whose value is a whole number in a range. */
type NumberKey = { [One in Key]: (typeof SETTINGS)[One]['form'] extends 'number' ? One : never }[Key];

/** The settings that the server reads here, in the order in which they are shown. */
export const OCRA_SETTINGS: readonly KnownSetting[] = Object.entries(SETTINGS).map(([key, facts]) => ({
  key,
  ...facts,
}));

/** Defaults of the settings, by key. */
export const OCRA_DEFAULTS: ReadonlyMap<string, string> = new Map(
  Object.entries(SETTINGS).map(([key, { initial }]) => [key, initial]),
);

const READ = new WeakMap<ReadonlyMap<string, string>, OcraSettings>();

/**
 * Each request reads the settings of a configuration, which is replaced and never changed.
 * @param configuration the stored values, by key
 * @returns the settings, with defaults where the configuration has none
 * @throws ServiceError 'configuration.invalid' that names the key, when a stored value is invalid
 */
export function readOcraSettings(configuration: ReadonlyMap<string, string>): OcraSettings {
  const read = READ.get(configuration) ?? parseOcraSettings(configuration);
  READ.set(configuration, read);
  return read;
}

function parseOcraSettings(configuration: ReadonlyMap<string, string>): OcraSettings {
  const text = (key: Key): string => configuration.get(key) ?? SETTINGS[key].initial;
  const whole = (key: NumberKey): number => wholeNumber(key, text(key), SETTINGS[key]);
  return {
    maxChallenges: whole('OcraMaxChallenges'),
    maxChallengeRequests: whole('OcraMaxChallengeRequests'),
    challengeTimeout: duration('OcraChallengeTimeout', text('OcraChallengeTimeout')),
    timeWindow: whole('ocra.timeWindow'),
    timeShift: whole('ocra.timeShift'),
    defaultSuite: text('OcraDefaultSuite'),
    qrDefaultSuite: text('QrOcraDefaultSuite'),
    autoResync: readTruth('AutoResync', text('AutoResync')),
    defaultMaxFail: whole('DefaultMaxFailCount'),
    defaultCountWindow: whole('DefaultCountWindow'),
    defaultSyncWindow: whole('DefaultSyncWindow'),
    splitAtSign: readTruth('splitAtSign', text('splitAtSign')),
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

function wholeNumber(
  key: Key,
  text: string,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const value = /^-?\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (Number.isNaN(value) || value < min || value > max) {
    throw new ServiceError(
      'configuration.invalid',
      `The configuration value ${key} must be a whole number from ${min} to ${max}`,
    );
  }
  return value;
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
