import { parseDuration } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LICENCE_FORM, LICENCE_KEY, readLicence } from './licence.ts';
import { parseOcraSuite } from '../ocra/suite.ts';

/** A setting that the server reads. */
export interface KnownSetting {
  readonly key: string;
  /** The default; undefined: there is none. */
  readonly default?: string;
  /** `boolean`: True or False. `duration`: seconds (300) or a form like 1D2H3M4S. `suite`: an OCRA suite. */
  readonly type: 'number' | 'duration' | 'suite' | 'boolean' | 'text';
  readonly unit?: string;
  /** The bounds of a number. */
  readonly min?: number;
  readonly max?: number;
  /** The only truth that can be set, and why the other one is refused. */
  readonly only?: { readonly value: boolean; readonly reason: string };
  /** In one line. */
  readonly meaning: string;
}

export const MAX_VALUE_LENGTH = 8192;
/** The key of the error codes that `httperror` applies to; it has no default. */
export const ERROR_RESTRICTION = 'errors';
const ERROR_SETTING: KnownSetting = {
  key: ERROR_RESTRICTION,
  type: 'text',
  meaning: 'error codes to which the parameter httperror applies, a comma list; without a value: all',
};
const LICENCE_SETTING: KnownSetting = {
  key: LICENCE_KEY,
  type: 'text',
  meaning:
    'fields of the licence that /monitoring/license reports, as JSON, such as {"licensee": "Bank", "user-num": 500, "expire": "2027-12-31"}; without a value: community support',
};
/** Ends the questions for a backup. */
export const BACKUP_ELSEWHERE = 'BackupElsewhere';
const BACKUP_SETTING: KnownSetting = {
  key: BACKUP_ELSEWHERE,
  default: 'False',
  type: 'boolean',
  meaning: 'backups are made by other means than tankeeper export: first steps and doctor ask for none',
};
const INSTALLATION_NAME: KnownSetting = {
  key: 'InstallationName',
  type: 'text',
  meaning:
    'name of this installation at the sign-in and in the titles of the console, such as Test; readable without a sign-in',
};
const INSTALLATION_COLOUR: KnownSetting = {
  key: 'InstallationColour',
  type: 'text',
  meaning: 'colour of that name, such as #c92a2a; readable without a sign-in',
};
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

function isTruth(text: string): boolean {
  return /^(?:true|1|yes|on|false|0|no|off|)$/i.test(text.trim());
}

/** @throws ServiceError 'configuration.invalid' that names the key; an empty text is false */
function readTruth(key: string, text: string): boolean {
  if (!isTruth(text)) {
    throw invalid(key, ' must be True or False');
  }
  return isNotFalse(text);
}

/** @returns true for every text that does not say no, also for one that was stored before the key had a meaning */
export function isNotFalse(text: string): boolean {
  return !/^(?:false|0|no|off|)$/i.test(text.trim());
}

