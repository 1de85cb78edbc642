import { isServiceError } from '../kernel/errors.ts';
import { isStorable, storableForm } from '../kernel/text.ts';
import { OTP_DIGITS, OTP_TIME_STEPS, type OtpAlgorithm, otpAlgorithmText } from '../ocra/otp.ts';
import { isHashName, parseOcraSuite } from '../ocra/suite.ts';
import {
  hashedTextForm,
  isSerial,
  OCRA_TYPES,
  type Rollout,
  type TokenUse,
  TOTP_TIME_WINDOW,
} from '../tokens/token.ts';
import { isShaCrypt } from '../users/password-hash.ts';
import { partsOfDayFirst, MAX_DESCRIPTION_LENGTH, MAX_TIME_WINDOW } from '../tokens/token-settings.ts';
import {
  type EncryptionKey,
  UnreadableSecret,
  infoText,
  openTokenSecrets,
  type PlainTokenSecrets,
  publicInfo,
  readTokenInfo,
  type TokenInfo,
} from './secrets.ts';
import {
  type LocalTime,
  readUtc,
  faultOfLength,
  flagOf,
  shortened,
  type SourceRow,
  textOf,
  wholeOf,
} from './linotp-source.ts';
import type { TextRepair } from './installation-reading.ts';
import type { Mapped } from './import-report.ts';
import { resolverNameOf } from './configuration-mapping.ts';

/** A token of LinOTP in the form in which it is stored, with its secrets in clear. */
export interface ImportedToken {
  /** Lower-case. */
  readonly type: string;
  /** As LinOTP spells it: `HMAC`, `mOTP`. */
  readonly typeName: string;
  readonly serial: string;
  readonly description: string;
  readonly active: boolean;
  readonly realms: readonly string[];
  /** null: unassigned, or the resolver is not imported. */
  readonly owner: { readonly resolver: string; readonly userId: string } | null;
  /** The owner in LinOTP's columns; empty texts: unassigned. */
  readonly source: { readonly resolverClass: string; readonly resolverId: string; readonly userId: string };
  readonly failCount: number;
  readonly maxFail: number;
  /** Of TOTP tokens that are checked the second in which the next time step begins. */
  readonly counter: number;
  readonly counterWindow: number;
  readonly syncWindow: number;
  readonly timeShift: number;
  /** The maximum deviation of a TOTP token's clock, in seconds. */
  readonly timeWindow?: number | undefined;
  readonly otpLength: number;
  /** An OCRA suite, or HOTP or TOTP as `otpAlgorithmText` writes it. */
  readonly algorithm: string | null;
  readonly rollout: Rollout;
  readonly replayMarkers: readonly string[];
  readonly secrets: PlainTokenSecrets;
  readonly info: TokenInfo;
  readonly use: TokenUse;
  readonly createdAt: Date | null;
  readonly lastSuccessAt: Date | null;
  readonly lastMatchAt: Date | null;
}

/** The facts about tokens in the rest of the database. */
export interface TokenContext {
  readonly encryptionKey: EncryptionKey;
  readonly repair: TextRepair;
  /** The zone of the old server's clock. */
  readonly localTime: LocalTime;
  /** Names of the realms by their ids. */
  readonly realmNames: ReadonlyMap<number, string>;
  /** Names of the realms that are imported. */
  readonly realms: ReadonlySet<string>;
  /** Names of the resolvers that are imported. */
  readonly resolvers: ReadonlySet<string>;
}

const MAX_INTEGER = 2 ** 31 - 1;
/** The longest text of a pw token of which LinOTP has a hash. */
const MAX_TEXT = 1_000;

/** Characters of columns. A description is cut instead. */
const BOUNDS = {
  linotptokenserialnumber: 64,
  linotptokentype: 64,
  linotptokendesc: Infinity,
  linotpidresolver: 1024,
  linotpidresclass: 1024,
  linotpuserid: 1024,
};

export function mapToken(
  row: SourceRow,
  realmIds: readonly number[],
  context: TokenContext,
): Mapped<ImportedToken> {
  const serial = context.repair(textOf(row, 'linotptokenserialnumber'));
  const place = { name: serial, row: `Token ${textOf(row, 'linotptokenid')}` };
  const fault = faultOfLength(row, BOUNDS);
  if (fault !== undefined) {
    return { ...place, name: shortened(serial), value: undefined, reasons: [fault] };
  }
  const reasons: string[] = [];
  if (serial === '' || !isStorable(serial)) {
    return { ...place, value: undefined, reasons: ['it has no serial that can be stored'] };
  }
  try {
    const value = readToken(serial, row, realmIds, context, reasons);
    const kept = whyKept(value);
    const remarks = [
      ...(kept === undefined ? [] : [kept]),
      ...(value.type === 'spass' && value.secrets.pin === null
        ? ['it has no PIN: nothing is accepted for it, unless the policy otppin asks for the password']
        : []),
      ...(isSerial(serial) ? [] : ['its serial, which could be taken for another one, is kept']),
    ];
    return { ...place, value, reasons, remarks };
  } catch (error) {
    if (error instanceof UnreadableSecret) {
      return { ...place, value: undefined, reasons: [`its secret cannot be read: ${error.message}`] };
    }
    throw error;
  }
}

