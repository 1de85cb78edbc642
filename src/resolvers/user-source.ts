import { z } from 'zod';
import type { Resolver } from '../configuration/configuration.ts';
import { withTimeLimit } from '../kernel/bounded-work.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { ReadonlyDeep } from '../kernel/readonly-deep.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'resolver.unknown': { readonly name?: string };
    'resolver.invalid': NoPayload;
    'resolver.changed': NoPayload;
    'resolver.in-use': NoPayload;
    'resolver.unavailable': NoPayload;
  }
}

export interface DirectoryUser {
  readonly userId: string;
  readonly login: string;
  readonly givenName: string;
  readonly surname: string;
  readonly email: string;
  readonly phone: string;
}

/** The fields by which users are searched. */
export type UserField = keyof DirectoryUser;

/**
 * A pattern as its literal pieces between the asterisks, each of which stands for any text: `['ann', '']` for `ann*`.
 * One piece matches the whole value. Case is ignored.
 */
export type UserPattern = readonly [string, ...string[]];

/** A condition: one of the fields matches. */
export interface UserCondition {
  readonly fields: readonly UserField[];
  readonly pattern: UserPattern;
  /** True if the pattern may also match a given name or surname from a later word on; directories are not asked for it. */
  readonly isOfAnyWord?: boolean;
}

/** The selection of users that a source returns. */
export interface UserSearch {
  /** All must hold. */
  readonly conditions: readonly UserCondition[];
  /** The most users. */
  readonly limit: number;
  /** True if any users that match will do, not only the first ones: managed resolvers then find beginnings by an index. */
  readonly isInAnyOrder?: boolean;
}

const count = z.int().nonnegative();

/** All entries of a resolver, and which of them are users: the others can own no token. */
export const EXAMINATION = z.object({
  entries: count,
  users: count,
  withoutId: count,
  withoutLogin: count.describe('of those with an id'),
  sharingId: count.describe('users whose id another one has as well: they own the same tokens'),
  passedOver: z
    .object({ lines: count, first: z.array(z.string()).describe('some, as `line 7`') })
    .optional()
    .describe('lines of a passwd file that are no accounts'),
});

export type Examination = ReadonlyDeep<z.output<typeof EXAMINATION>>;

/** The users that a resolver has, or the reason why they cannot be read. */
export type Trial =
  | {
      readonly isReadable: true;
      readonly users: number;
      /** Present where not every entry is a user with an id of its own. */
      readonly found?: Examination;
      /** Some users of those that were looked for; absent: the caller may not list them. */
      readonly first?: readonly DirectoryUser[];
      /** True if there are more of them. */
      readonly hasMore: boolean;
    }
  | { readonly isReadable: false; readonly reason: string };

/** @returns true if every entry is a user with an id of its own, and every line an entry */
export function isUsual({ entries, users, sharingId, passedOver }: Examination): boolean {
  return entries === users && sharingId === 0 && passedOver === undefined;
}

/** @returns how many users have an id that another one has as well */
export function countSharing(ids: readonly string[]): number {
  const owners = new Map<string, number>();
  ids.forEach((id) => owners.set(id, (owners.get(id) ?? 0) + 1));
  return ids.filter((id) => (owners.get(id) ?? 0) > 1).length;
}

/** @returns what a trial or test found, such as `9 users`, or `17 entries, 0 users, 17 without id` */
export function describeTrial({
  users = 0,
  found,
}: {
  readonly users?: number | undefined;
  readonly found?: Examination | undefined;
}): string {
  if (found === undefined) {
    return `${users} users`;
  }
  const { entries, withoutId, withoutLogin, sharingId, passedOver } = found;
  return [
    `${entries} entries, ${found.users} users`,
    ...(withoutId > 0 ? [`${withoutId} without id`] : []),
    ...(withoutLogin > 0 ? [`${withoutLogin} without login`] : []),
    ...(sharingId > 0 ? [`${sharingId} that share an id, and so own the same tokens`] : []),
    ...(passedOver === undefined ? [] : [describePassedOver(passedOver)]),
  ].join(', ');
}

function describePassedOver({ lines, first }: NonNullable<Examination['passedOver']>): string {
  return `lines passed over: ${lines} (${first.join(', ')}${lines > first.length ? ', …' : ''})`;
}