/** The settings that are obeyed, in the order in which they are shown. Keys and defaults are LinOTP's. */
const SETTINGS = {
  maxChallenges: {
    key: 'OcraMaxChallenges',
    default: '4',
    type: 'number',
    min: 1,
    max: 1_000,
    meaning: 'open challenges of a token; a further one closes the oldest',
  },
  maxChallengeRequests: {
    key: 'OcraMaxChallengeRequests',
    default: '3',
    type: 'number',
    min: 1,
    max: 1_000,
    meaning: 'wrong responses that close a challenge',
  },
  challengeTimeout: {
    key: 'OcraChallengeTimeout',
    default: '20M',
    type: 'duration',
    meaning: 'lifetime of new challenges',
  },
  timeWindow: {
    key: 'ocra.timeWindow',
    default: '180',
    type: 'number',
    unit: 'seconds',
    min: 0,
    max: 86_400,
    meaning: "difference that a device's clock may have, either way",
  },
  timeShift: {
    key: 'ocra.timeShift',
    default: '0',
    type: 'number',
    unit: 'seconds',
    min: -86_400,
    max: 86_400,
    meaning: "time added to the server's clock before it is compared",
  },
  defaultSuite: {
    key: 'OcraDefaultSuite',
    default: 'OCRA-1:HOTP-SHA256-8:C-QN08',
    type: 'suite',
    meaning: 'suite of plain tokens that name none',
  },
  qrDefaultSuite: {
    key: 'QrOcraDefaultSuite',
    default: 'OCRA-1:HOTP-SHA256-8:C-QA64',
    type: 'suite',
    meaning: 'suite of QR-TAN apps',
  },
  autoResync: {
    key: 'AutoResync',
    default: 'False',
    type: 'boolean',
    meaning: "two consecutive responses ahead of the windows resynchronise a token's counter",
  },
  autoResyncTimeout: {
    key: 'AutoResyncTimeout',
    default: '240',
    type: 'number',
    unit: 'seconds',
    min: 1,
    max: 86_400,
    meaning: 'time between the two responses of AutoResync, for HOTP and TOTP',
  },
  defaultMaxFail: {
    key: 'DefaultMaxFailCount',
    default: '10',
    type: 'number',
    min: 1,
    max: 1_000_000,
    meaning: 'wrong responses in a row that lock a new token',
  },
  defaultCountWindow: {
    key: 'DefaultCountWindow',
    default: '10',
    type: 'number',
    min: 1,
    max: 1_000,
    meaning: 'counters ahead that a response of a new token may have',
  },
  defaultSyncWindow: {
    key: 'DefaultSyncWindow',
    default: '1000',
    type: 'number',
    min: 1,
    max: 10_000,
    meaning: 'counters, or time steps, ahead that a resynchronisation of a new token tries',
  },
  splitAtSign: {
    key: 'splitAtSign',
    default: 'True',
    type: 'boolean',
    meaning:
      'login@realm and realm\\login name a realm, if there is one of that name; False: all is the login, or nobody has it and login@realm names one',
  },
  prependPin: {
    key: 'PrependPin',
    default: 'True',
    type: 'boolean',
    meaning: 'the PIN or password precedes the response; False: it follows the response',
  },
  defaultResetFailCount: {
    key: 'DefaultResetFailCount',
    default: 'True',
    type: 'boolean',
    only: { value: true, reason: 'it would lock a token by wrong responses that lie years apart' },
    meaning: 'an accepted response resets the fail counter; False is refused',
  },
  failCounterIncOnFalsePin: {
    key: 'FailCounterIncOnFalsePin',
    default: 'True',
    type: 'boolean',
    only: {
      value: true,
      reason:
        'a wrong PIN always counts, as PINs could else be tried without end, and the fail counter would tell the right one',
    },
    meaning: 'a wrong PIN counts as a wrong response; False is refused',
  },
  passOnUserNotFound: {
    key: 'PassOnUserNotFound',
    default: 'False',
    type: 'boolean',
    only: { value: false, reason: 'it would accept any response of a user who does not exist' },
    meaning: 'an unknown user is refused; True is refused',
  },
  passOnUserNoToken: {
    key: 'PassOnUserNoToken',
    default: 'False',
    type: 'boolean',
    only: { value: false, reason: 'it would accept any response of a user who has no token' },
    meaning: 'a user without a token is refused; True is refused',
  },
  allowSamlAttributes: {
    key: 'AllowSamlAttributes',
    default: 'False',
    type: 'boolean',
    meaning: '/validate/samlcheck tells the attributes of a user whose response it has accepted',
  },
} as const satisfies Readonly<Record<string, KnownSetting & { readonly default: string }>>;

/** Keys of LinOTP that are never stored; an import leaves them. */
interface RefusedSetting {
  /** In any case; `*` stands for any rest. */
  readonly keys: readonly string[];
  /** The values that ask for nothing, and are kept. */
  readonly unless?: { readonly pattern: RegExp; readonly words: string };
  readonly reason: string;
}

