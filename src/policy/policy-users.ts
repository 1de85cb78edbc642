import { ServiceError } from '../kernel/errors.ts';
import { composed } from '../kernel/text.ts';
import { readPattern } from './linear-pattern.ts';

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

/** @returns the entries of a comma list, trimmed, without empty ones */
export function splitList(text: string): readonly string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** @returns a list of users in which the entries of a resolver (`name:`, with LinOTP's class or `!`) have its new name */
export function renameResolverIn(text: string, from: string, to: string): string {
  return text
    .split(',')
    .map((part) => {
      const [, before = '', entry = '', after = ''] = /^(\s*!?\s*)(.*):(\s*)$/s.exec(part) ?? [];
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
    throw new ServiceError('policy.invalid', `'${text}' names nobody`);
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