/** The users of one resolver. Every method may throw 'resolver.unavailable', with a message that names the resolver. */
export interface UserSource {
  /**
   * @returns the user whom the source finds by that login, under their own login, which may differ in case; the one of
   *   exactly that login comes first
   * @throws ServiceError 'user.ambiguous' for several others
   */
  findByLogin(login: string): Promise<DirectoryUser | undefined>;
  /** Compares exactly: tokens are bound to ids. */
  findById(userId: string): Promise<DirectoryUser | undefined>;
  /** @param search selects users; undefined: all */
  list(search?: UserSearch): Promise<readonly DirectoryUser[]>;
  count(): Promise<number>;
  /** Looks at all entries, for a test of the resolver. Refuses ids that are neither texts nor of a known form. */
  examine(): Promise<Examination>;
  /** @returns true if it is the user's password; false if the resolver keeps none */
  checkPassword(userId: string, password: string): Promise<boolean>;
  /** Ends its connections, if it holds any, after running work. A closed source opens new ones. */
  close?(): Promise<void>;
}

/** The secrets with which resolvers log in: the stored ones, or that of a trial. */
export interface ResolverSecrets {
  /**
   * @returns the secret, undefined if the resolver has none
   * @throws 'resolver.unavailable' if it has another stamp: it may be for another server than the resolver's settings
   *   name; 'key.unavailable', 'secret.unreadable', 'database.unavailable'
   */
  open(resolver: Pick<Resolver, 'id' | 'name' | 'secretStamp'>): Promise<string | undefined>;
}

/** Opens the users of a resolver by its kind. */
export type UserSources = (resolver: Resolver) => UserSource;

/** @throws 'resolver.unavailable' after the time, and what the work throws */
export function answerWithin<Value>(
  milliseconds: number,
  { name }: Pick<Resolver, 'name'>,
  work: Promise<Value>,
): Promise<Value> {
  return withTimeLimit(
    milliseconds,
    work,
    () => new ResolverUnavailable({ resolver: name, reason: 'it does not answer in time' }),
  );
}

interface Unavailability {
  readonly resolver: string;
  /** The reason in words for clients: no host, no path. */
  readonly reason: string;
  /** The server or file at fault. Only operators and the log may know it. */
  readonly detail?: string | undefined;
  readonly cause?: unknown;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens there',
  ENOENT: 'no server listens there',
  EACCES: 'access to the socket is denied',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name is unknown',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'it does not answer in time',
  ECONNRESET: 'it closed the connection',
  EPIPE: 'it closed the connection',
};

/** @returns the reason for a system code of a failed connection; undefined for any other code */
export function connectionReason(code: string | undefined): string | undefined {
  return REASONS[code ?? ''];
}

/** The failure 'resolver.unavailable', with what is at fault for operators and the log. */
export class ResolverUnavailable extends ServiceError<'resolver.unavailable'> {
  /** The reason in words for clients, the end of the message. */
  readonly reason: string;

  constructor({ resolver, reason, detail, cause }: Unavailability) {
    super('resolver.unavailable', `The resolver '${resolver}' is unavailable: ${reason}`, {
      cause,
      ...(detail !== undefined && { detail }),
    });
    this.reason = reason;
  }

  /** @returns the failure for operators: `The resolver 'staff' is unavailable: no answer in time (127.0.0.1:389 …)` */
  describe(): string {
    return this.detail === undefined ? this.message : `${this.message} (${this.detail})`;
  }
}

/** @returns the unavailable resolvers among an error and its causes; each once */
export function unavailableResolvers(error: unknown): readonly ResolverUnavailable[] {
  if (error instanceof ResolverUnavailable) {
    return [error];
  }
  if (error instanceof AggregateError) {
    return (error.errors as unknown[]).flatMap(unavailableResolvers);
  }
  return error instanceof Error && error.cause !== undefined ? unavailableResolvers(error.cause) : [];
}

const MAX_LENGTH = 320;
/** The fields that a free search looks at. */
const SEARCHED: readonly UserField[] = ['login', 'givenName', 'surname', 'email', 'phone'];

/** @param text may hold asterisks, each for any text; without one, users with the text anywhere are found */
export function freeCondition(text: string): UserCondition {
  return { fields: SEARCHED, pattern: readPattern(text.includes('*') ? text : `*${text}*`) };
}

/** @param text may hold asterisks, each for any text; without one, the field must equal it */
export function fieldCondition(field: UserField, text: string): UserCondition {
  return { fields: [field], pattern: readPattern(text) };
}