const FALSE = { pattern: /^(?:false|0|no|off|)$/i, words: '`False` or empty' };

/** Every other key that is not obeyed is kept for clients that read it again, and has no effect. */
export const REFUSED_SETTINGS: readonly RefusedSetting[] = [
  { keys: ['Policy.*'], reason: 'it is a part of a policy: set it as such' },
  {
    keys: ['passwdresolver.*', 'sqlresolver.*', 'ldapresolver.*', 'httpresolver.*', 'managedresolver.*'],
    reason: 'it is a part of a resolver: set it as such',
  },
  {
    keys: ['useridresolver.group.*'],
    reason: 'it is a part of a realm: set it as such',
  },
  { keys: ['DefaultRealm'], reason: 'it is the default realm: set it as such' },
  {
    keys: ['license*'],
    reason: 'it is a licence of LinOTP: monitoring.license has the fields of one',
  },
  {
    keys: ['mayOverwriteClient', 'client.*'],
    unless: FALSE,
    reason: 'the variable TRUST_PROXY says whose word for the address of a client counts',
  },
  {
    keys: ['DefaultBlockingTimeout'],
    unless: { pattern: /^0*$/, words: '`0` or empty' },
    reason: 'there is no pause between challenges',
  },
  {
    keys: ['Ocra2*'],
    reason: 'the settings of ocra tokens apply to ocra2 tokens',
  },
  {
    keys: ['Config', 'root', 'sql_data_model_version', 'uencode_data', 'utf8_conversion'],
    reason: "it describes the old server: its folder, or its database's encoding, version or last change",
  },
];

type ValueType = (typeof SETTINGS)[keyof typeof SETTINGS]['type'];
type ValueOf<Of extends ValueType> = {
  number: number;
  duration: number;
  suite: string;
  boolean: boolean;
}[Of];

/** The values of the settings: numbers, durations in seconds, names of suites, truths. */
export type OcraSettings = {
  readonly [Name in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[Name]['type']>;
};

/** The settings that are obeyed and have a default, in the order in which they are shown. */
export const OCRA_SETTINGS: readonly (KnownSetting & { readonly default: string })[] =
  Object.values(SETTINGS);

/** All settings that are obeyed. */
export const KNOWN_SETTINGS: readonly KnownSetting[] = [
  ...OCRA_SETTINGS,
  ERROR_SETTING,
  LICENCE_SETTING,
  BACKUP_SETTING,
  INSTALLATION_NAME,
  INSTALLATION_COLOUR,
];

/** Defaults of the settings, by key. */
export const OCRA_DEFAULTS: ReadonlyMap<string, string> = new Map(
  OCRA_SETTINGS.map(({ key, default: initial }) => [key, initial]),
);

/** @returns true for a key that the server obeys */
export function isObeyed(key: string): boolean {
  return KNOWN_SETTINGS.some((known) => known.key === key);
}

/** @returns why the key cannot have the value; undefined: it can, if its form is right */
export function whyRefused(key: string, value: string): string | undefined {
  const plain = key.toLowerCase();
  const refused = REFUSED_SETTINGS.find(({ keys }) =>
    keys
      .map((one) => one.toLowerCase())
      .some((one) => (one.endsWith('*') ? plain.startsWith(one.slice(0, -1)) : plain === one)),
  );
  return isObeyed(key) || refused?.unless?.pattern.test(value.trim()) === true ? undefined : refused?.reason;
}

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
    const text = configuration.get(setting.key) ?? setting.default;
    return [name, valueOf(setting, text)];
  });
  return Object.fromEntries(values) as OcraSettings;
}

function valueOf(setting: (typeof SETTINGS)[keyof typeof SETTINGS], text: string): string | number | boolean {
  if (setting.type === 'boolean' && setting !== SETTINGS.autoResync && !isTruth(text)) {
    // Any text may be stored under a key that was not read before, and no response may fail by it.
    return readTruth(setting.key, setting.default);
  }
  return setting.type === 'suite' ? text : READERS[setting.type](setting, text);
}