function readToken(
  serial: string,
  row: SourceRow,
  realmIds: readonly number[],
  context: TokenContext,
  reasons: string[],
): ImportedToken {
  const text = (column: string): string => storableForm(context.repair(textOf(row, column)));
  const storedType = text('linotptokentype').trim();
  const typeName = storedType === '' ? 'HMAC' : storedType;
  const type = typeName.toLowerCase();
  const info = readTokenInfo(text('linotptokeninfo'));
  if (info === undefined) {
    reasons.push('its TokenInfo is not readable, and is left');
  }
  const entries = info ?? {};
  const source = {
    resolverClass: text('linotpidresclass').trim(),
    resolverId: text('linotpidresolver').trim(),
    userId: text('linotpuserid').trim(),
  };
  const isOcra = OCRA_TYPES.includes(type);
  const otpLength = clamp('OTP length', wholeOf(row, 'linotpotplen') ?? 0, 0, MAX_INTEGER, reasons);
  const counter = clamp('counter', wholeOf(row, 'linotpcount') ?? 0, 0, Number.MAX_SAFE_INTEGER, reasons);
  const opened = openTokenSecrets(type, row, entries, context.encryptionKey, reasons);
  const secrets = withoutUnreadable(opened, otpLength);
  return {
    type,
    typeName,
    serial,
    source,
    description: readDescription(text('linotptokendesc'), reasons),
    active: flagOf(row, 'linotpisactive'),
    realms: readRealms(realmIds, context, reasons),
    owner: readOwner(source, context, reasons),
    ...readLimits(row, reasons),
    counter,
    timeShift: readTimeShift(entries, reasons),
    use: readTokenUse(entries, context.localTime, reasons),
    otpLength,
    ...(isOcra
      ? readOcra(entries, counter, reasons)
      : { ...PLAIN, ...readPassAlgorithm({ type, otpLength, secrets, info: entries }, counter, reasons) }),
    secrets: withSharedSecret(secrets, entries, isOcra),
    info: publicInfo(entries),
    createdAt: readUtc(textOf(row, 'linotpcreationdate')) ?? null,
    lastSuccessAt: readUtc(textOf(row, 'linotplastauthsuccess')) ?? null,
    lastMatchAt: readUtc(textOf(row, 'linotplastauthmatch')) ?? null,
  };
}

function readDescription(text: string, reasons: string[]): string {
  if (text.length <= MAX_DESCRIPTION_LENGTH) {
    return text;
  }
  reasons.push(`its description is cut to ${MAX_DESCRIPTION_LENGTH} characters`);
  // Not within a pair of surrogates.
  return text.slice(0, MAX_DESCRIPTION_LENGTH).replace(/[\ud800-\udbff]$/, '');
}

/** What says whether, and how, a token without challenges is checked. */
type PassFacts = Pick<ImportedToken, 'type' | 'otpLength' | 'secrets' | 'info'>;

/** @returns why a token is kept and counted, and not checked; undefined: it is checked */
export function whyKept(token: PassFacts): string | undefined {
  const { type } = token;
  if (OCRA_TYPES.includes(type) || type === 'spass') {
    return undefined;
  }
  if (!['hmac', 'totp', 'pw'].includes(type)) {
    return `tokens of the type ${type} are kept and counted; they cannot be checked here`;
  }
  const fault = type === 'pw' ? faultOfText(token) : otpAlgorithmOf(token);
  return typeof fault === 'string'
    ? `it is kept and counted, and cannot be checked here: ${fault}`
    : undefined;
}

function faultOfText({ secrets: { keyForm, seed } }: PassFacts): string | undefined {
  if (keyForm === 'crypt' && seed === null) {
    return 'LinOTP has only a hash of its text, in a form that is not SHA-crypt, or not the length of the text';
  }
  return keyForm === 'none' ? 'it has no text' : undefined;
}

