import type { ServiceError } from '../kernel/errors.ts';
import { composed, splitList } from '../kernel/text.ts';
import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';
import { NetworkSet, readAddress } from '../kernel/networks.ts';
import { invalidPolicy } from './stored-policy.ts';

/** A user whom a policy may match. */
export interface PolicySubject {
  readonly login: string;
  /** Names of the realms that they are in, lower-case. */
  readonly realms: readonly string[];
  /** The name of their resolver. */
  readonly resolver: string | undefined;
  /** The groups of a person who signed in by single sign-on; undefined for others. */
  readonly groups?: readonly string[];
}

/** The match of a policy with a user: as everybody, by name, or none. */
export type UserMatch = 'everybody' | 'named' | 'nobody';

interface UserRule {
  readonly isExclusion: boolean;
  readonly isEverybody: boolean;
  readonly matches: (subject: PolicySubject) => boolean;
}

/** Dots and pluses alone do not make a pattern: they are frequent in logins, which are compared exactly. */
const PATTERN_SIGNS = /[*?()[\]{}|^$\\]|\.\+/;
/** Precedes the name of a group of administrators. */
export const GROUP = 'group:';
/** Precedes the names of people who sign in by single sign-on. No administrator of this server has a colon in the name. */
export const PERSON = 'oidc:';
/**
 * The class in LinOTP's names of resolvers: `useridresolver.PasswdIdResolver.IdResolver.name`, `passwdresolver.name`.
 */
const RESOLVER_CLASS = /^(?:useridresolver(?:ee)?\.\w+\.IdResolver|\w+resolver)\./i;

/**
 * Reads a list of users: `name`, `name@realm`, `*@realm`, `resolver:`, `group:name`, `*` for everybody, regular
 * expressions for whole names (`re.*`, see `readPattern`), each with `!` in front to exclude it. Names are
 * compared composed (NFC), resolvers exactly, realms without regard to case. People who signed in by single sign-on are included only by their
 * groups and by entries that begin with `oidc:`.
 * @returns the match of a user; a list of exclusions alone matches all other users, an empty list none
 * @throws ServiceError 'policy.invalid' that quotes the entry
 */
export function readUsers(text: string): (subject: PolicySubject) => UserMatch {
  const rules = splitList(text).map(readRule);
  const exclusions = rules.filter(({ isExclusion }) => isExclusion);
  const inclusions = rules.filter(({ isExclusion }) => !isExclusion);
  const meansOthers = exclusions.length > 0 && inclusions.length === 0;
  return (asked) => {
    const subject = { ...asked, login: composed(asked.login) };
    if (exclusions.some(({ matches }) => matches(subject))) {
      return 'nobody';
    }
    const found = inclusions.filter(({ matches }) => matches(subject));
    if (found.some(({ isEverybody }) => !isEverybody)) {
      return 'named';
    }
    return found.length > 0 || meansOthers ? 'everybody' : 'nobody';
  };
}

/** @returns a list of users in which the entries of a resolver (`name:`, with LinOTP's class or `!`) have its new name */
export function renameResolverIn(text: string, from: string, to: string): string {
  return text
    .split(',')
    .map((part) => {
      const [, before = '', entry = '', after = ''] = /^(\s*(?:!\s*)?)(\S.*):(\s*)$/s.exec(part) ?? [];
      if (entry === '' || plainResolverName(entry) !== from) {
        return part;
      }
      const plain = entry.trim();
      return `${before}${plain.slice(0, plain.length - from.length)}${to}:${after}`;
    })
    .join(',');
}

/** @returns the name of a resolver without the class of LinOTP's notation */
export function plainResolverName(text: string): string {
  return text.trim().replace(RESOLVER_CLASS, '');
}

function readRule(text: string): UserRule {
  const isExclusion = text.startsWith('!');
  const entry = isExclusion ? text.slice(1).trim() : text;
  if (entry === '' || entry === ':') {
    throw invalidPolicy(`'${text}' names nobody`);
  }
  if (entry === '*') {
    return { isExclusion, isEverybody: true, matches: () => true };
  }
  if (entry.startsWith(GROUP) && entry.length > GROUP.length) {
    const group = entry.slice(GROUP.length);
    return { isExclusion, isEverybody: false, matches: ({ groups = [] }) => groups.includes(group) };
  }
  if (entry.endsWith(':')) {
    const resolver = plainResolverName(entry.slice(0, -1));
    return { isExclusion, isEverybody: false, matches: (subject) => subject.resolver === resolver };
  }
  const matches = readName(composed(entry));
  const isForPeople = isExclusion || entry.startsWith(PERSON);
  return {
    isExclusion,
    isEverybody: false,
    matches: (subject) => (isForPeople || subject.groups === undefined) && matches(subject),
  };
}

