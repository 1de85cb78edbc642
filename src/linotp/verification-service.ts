import { readOcraSettings } from '../configuration/settings.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Vault } from '../keys/vault.ts';
import { compareChallenge, type ComparedUsers, compareToken } from './comparison.ts';
import { countChallenges, readChallenges } from './challenge-import.ts';
import type { EncryptionKey } from './secrets.ts';
import {
  type LinotpInstallation,
  readInstallation,
  type TextEncoding,
  IdSet,
  RealmLinks,
} from './installation-reading.ts';
import { type LocalTime, type LinotpSource, wholeOf } from './linotp-source.ts';
import { mapResolvers } from './configuration-mapping.ts';
import { mapToken, type TokenContext } from './token-mapping.ts';
import type { VerificationStore } from './verification-store.ts';

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

export interface VerificationRequest {
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

  /** @throws ServiceError 'import.refused' */
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
    const { challengeTimeout, maxChallengeRequests } = readOcraSettings(await target.settings());
    const expiry = new Date(clock.now().getTime() - challengeTimeout * 1000);
    const total = await countChallenges(source);
    progress({ group: 'challenges', done: 0, total });
    const reading = { source, installation, localTime, maxChallengeRequests, here: target.challenges };
    let [done, equal, different] = [0, 0, 0];
    for await (const challenges of readChallenges(reading)) {
      // Challenges of a missing token are missing with it. Housekeeping removes those that can be answered no more.
      const compared = challenges.filter(
        ({ token, known, mapped: { value } }) =>
          token !== undefined && !(known === undefined && value !== undefined && value.issuedAt < expiry),
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