/** @returns the secrets, without a hash with which no text can be compared */
function withoutUnreadable(secrets: PlainTokenSecrets, otpLength: number): PlainTokenSecrets {
  const { keyForm, seed } = secrets;
  const hasLength = otpLength >= 1 && otpLength <= MAX_TEXT;
  const isComparable = keyForm !== 'crypt' || (hasLength && isShaCrypt(seed?.toString('latin1') ?? ''));
  return isComparable ? secrets : { ...secrets, seed: null };
}

/** @returns what a token of HOTP or TOTP computes with, or why it cannot be checked */
function otpAlgorithmOf({ type, otpLength, secrets, info }: PassFacts): OtpAlgorithm | string {
  const hash = infoText(info, 'hashlib').toLowerCase() || 'sha1';
  const timeStep = type === 'totp' ? Number(infoText(info, 'timeStep') || 30) : undefined;
  if (secrets.keyForm !== 'key') {
    return secrets.keyForm === 'none' ? 'it has no key' : 'its key is not hexadecimal';
  }
  if (!OTP_DIGITS.includes(otpLength)) {
    return `its OTP length ${otpLength} is neither 6 nor 8`;
  }
  if (!isHashName(hash)) {
    return `its hash function ${shortened(hash)} is none of sha1, sha256 and sha512`;
  }
  return timeStep === undefined || OTP_TIME_STEPS.includes(timeStep)
    ? { hash, digits: otpLength, timeStep }
    : `its time step of ${timeStep} seconds is neither 30 nor 60`;
}

function readPassAlgorithm(
  token: PassFacts,
  counter: number,
  reasons: string[],
): Partial<Pick<ImportedToken, 'algorithm' | 'counter' | 'timeWindow'>> {
  if (token.type === 'pw') {
    // Always: the hash, taken for the text, would be a password.
    const isHashed = token.secrets.keyForm === 'crypt';
    return isHashed ? { algorithm: hashedTextForm(token.otpLength) } : {};
  }
  const algorithm = ['hmac', 'totp'].includes(token.type) ? otpAlgorithmOf(token) : '';
  if (typeof algorithm === 'string') {
    return {};
  }
  const { timeStep } = algorithm;
  return {
    algorithm: otpAlgorithmText(algorithm),
    // LinOTP counts time steps.
    ...(timeStep !== undefined && {
      counter: Math.min(counter * timeStep, Number.MAX_SAFE_INTEGER),
      timeWindow: readTimeWindow(token.info, reasons),
    }),
  };
}

function readTimeWindow(info: TokenInfo, reasons: string[]): number | undefined {
  const text = infoText(info, 'timeWindow');
  const seconds = Math.trunc(Number(text));
  if (text === '' || (seconds >= 1 && seconds <= MAX_TIME_WINDOW)) {
    return text === '' ? undefined : seconds;
  }
  reasons.push(`its time window (${shortened(text)}) cannot be, and is now ${TOTP_TIME_WINDOW}`);
  return undefined;
}

const PLAIN = { algorithm: null, rollout: 'complete', replayMarkers: [] } as const;

function readRealms(
  ids: readonly number[],
  { realmNames, realms }: TokenContext,
  reasons: string[],
): readonly string[] {
  const names = new Set<string>();
  for (const id of ids) {
    const name = realmNames.get(id);
    if (name === undefined) {
      reasons.push(`its realm with the id ${id} does not exist, and is left out`);
    } else if (!realms.has(name)) {
      reasons.push(`its realm ${shortened(name)} is not imported, and is left out`);
    } else {
      names.add(name);
    }
  }
  return [...names].sort();
}

function readOwner(
  { resolverClass, userId }: ImportedToken['source'],
  { resolvers }: TokenContext,
  reasons: string[],
): ImportedToken['owner'] {
  if (userId === '') {
    return null;
  }
  const resolver = resolverNameOf(resolverClass);
  if (resolver === undefined || !resolvers.has(resolver)) {
    const named = resolver ?? (resolverClass === '' ? 'none' : resolverClass);
    reasons.push(`its owner is left out: the resolver (${named}) is not imported`);
    return null;
  }
  return { resolver, userId };
}