/** An `@` may separate login and realm, or be part of the login (an e-mail address): both readings match. */
function readName(entry: string): (subject: PolicySubject) => boolean {
  const at = entry.lastIndexOf('@');
  const left = entry.slice(0, Math.max(at, 0));
  const realm = entry.slice(at + 1).toLowerCase();
  const whole = left === '*' ? () => false : readLogin(entry);
  if (left === '') {
    return ({ login }) => whole(login);
  }
  const before = left === '*' ? () => true : readLogin(left);
  return ({ login, realms }) => whole(login) || ((realm === '*' || realms.includes(realm)) && before(login));
}

function readLogin(entry: string): (login: string) => boolean {
  if (!PATTERN_SIGNS.test(entry)) {
    return (login) => login === entry;
  }
  const matches = readPattern(entry);
  return (login) => login === entry || matches(login);
}

/** Characters of a pattern. */
const MAX_LENGTH = 200;
/** Characters of a name; longer ones do not match. */
const MAX_NAME_LENGTH = 1024;
const ESCAPES_AND_CLASSES = /\\.|\[\^?(?:\\.|[^\\\]])*\]/gsu;
/** RE2 takes some of these as plain characters, and others as a count or as a place that no name has. */
const MISPLACED = /[{}\]]|(?!^)\^|\$(?!$)/;

/**
 * Reads a regular expression of an administrator, in the syntax of RE2: a match takes time in proportion to pattern and
 * name, so that none blocks the server. A dot is any character. Counted repetition is refused: it makes long patterns of
 * short texts, and a list of users is divided at its comma.
 * @returns a function that is true if the whole name matches, case-sensitively; false for names longer than 1024
 *   characters
 * @throws ServiceError 'policy.invalid' with the pattern and the reason
 */
export function readPattern(source: string): (name: string) => boolean {
  if (source.length > MAX_LENGTH) {
    throw invalidPattern(`a pattern has at most ${MAX_LENGTH} characters`, source);
  }
  const [sign] = MISPLACED.exec(source.replace(ESCAPES_AND_CLASSES, '.')) ?? [];
  if (sign !== undefined) {
    throw invalidPattern(
      `'${sign}' is not allowed here; the character itself is written '\\${sign}'`,
      source,
    );
  }
  const pattern = compile(source);
  return (name) => name.length <= MAX_NAME_LENGTH && pattern.matches(name);
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source, RE2JS.DOTALL);
  } catch (error) {
    throw error instanceof RE2JSException ? invalidPattern(reasonOf(error), source) : error;
  }
}

function reasonOf(error: RE2JSException): string {
  if (!(error instanceof RE2JSSyntaxException)) {
    return error.message;
  }
  const [what, where] = [error.getDescription(), error.getPattern() ?? ''];
  if (what.startsWith('missing argument')) {
    return `'${where}' has nothing to repeat (any text is '.*')`;
  }
  // The library writes DOTALL into the pattern.
  return where === '' || where.startsWith('(?s)') ? what : `${what} '${where}'`;
}

function invalidPattern(reason: string, source: string): ServiceError {
  return invalidPolicy(`${reason} in '${source}'`);
}

/**
 * Reads a list of clients: addresses and networks of both families (`10.0.0.5`, `10.0.0.0/8`, `2001:db8::/32`), `*` for
 * any, each with `-` or `!` in front to exclude it. An empty list means any client, a list of exclusions any other one.
 * @returns a function that is true for a client in the list; without an address, only if the list means any
 * @throws ServiceError 'policy.invalid' that quotes the entry
 */
