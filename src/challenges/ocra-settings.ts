import { isTruth, type KnownSetting, readTruth } from '../configuration/setting.ts';
import { parseDuration } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { parseOcraSuite } from '../ocra/suite.ts';

/** The settings of OCRA, in the order in which they are shown. Keys and defaults are LinOTP's. */
const SETTINGS = {
  maxChallenges: {
    key: 'OcraMaxChallenges',
    initial: '4',
    form: 'number',
    min: 1,
    max: 1_000,
    meaning: 'open challenges of a token; a further one closes the oldest',
  },
  maxChallengeRequests: {
    key: 'OcraMaxChallengeRequests',
    initial: '3',
    form: 'number',
    min: 1,
    max: 1_000,
    meaning: 'wrong responses that close a challenge',
  },
  challengeTimeout: {
    key: 'OcraChallengeTimeout',
    initial: '20M',
    form: 'duration',
    meaning: 'lifetime of a challenge',
  },
  timeWindow: {
    key: 'ocra.timeWindow',
    initial: '180',
    form: 'number',
    unit: 'seconds',
    min: 0,
    max: 86_400,
    meaning: "difference that a device's clock may have, either way",
  },
  timeShift: {
    key: 'ocra.timeShift',
    initial: '0',
    form: 'number',
    unit: 'seconds',
    min: -86_400,
    max: 86_400,
    meaning: "time added to the server's clock before it is compared",
  },
  defaultSuite: {
    key: 'OcraDefaultSuite',
    initial: 'OCRA-1:HOTP-SHA256-8:C-QN08',
    form: 'suite',
    meaning: 'suite of plain tokens that name none',
  },
  qrDefaultSuite: {
    key: 'QrOcraDefaultSuite',
    initial: 'OCRA-1:HOTP-SHA256-8:C-QA64',
    form: 'suite',
    meaning: 'suite of QR-TAN apps',
  },
  autoResync: {
    key: 'AutoResync',
    initial: 'False',
    form: 'truth',
    meaning: "two consecutive responses ahead of the windows resynchronise a token's counter",
  },
  defaultMaxFail: {
    key: 'DefaultMaxFailCount',
    initial: '10',
    form: 'number',
    min: 1,
    max: 1_000_000,
    meaning: 'wrong responses in a row that lock a new token',
  },
  defaultCountWindow: {
    key: 'DefaultCountWindow',
    initial: '10',
    form: 'number',
    min: 1,
    max: 1_000,
    meaning: 'counters ahead that a response of a new token may have',
  },
  defaultSyncWindow: {
    key: 'DefaultSyncWindow',
    initial: '1000',
    form: 'number',
    min: 1,
    max: 10_000,
    meaning: 'counters, or time steps, ahead that a resynchronisation of a new token tries',
  },
  splitAtSign: {
    key: 'splitAtSign',
    initial: 'True',
    form: 'truth',
    meaning:
      'login@realm and realm\\login name a realm, if there is one of that name; False: all is the login',
  },
  prependPin: {
    key: 'PrependPin',
    initial: 'True',
    form: 'truth',
    meaning: 'the PIN or password precedes the response; False: it follows the response',
  },
  failCounterIncOnFalsePin: {
    key: 'FailCounterIncOnFalsePin',
    initial: 'True',
    form: 'truth',
    only: {
      value: true,
      reason:
        'a wrong PIN always counts, as PINs could else be tried without end, and the fail counter would tell the right one',
    },
    meaning: 'a wrong PIN counts as a wrong response; False is refused',
  },
  passOnUserNotFound: {
    key: 'PassOnUserNotFound',
    initial: 'False',
    form: 'truth',
    only: { value: false, reason: 'it would accept any response of a user who does not exist' },
    meaning: 'an unknown user is refused; True is refused',
  },
  passOnUserNoToken: {
    key: 'PassOnUserNoToken',
    initial: 'False',
    form: 'truth',
    only: { value: false, reason: 'it would accept any response of a user who has no token' },
    meaning: 'a user without a token is refused; True is refused',
  },
  allowSamlAttributes: {
    key: 'AllowSamlAttributes',
    initial: 'False',
    form: 'truth',
    meaning: '/validate/samlcheck tells the attributes of a user whose response it has accepted',
  },
} as const satisfies Readonly<Record<string, KnownSetting & { readonly initial: string }>>;

type Form = (typeof SETTINGS)[keyof typeof SETTINGS]['form'];
type ValueOf<Of extends Form> = { number: number; duration: number; suite: string; truth: boolean }[Of];

/** The values of the settings: numbers, durations in seconds, names of suites, truths. */
export type OcraSettings = {
  readonly [Name in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[Name]['form']>;
};

/** The settings that the server reads here, in the order in which they are shown. */
export const OCRA_SETTINGS: readonly (KnownSetting & { readonly initial: string })[] =
  Object.values(SETTINGS);

/** Defaults of the settings, by key. */
export const OCRA_DEFAULTS: ReadonlyMap<string, string> = new Map(
  OCRA_SETTINGS.map(({ key, initial }) => [key, initial]),
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
  const values = Object.entries(SETTINGS).map(([name, setting]) => {
    const text = configuration.get(setting.key) ?? setting.initial;
    return [name, valueOf(setting, text)];
  });
  return Object.fromEntries(values) as OcraSettings;
}

function valueOf(setting: (typeof SETTINGS)[keyof typeof SETTINGS], text: string): string | number | boolean {
  if (setting.form === 'truth' && setting !== SETTINGS.autoResync && !isTruth(text)) {
    // Any text may be stored under a key that was not read before, and no response may fail by it.
    return readTruth(setting.key, setting.initial);
  }
  return setting.form === 'suite' ? text : READERS[setting.form](setting, text);
}

const READERS = {
  number: wholeNumber,
  duration,
  /** One that is stored in spite of `only` has no effect. */
  truth: ({ key, only }: KnownSetting, text: string): boolean => only?.value ?? readTruth(key, text),
};

/**
 * Checks values before they are stored, more strictly than reading them does: the default suites and truths must be valid.
 * @throws ServiceError 'configuration.invalid' that names the key
 */
export function checkOcraSettings(configuration: ReadonlyMap<string, string>): void {
  const { defaultSuite, qrDefaultSuite } = readOcraSettings(configuration);
  for (const { key, form, only, initial } of OCRA_SETTINGS) {
    const isTrue = form === 'truth' && readTruth(key, configuration.get(key) ?? initial);
    if (only !== undefined && isTrue !== only.value) {
      throw new ServiceError(
        'configuration.invalid',
        `The configuration value ${key} can only be ${only.value ? 'True' : 'False'} here: ${only.reason}`,
      );
    }
  }
  checkSuite(SETTINGS.defaultSuite, defaultSuite);
  checkSuite(SETTINGS.qrDefaultSuite, qrDefaultSuite);
}

function checkSuite({ key }: KnownSetting, text: string): void {
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

function wholeNumber({ key, min = 0, max = 0 }: KnownSetting, text: string): number {
  const value = /^-?\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (Number.isNaN(value) || value < min || value > max) {
    throw new ServiceError(
      'configuration.invalid',
      `The configuration value ${key} must be a whole number from ${min} to ${max}`,
    );
  }
  return value;
}

function duration({ key }: KnownSetting, text: string): number {
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