function readLimits(
  row: SourceRow,
  reasons: string[],
): Pick<ImportedToken, 'failCount' | 'maxFail' | 'counterWindow' | 'syncWindow'> {
  const failCount = wholeOf(row, 'linotpfailcount') ?? 0;
  const maxFail = wholeOf(row, 'linotpmaxfail') ?? 10;
  const atLeastOne = (what: string, value: number): number => clamp(what, value, 1, MAX_INTEGER, reasons);
  const limit = atLeastOne('maximum of the fail counter', maxFail);
  const isLocked = failCount >= maxFail;
  return {
    // A token that was locked by a limit of 0 stays locked.
    failCount: clamp(
      'fail counter',
      isLocked ? Math.max(failCount, limit) : failCount,
      0,
      MAX_INTEGER,
      reasons,
    ),
    maxFail: limit,
    counterWindow: atLeastOne('counter window', wholeOf(row, 'linotpcountwindow') ?? 10),
    syncWindow: atLeastOne('sync window', wholeOf(row, 'linotpsyncwindow') ?? 1000),
  };
}

function clamp(what: string, value: number, min: number, max: number, reasons: string[]): number {
  const clamped = Math.min(Math.max(value, min), max);
  if (clamped !== value) {
    reasons.push(`its ${what} ${value} is now ${clamped}`);
  }
  return clamped;
}

/** TokenInfo has the shift as a number or as a text. */
function readTimeShift(info: TokenInfo, reasons: string[]): number {
  const text = infoText(info, 'timeShift');
  const seconds = text === '' ? 0 : Math.trunc(Number(text));
  if (!Number.isFinite(seconds) || Math.abs(seconds) > MAX_INTEGER) {
    reasons.push('its time shift is not readable, and is now 0');
    return 0;
  }
  return seconds;
}

/** Its period is in the local time of the old server. */
function readTokenUse(info: TokenInfo, localTime: LocalTime, reasons: string[]): TokenUse {
  const moment = (key: string): Date | null => {
    const text = infoText(info, key);
    const at = text === '' ? null : momentOf(text, localTime);
    if (at === undefined) {
      reasons.push(`its ${key} (${shortened(text)}) is not readable, and is left`);
    }
    return at ?? null;
  };
  const number = (key: string): number => {
    const text = infoText(info, key);
    const value = text === '' ? 0 : Number(text);
    if (!Number.isSafeInteger(value) || value < 0 || value > MAX_INTEGER) {
      reasons.push(`its ${key} (${shortened(text)}) is not readable, and is now 0`);
      return 0;
    }
    return value;
  };
  return {
    validFrom: moment('validity_period_start'),
    validUntil: moment('validity_period_end'),
    useCount: number('count_auth'),
    maxUses: number('count_auth_max') || null,
    successCount: number('count_auth_success'),
    maxSuccesses: number('count_auth_success_max') || null,
  };
}

function momentOf(text: string, localTime: LocalTime): Date | undefined {
  const parts = partsOfDayFirst(text);
  if (parts === undefined) {
    return undefined;
  }
  const [year, ...others] = parts;
  const [month, day, hour, minute] = others.map((part) => String(part).padStart(2, '0'));
  return localTime.read(`${String(year).padStart(4, '0')}-${month}-${day} ${hour}:${minute}:00`);
}

function readOcra(
  info: TokenInfo,
  counter: number,
  reasons: string[],
): Pick<ImportedToken, 'algorithm' | 'rollout' | 'replayMarkers'> {
  const suite = infoText(info, 'ocrasuite');
  if (suite === '') {
    reasons.push('it has no OCRA suite, so that it cannot answer');
  } else {
    const fault = faultOfSuite(suite);
    reasons.push(...(fault === undefined ? [] : [`its OCRA suite cannot be served: ${fault}`]));
  }
  if (info.lChallenge !== undefined) {
    reasons.push(
      'the first half of its automatic resynchronisation is left: the user gives two responses anew',
    );
  }
  return {
    algorithm: suite === '' ? null : suite,
    rollout: rolloutOf(info),
    // LinOTP has accepted responses up to here: none of them is accepted again.
    replayMarkers: counter > 0 ? [`${counter}:`] : [],
  };
}

function faultOfSuite(suite: string): string | undefined {
  try {
    parseOcraSuite(suite);
    return undefined;
  } catch (error) {
    if (isServiceError(error)) {
      return error.message;
    }
    throw error;
  }
}

function rolloutOf(info: TokenInfo): Rollout {
  const rollout = infoText(info, 'rollout');
  if (rollout === '1') {
    return 'phase1';
  }
  return rollout === '2' ? 'phase2' : 'complete';
}

/** In phase 1 LinOTP keeps the shared secret as the key too; here there is no key yet. */
function withSharedSecret(secrets: PlainTokenSecrets, info: TokenInfo, isOcra: boolean): PlainTokenSecrets {
  return isOcra && rolloutOf(info) === 'phase1'
    ? { ...secrets, sharedSecret: secrets.sharedSecret ?? secrets.seed, seed: null }
    : secrets;
}
