import { readOcraSettings } from '../configuration/settings.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Vault } from '../keys/vault.ts';
import { countChallenges, readChallenges } from './challenge-import.ts';
import { type EncryptionKey, SECRET_PURPOSES, type SecretName, type TokenInfo } from './secrets.ts';
import { type LinotpInstallation, readInstallation, type TextEncoding } from './installation-reading.ts';
import { IdSet, RealmLinks, type LocalTime, type LinotpSource, wholeOf } from './linotp-source.ts';
import { mapResolvers, resolverNameOf } from './configuration-mapping.ts';
import { mapToken, type TokenContext, type ImportedToken } from './token-mapping.ts';
import type { VerificationStore, ComparableToken } from './verification-store.ts';
import { equalBytes } from '../kernel/constant-time.ts';
import { isServiceError } from '../kernel/errors.ts';
import type { ImportedChallenge, PresentChallenge } from './import-store.ts';

/** A token or challenge that is not the same on both sides. */
export interface MismatchedEntry {
  readonly kind: 'token' | 'challenge';
  /** A serial or a transaction id. */
  readonly name: string;
  /** The differences, each in words; the values of secrets are left out. */
  readonly differences: readonly string[];
  /** True for a token that was enrolled, used, changed or removed here since the import. */
  readonly isOwn: boolean;
}

interface VerificationTally {
  readonly equal: number;
  readonly different: number;
}

export interface VerificationSummary {
  /** `onlyHere`: tokens that LinOTP does not have. */
  readonly tokens: VerificationTally & { readonly onlyHere: number };
  /** Without those of tokens that are missing here, and expired ones that are not here any more. */
  readonly challenges: VerificationTally;
  /** The names of tables of LinOTP that are not read. */
  readonly unread: readonly string[];
}

interface VerificationRequest {
  readonly source: LinotpSource;
  readonly encryptionKey: EncryptionKey;
  readonly encoding: TextEncoding;
  /** The zone of the old server's clock. */
  readonly localTime: LocalTime;
  readonly found: (difference: MismatchedEntry) => void;
  readonly progress: (progress: { group: 'tokens' | 'challenges'; done: number; total: number }) => void;
}

interface VerificationDependencies {
  readonly target: VerificationStore;
  readonly vault: Vault;
  readonly clock: Clock;
}

/** Compares the tokens and challenges of a LinOTP database with those of this server. It changes nothing. */
export class LinotpVerificationService {
  readonly #deps: VerificationDependencies;

  constructor(dependencies: VerificationDependencies) {
    this.#deps = dependencies;
  }

  async run(request: VerificationRequest): Promise<VerificationSummary> {
    const { source, encryptionKey, encoding, found } = request;
    const installation = await readInstallation(source, encryptionKey, encoding);
    const seen = new IdSet();
    const tokens = await this.#compareTokens(request, installation, seen);
    let onlyHere = 0;
    for await (const stored of this.#deps.target.allTokens()) {
      for (const { serial, isOwn } of stored.filter(({ id }) => !seen.has(Number(id)))) {
        onlyHere += 1;
        found({ kind: 'token', name: serial, differences: ['it is missing in LinOTP'], isOwn });
      }
    }
    const challenges = await this.#compareChallenges(request, installation);
    return { tokens: { ...tokens, onlyHere }, challenges, unread: source.unread };
  }

  /** @param seen gets the ids of the tokens that LinOTP has */
  async #compareTokens(
    request: VerificationRequest,
    installation: LinotpInstallation,
    seen: IdSet,
  ): Promise<VerificationTally> {
    const { source, encryptionKey, localTime, found, progress } = request;
    const { target, vault } = this.#deps;
    const links = await RealmLinks.read(source);
    const resolvers = await target.resolverKinds();
    const context: TokenContext = {
      encryptionKey,
      localTime,
      repair: installation.repair,
      realmNames: installation.realmNames,
      realms: new Set(installation.realmNames.values()),
      resolvers: new Set(resolvers.keys()),
    };
    const users = comparedUsers(installation, resolvers);
    const total = await source.count('Token');
    progress({ group: 'tokens', done: 0, total });
    let [done, different] = [0, 0];
    for await (const rows of source.rows('Token')) {
      const mapped = rows.map((row) => mapToken(row, links.of(wholeOf(row, 'linotptokenid') ?? -1), context));
      const serials = mapped.map(({ name }) => name);
      const [stored, removed] = [await target.tokens(serials), await target.removedHere(serials)];
      for (const { id } of stored.values()) {
        seen.add(Number(id));
      }
      for (const { name, value, reasons } of mapped) {
        const here = stored.get(name);
        const differences = value === undefined ? reasons : compareToken(value, here, { vault, users });
        if (differences.length > 0) {
          different += 1;
          found({ kind: 'token', name, differences, isOwn: here?.isOwn ?? removed.has(name) });
        }
      }
      done += rows.length;
      progress({ group: 'tokens', done, total });
    }
    return { equal: done - different, different };
  }

  async #compareChallenges(
    request: VerificationRequest,
    installation: LinotpInstallation,
  ): Promise<VerificationTally> {
    const { source, localTime, found, progress } = request;
    const { target, clock } = this.#deps;
    const settings = readOcraSettings(await target.settings());
    const now = clock.now();
    const total = await countChallenges(source);
    progress({ group: 'challenges', done: 0, total });
    const reading = { source, installation, localTime, settings, here: target.challenges };
    let [done, equal, different] = [0, 0, 0];
    for await (const challenges of readChallenges(reading)) {
      // Challenges of a missing token are missing with it. Housekeeping removes those that can be answered no more.
      const compared = challenges.filter(
        ({ token, known, mapped: { value } }) =>
          token !== undefined && !(known === undefined && value !== undefined && value.expiresAt < now),
      );
      for (const { mapped, known } of compared) {
        const differences =
          mapped.value === undefined ? mapped.reasons : compareChallenge(mapped.value, known);
        if (differences.length === 0) {
          equal += 1;
        } else {
          different += 1;
          found({ kind: 'challenge', name: mapped.name, differences, isOwn: false });
        }
      }
      done += challenges.length;
      progress({ group: 'challenges', done, total });
    }
    return { equal, different };
  }
}

function comparedUsers(
  { config, users, repair }: LinotpInstallation,
  resolvers: ReadonlyMap<string, string>,
): ComparedUsers {
  const filled = mapResolvers(config, users, repair, (path) => path).flatMap(({ name, value }) =>
    value === undefined
      ? []
      : [[name, new Map(value.users.map((user) => [user.userId, user.login]))] as const],
  );
  return {
    managedHere: new Set([...resolvers].filter(([, kind]) => kind === 'managed').map(([name]) => name)),
    logins: new Map(filled),
  };
}

/** The owners as both sides of a comparison know them. */
interface ComparedUsers {
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

const SECRETS = Object.keys(SECRET_PURPOSES) as SecretName[];

/** @returns the differences, each in words; the values of secrets are left out */
function compareToken(
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
function plainFields(
  token: Pick<ImportedToken | ComparableToken, (typeof FIELDS)[number] | 'use'>,
): Readonly<Record<string, Comparable | null>> {
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
function compareChallenge(there: ImportedChallenge, here: PresentChallenge | undefined): readonly string[] {
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
