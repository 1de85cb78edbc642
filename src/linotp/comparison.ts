import { equalBytes } from '../kernel/constant-time.ts';
import { isServiceError } from '../kernel/errors.ts';
import type { Sealed, Vault } from '../keys/vault.ts';
import { resolverNameOf } from './configuration-mapping.ts';
import { SECRET_PURPOSES, type SecretName, type TokenInfo } from './secrets.ts';
import type { ImportedToken } from './token-mapping.ts';
import type { ImportedChallenge, PresentChallenge } from './challenge-mapping.ts';

/** The owners as both sides of a comparison know them. */
export interface ComparedUsers {
  /** The names of the managed resolvers here, whose users have other ids than in LinOTP. */
  readonly managedHere: ReadonlySet<string>;
  /**
   * The logins of LinOTP's users by their ids, by the name of the resolver; only of tables that LinOTP filled itself.
   */
  readonly logins: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** The compared fields of a token that are no secrets. */
// prettier-ignore
const FIELDS = [
  'type', 'description', 'active', 'realms', 'failCount', 'maxFail', 'counter', 'counterWindow', 'syncWindow',
  'timeShift', 'otpLength', 'ocraSuite', 'rollout', 'createdAt', 'lastSuccessAt', 'lastMatchAt',
] as const;

type PlainFields = Pick<ImportedToken, Exclude<(typeof FIELDS)[number], 'otpLength'> | 'use'> & {
  readonly otpLength: number | null;
};

/** A token of this server. */
export interface ComparableToken extends PlainFields {
  readonly id: string;
  readonly owner: { readonly resolver: string; readonly userId: string; readonly login: string } | null;
  /** It was not imported, or was used or changed here since. */
  readonly isOwn: boolean;
  /** null: it was not imported. */
  readonly info: TokenInfo | null;
  readonly secrets: Readonly<Record<SecretName, Sealed | null>>;
}

const SECRETS = Object.keys(SECRET_PURPOSES) as SecretName[];

/** @returns the differences, each in words; the values of secrets are left out */
export function compareToken(
  token: ImportedToken,
  stored: ComparableToken | undefined,
  { vault, users }: { readonly vault: Vault; readonly users: ComparedUsers },
): readonly string[] {
  if (stored === undefined) {
    return ['it is missing here'];
  }
  const here = { ...plainFields(stored), owner: ownerHere(stored, users) };
  const there = { ...plainFields(token), owner: ownerThere(token, users) };
  return [
    ...differencesOf(there, here),
    ...(inOrder(token.info) === inOrder(stored.info ?? token.info) ? [] : ['info: differs']),
    ...SECRETS.flatMap((name) => faultOfSecret(token, stored, name, vault)),
  ];
}

/** @param there values of LinOTP; null: LinOTP does not know it */
function differencesOf(
  there: Readonly<Record<string, Comparable | null>>,
  here: Readonly<Partial<Record<string, Comparable | null>>>,
): readonly string[] {
  return Object.entries(there).flatMap(([field, value]) =>
    value === null || here[field] === value
      ? []
      : [`${field}: ${inWords(value)} in LinOTP, ${inWords(here[field])} here`],
  );
}

/** @returns JSON with the entries of each object in the order of their names, which the database does not keep */
function inOrder(info: TokenInfo): string {
  return JSON.stringify(info, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}

type Comparable = string | number | boolean;

function inWords(value: Comparable | null | undefined): string {
  return value === undefined || value === null || value === '' ? 'nothing' : String(value);
}

/** @returns the fields that are no secrets, as texts, numbers and booleans */
function plainFields(token: PlainFields): Readonly<Record<string, Comparable | null>> {
  const fields = FIELDS.map((name) => [name, token[name]] as const);
  const compared = [...fields, ...Object.entries<Comparable | Date | null>({ ...token.use })].map(
    ([name, value]) => [name, comparable(value)] as const,
  );
  return { ...Object.fromEntries(compared), createdAt: token.createdAt?.toISOString() ?? null };
}

function comparable(value: Comparable | Date | readonly string[] | null): Comparable {
  if (typeof value === 'object') {
    return value instanceof Date ? value.toISOString() : (value ?? []).join(', ');
  }
  return value;
}

function ownerThere({ source }: ImportedToken, { logins, managedHere }: ComparedUsers): string {
  if (source.userId === '') {
    return '';
  }
  const resolver = resolverNameOf(source.resolverClass) ?? '';
  const login = managedHere.has(resolver) ? logins.get(resolver)?.get(source.userId) : undefined;
  return ownerText(login ?? source.userId, resolver);
}

function ownerHere({ owner }: ComparableToken, { managedHere }: ComparedUsers): string {
  if (owner === null) {
    return '';
  }
  const { resolver, userId, login } = owner;
  return ownerText(managedHere.has(resolver) ? login : userId, resolver);
}

function ownerText(user: string, resolver: string): string {
  return `${user} of the resolver ${resolver}`;
}

function faultOfSecret(
  token: ImportedToken,
  { secrets }: ComparableToken,
  name: SecretName,
  vault: Vault,
): readonly string[] {
  const sealed = secrets[name];
  const expected = token.secrets[name];
  try {
    const here = sealed === null ? null : vault.open(sealed, SECRET_PURPOSES[name], token.serial);
    const isSame = expected === null || here === null ? expected === here : equalBytes(expected, here);
    return isSame ? [] : [`${name}: differs`];
  } catch (error) {
    if (isServiceError(error, 'secret.unreadable') || isServiceError(error, 'key.unavailable')) {
      return [`${name}: cannot be opened here`];
    }
    throw error;
  }
}

/** @returns the differences, each in words; without question and data, which may be about a payment */
export function compareChallenge(
  there: ImportedChallenge,
  here: PresentChallenge | undefined,
): readonly string[] {
  if (here === undefined) {
    return ['it is missing here'];
  }
  const contents = [
    ...(there.question === here.question ? [] : ['question: differs']),
    ...(there.data === here.data ? [] : ['data: differs']),
  ];
  return [
    ...differencesOf(
      { serial: there.serial, issuedAt: there.issuedAt.toISOString() },
      { serial: here.serial, issuedAt: here.issuedAt.toISOString() },
    ),
    ...contents,
    ...(isSettled(there, here) ? [] : differencesOf(stateOf(there), stateOf(here))),
  ];
}

/**
 * @returns true if it is closed here and no response to it would be accepted in LinOTP either, or LinOTP has forgotten
 */
function isSettled(there: ImportedChallenge, here: PresentChallenge): boolean {
  // A wrong response in LinOTP erases the mark of an earlier right one from all challenges of the token.
  const isForgotten = here.closedBy === 'accepted' && there.receivedTan;
  return here.closedBy !== null && (there.closedBy !== null || isForgotten);
}

type ComparedState = Pick<ImportedChallenge, 'closedBy' | 'wrongCount' | 'receivedTan'>;

function stateOf({
  closedBy,
  wrongCount,
  receivedTan,
}: ComparedState): Record<string, string | number | boolean> {
  return { state: closedBy ?? 'open', wrongCount, receivedTan };
}