/** The fields by whose beginnings people are looked up. */
const NAMED_BY: readonly UserField[] = ['login', 'givenName', 'surname', 'email'];

/** @returns the condition that the login, a word of a name or the e-mail address begins with the text, in which nothing is a wildcard */
export function beginningCondition(text: string): UserCondition {
  return { fields: NAMED_BY, pattern: [text, ''], isOfAnyWord: true };
}

/** What a word of a name ends with, where another follows. */
export const WORD_BREAKS: readonly string[] = [' ', '-', "'", '\u2019', '.'];

/** @returns the patterns of which one must match the field */
export function patternsFor(
  { pattern, isOfAnyWord }: UserCondition,
  field: UserField,
): readonly UserPattern[] {
  const isName = field === 'givenName' || field === 'surname';
  const [first, ...others] = pattern;
  return isOfAnyWord === true && isName
    ? [pattern, ...WORD_BREAKS.map((end): UserPattern => ['', end + first, ...others])]
    : [pattern];
}

/** The fewest digits of a telephone number that are looked for, and the most: numbers are written in many ways. */
const PHONE_DIGITS = { min: 5, max: 6 };

/** @returns the condition that a telephone number has the last digits of the text; undefined: it is no number */
export function phoneCondition(text: string): UserCondition | undefined {
  const digits = /^\s*[+\d\s()/.\u2010-\u2013-]+$/.test(text) ? text.replace(/\D/g, '') : '';
  return digits.length < PHONE_DIGITS.min
    ? undefined
    : { fields: ['phone'], pattern: ['', ...Array.from(digits.slice(-PHONE_DIGITS.max)), ''] };
}

/** @returns the digits of a `phoneCondition`; undefined: it is another condition */
export function digitsOfPhone({ fields, pattern }: UserCondition): string | undefined {
  const digits = pattern.join('');
  const isOne = fields.join() === 'phone' && /^\d+$/.test(digits) && pattern.length === digits.length + 2;
  return isOne ? digits : undefined;
}

/** @returns false where others stand between or behind the digits in the number that is shown; it may be found by another */
export function endsLike(user: DirectoryUser, condition: UserCondition): boolean {
  const isFoundByOther = !matchesUser(user, [condition]);
  return isFoundByOther || user.phone.replace(/\D/g, '').endsWith(digitsOfPhone(condition) ?? '');
}

/** @returns false if no user can match: a source may fail on such a text */
export function isSearchable({ pattern }: UserCondition): boolean {
  return pattern.join('*').length <= MAX_LENGTH && !pattern.some((piece) => /\p{Cc}|\p{Cs}/u.test(piece));
}

/** @returns true if everybody matches, also those without a value */
export function matchesAll({ pattern }: UserCondition): boolean {
  return pattern.length > 1 && pattern.every((piece) => piece === '');
}

export function matchesUser(user: DirectoryUser, conditions: readonly UserCondition[]): boolean {
  return conditions.every((condition) =>
    condition.fields.some((field) => {
      const value = user[field].toLowerCase();
      return patternsFor(condition, field).some((pattern) =>
        matchesText(
          value,
          pattern.map((piece) => piece.toLowerCase()),
        ),
      );
    }),
  );
}

/** The character that escapes others in `likePattern`. A backslash would mean something to MySQL's texts as well. */
export const LIKE_ESCAPE = '!';

/** @returns the pattern for SQL's `LIKE … ESCAPE '!'` */
export function likePattern(pattern: UserPattern): string {
  return pattern.map((piece) => piece.replaceAll(/[!%_]/g, `${LIKE_ESCAPE}$&`)).join('%');
}

function readPattern(text: string): UserPattern {
  const [first = '', ...others] = text.split('*');
  return [first, ...others];
}

function matchesText(text: string, pieces: readonly string[]): boolean {
  const [first = '', ...others] = pieces;
  const last = others.pop();
  if (last === undefined) {
    return text === first;
  }
  const end = text.length - last.length;
  if (!text.startsWith(first) || !text.endsWith(last) || end < first.length) {
    return false;
  }
  let place = first.length;
  for (const piece of others) {
    const found = text.indexOf(piece, place);
    if (found < 0 || found + piece.length > end) {
      return false;
    }
    place = found + piece.length;
  }
  return true;
}