const READERS = {
  number: wholeNumber,
  duration,
  /** One that is stored in spite of `only` has no effect. */
  boolean: ({ key, only }: KnownSetting, text: string): boolean => only?.value ?? readTruth(key, text),
};

/**
 * Checks values before they are stored, more strictly than reading them does: the default suites and truths must be valid.
 * @throws ServiceError 'configuration.invalid' that names the key
 */
export function checkOcraSettings(configuration: ReadonlyMap<string, string>): void {
  const { defaultSuite, qrDefaultSuite } = readOcraSettings(configuration);
  for (const { key, type, only, default: initial } of OCRA_SETTINGS) {
    const isTrue = type === 'boolean' && readTruth(key, configuration.get(key) ?? initial);
    if (only !== undefined && isTrue !== only.value) {
      throw invalid(key, ` can only be ${only.value ? 'True' : 'False'} here: ${only.reason}`);
    }
  }
  checkSuite(SETTINGS.defaultSuite, defaultSuite);
  checkSuite(SETTINGS.qrDefaultSuite, qrDefaultSuite);
  readTruth(BACKUP_ELSEWHERE, configuration.get(BACKUP_ELSEWHERE) ?? '');
  checkTexts(configuration);
}

function checkTexts(configuration: ReadonlyMap<string, string>): void {
  for (const { key, isFit, form } of TEXTS) {
    const text = configuration.get(key);
    if (text !== undefined && !isFit(text)) {
      throw invalid(key, ` must be ${form}`);
    }
  }
}

/** Texts of a form of their own. */
const TEXTS: readonly {
  readonly key: string;
  readonly isFit: (text: string) => boolean;
  readonly form: string;
}[] = [
  { key: LICENCE_KEY, isFit: (text) => readLicence(text) !== undefined, form: LICENCE_FORM },
  { key: INSTALLATION_NAME.key, isFit: isName, form: '1 to 40 visible characters' },
  { key: INSTALLATION_COLOUR.key, isFit: isColour, form: '# and six hexadecimal digits' },
];

/** Without characters that turn or hide others: everybody reads it before the sign-in. */
function isName(text: string): boolean {
  return /^[^\p{C}\p{Zl}\p{Zp}]{1,40}$/u.test(text) && text.trim() !== '';
}

function isColour(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text);
}

/** What tells installations apart. Null: it is not set, or was stored with another form before the key had a meaning. */
export interface Installation {
  readonly name: string | null;
  readonly colour: string | null;
}

export function readInstallation(configuration: ReadonlyMap<string, string>): Installation {
  const name = configuration.get(INSTALLATION_NAME.key) ?? '';
  const colour = configuration.get(INSTALLATION_COLOUR.key) ?? '';
  return { name: isName(name) ? name : null, colour: isColour(colour) ? colour : null };
}

function checkSuite({ key }: KnownSetting, text: string): void {
  try {
    parseOcraSuite(text);
  } catch (cause) {
    if (!(cause instanceof ServiceError)) {
      throw cause;
    }
    throw invalid(key, `: ${cause.message}`, cause);
  }
}

function wholeNumber({ key, min = 0, max = 0 }: KnownSetting, text: string): number {
  const value = /^-?\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (Number.isNaN(value) || value < min || value > max) {
    throw invalid(key, ` must be a whole number from ${min} to ${max}`);
  }
  return value;
}

function duration({ key }: KnownSetting, text: string): number {
  try {
    return parseDuration(text);
  } catch (cause) {
    throw invalid(key, ' is not a duration: use seconds (300) or a form like 1D2H3M4S', cause);
  }
}

function invalid(key: string, reason: string, cause?: unknown): ServiceError {
  return new ServiceError('configuration.invalid', `The configuration value ${key}${reason}`, { cause });
}