export function readClients(text: string): (client: string) => boolean {
  const included = new NetworkSet();
  const excluded = new NetworkSet();
  let inclusions = 0;
  let isAny = false;
  for (const entry of splitList(text)) {
    const isExclusion = /^[-!]/.test(entry);
    const network = isExclusion ? entry.slice(1).trim() : entry;
    inclusions += isExclusion ? 0 : 1;
    if (network === '*' && !isExclusion) {
      isAny = true;
    } else if (!(isExclusion ? excluded : included).add(network)) {
      throw invalidPolicy(
        `'${network}' is not a client. Use addresses or networks such as 10.0.0.5, 10.0.0.0/8 or 2001:db8::/32, or *.`,
      );
    }
  }
  return matchClients(excluded, isAny || inclusions === 0 ? undefined : included);
}

/** @param included undefined: any */
function matchClients(excluded: NetworkSet, included: NetworkSet | undefined): (client: string) => boolean {
  if (included === undefined && excluded.isEmpty) {
    return () => true;
  }
  return (client) => {
    const address = readAddress(client);
    return address !== undefined && !excluded.has(address) && included?.has(address) !== false;
  };
}

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly of: (at: Date) => number;
}

const FIELDS: readonly Field[] = [
  { name: 'minute', min: 0, max: 59, of: (at) => at.getMinutes() },
  { name: 'hour', min: 0, max: 23, of: (at) => at.getHours() },
  { name: 'day', min: 1, max: 31, of: (at) => at.getDate() },
  { name: 'month', min: 1, max: 12, of: (at) => at.getMonth() + 1 },
  { name: 'weekday', min: 0, max: 7, of: (at) => at.getDay() },
  { name: 'year', min: 1970, max: 9999, of: (at) => at.getFullYear() },
];

/** From `from` to `to` in steps of `step`. */
interface FieldRange {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/**
 * Reads the times of a policy: `minute hour day month weekday year`, each as cron writes it: `*`, `8`, `8-17`, `1,3,5`,
 * `8-17/2`, or `*` with a step. Weekday 0 and 7 are Sunday. All six fields must match (unlike in cron, also day and
 * weekday). `;` separates several such times. They are in the server's local time zone, set by TZ.
 * @returns a function that is true while the policy holds; an empty text means always
 * @throws ServiceError 'policy.invalid' that quotes the time and names the field
 */
export function readTimes(text: string): (at: Date) => boolean {
  const times = text
    .split(';')
    .map((time) => time.trim())
    .filter((time) => time !== '')
    .map(readTime);
  return (at) => times.length === 0 || times.some((fits) => fits(at));
}

function readTime(text: string): (at: Date) => boolean {
  const parts = text.split(/\s+/);
  if (parts.length !== FIELDS.length) {
    throw invalidTime(text, `it needs ${FIELDS.length} fields: minute hour day month weekday year`);
  }
  const fields = FIELDS.map((field, index) => ({
    field,
    ranges: readRanges(field, parts[index] ?? '', text),
  }));
  return (at) => fields.every(({ field, ranges }) => isWithin(field, ranges, at));
}

function readRanges(field: Field, part: string, time: string): readonly FieldRange[] {
  return part.split(',').map((item) => {
    const range = readRange(field, item);
    if (range === undefined) {
      throw invalidTime(time, `'${item}' is no ${field.name} from ${field.min} to ${field.max}`);
    }
    return range;
  });
}

/** A single value with a step goes on to the end, as in cron. */
function readRange({ min, max }: Field, item: string): FieldRange | undefined {
  const form = /^(?:\*|(\d{1,4})(?:-(\d{1,4}))?)(?:\/(\d{1,4}))?$/.exec(item);
  if (form === null) {
    return undefined;
  }
  const [, first, last, steps] = form;
  const from = Number(first ?? min);
  const to = Number(last ?? (steps === undefined ? (first ?? max) : max));
  const step = Number(steps ?? 1);
  return isOrdered([min, from, to, max]) && step >= 1 ? { from, to, step } : undefined;
}

function isOrdered(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || (numbers[index - 1] ?? 0) <= number);
}

function isWithin(field: Field, ranges: readonly FieldRange[], at: Date): boolean {
  const value = field.of(at);
  const values = field.name === 'weekday' && value === 0 ? [0, 7] : [value];
  return ranges.some(({ from, to, step }) =>
    values.some((one) => from <= one && one <= to && (one - from) % step === 0),
  );
}

function invalidTime(time: string, reason: string): ServiceError {
  return invalidPolicy(`'${time}' is not a time: ${reason}`);
}
