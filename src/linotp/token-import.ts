import type { Resolver } from '../configuration/configuration.ts';
import type { Sealed, SecretPurpose, Vault } from '../keys/vault.ts';
import { isStorable } from '../kernel/text.ts';
import type { EncryptionKey, PlainTokenSecrets, SecretName } from './secrets.ts';
import type { ImportReport, Mapped } from './import-report.ts';
import type { ImportTransaction } from './import-store.ts';
import type { LinotpInstallation } from './installation-reading.ts';
import {
  type RealmLinks,
  readRealmLinks,
  type LinotpSource,
  type SourceRow,
  textOf,
  wholeOf,
  type LocalTime,
} from './linotp-source.ts';
import { mapResolvers } from './configuration-mapping.ts';
import type { PresentToken, StoredOwner, StoredToken } from './token-import-store.ts';
import { type ImportedToken, mapToken, type TokenContext, whyKept } from './token-mapping.ts';
import { isServiceError } from '../kernel/errors.ts';
import type { UserSources } from '../resolvers/user-source.ts';

/** The facts of the target that one transaction needs. */
interface TargetFacts {
  readonly context: TokenContext;
  readonly resolvers: ReadonlyMap<string, Resolver>;
  /** The users of managed resolvers by their ids in LinOTP, by the name of the resolver. */
  readonly managed: ReadonlyMap<string, ReadonlyMap<string, ManagedOwner>>;
  readonly links: RealmLinks;
  /** True where an earlier import left tokens. */
  readonly isRepeated: boolean;
}

/** A user of a managed resolver, by the id that the user has here. */
interface ManagedOwner {
  readonly userId: string;
  readonly login: string;
}

/** A token with its owner as this server knows them; its secrets are not sealed yet. */
interface ResolvedToken extends Omit<ImportedToken, 'owner'> {
  readonly owner: StoredOwner | null;
  readonly fingerprint: Buffer;
}

/** A token that can be stored, and the one that is present. */
interface MappedToken {
  readonly mapped: Mapped<ImportedToken>;
  readonly token: ResolvedToken;
  readonly present: PresentToken | undefined;
  /** An earlier import made it, and it was removed here. */
  readonly isRemoved: boolean;
}

/** What each secret is sealed for. */
const SECRET_PURPOSES: Readonly<Record<SecretName, SecretPurpose>> = {
  seed: 'seed',
  sharedSecret: 'shared-secret',
  nonce: 'nonce',
  pin: 'pin',
  userPin: 'ocra-pin',
  soPin: 'so-pin',
};

const REMOVED_AT_ONCE = 1_000;
const CHANGED_ON_BOTH_SIDES =
  'it has changed on both sides since the last import: compare it, and change it here by a command';

/** Imports the tokens, batch by batch, in one transaction. */
export class TokenImport {
  readonly #deps;

  constructor(parts: {
    readonly source: LinotpSource;
    readonly installation: LinotpInstallation;
    readonly encryptionKey: EncryptionKey;
    /** The zone of the old server's clock. */
    readonly localTime: LocalTime;
    readonly vault: Vault;
    readonly logins: OwnerLogins;
    readonly report: ImportReport;
    /** @param done rows that were read */
    readonly progress: (done: number) => void;
  }) {
    this.#deps = parts;
  }

  async run(target: ImportTransaction): Promise<void> {
    this.#deps.report.open('tokens');
    const facts = await this.#readFacts(target);
    let done = 0;
    for await (const rows of this.#deps.source.rows('Token')) {
      await this.#store(target, rows, await this.#map(target, rows, facts), facts);
      done += rows.length;
      this.#deps.progress(done);
    }
    if (facts.isRepeated) {
      await this.#removeUnseen(target);
    }
  }

  async #readFacts(target: ImportTransaction): Promise<TargetFacts> {
    const { source, installation, encryptionKey, localTime } = this.#deps;
    const { resolvers } = await target.present();
    return {
      context: {
        encryptionKey,
        repair: installation.repair,
        localTime,
        realmNames: installation.realmNames,
        realms: await target.configuration.importedNames('realm'),
        resolvers: await target.configuration.importedNames('resolver'),
      },
      resolvers,
      managed: await this.#managedOwners(target, resolvers),
      links: await readRealmLinks(source),
      isRepeated: await target.tokens.hasImported(),
    };
  }

  async #managedOwners(
    target: ImportTransaction,
    resolvers: TargetFacts['resolvers'],
  ): Promise<TargetFacts['managed']> {
    const { config, users, repair } = this.#deps.installation;
    const managed = new Map<string, ReadonlyMap<string, ManagedOwner>>();
    for (const { name, value } of mapResolvers(config, users, repair, (path) => path)) {
      const resolver = resolvers.get(name);
      if (value !== undefined && resolver?.kind === 'managed') {
        const ids = await target.tokens.managedUsers(resolver.id);
        const owners = value.users.flatMap(({ userId, login }): [string, ManagedOwner][] => {
          const id = ids.get(login);
          return id === undefined ? [] : [[userId, { userId: id, login }]];
        });
        managed.set(name, new Map(owners));
      }
    }
    return managed;
  }

  async #store(
    target: ImportTransaction,
    rows: readonly SourceRow[],
    candidates: readonly MappedToken[],
    facts: TargetFacts,
  ): Promise<void> {
    const added: MappedToken[] = [];
    const changed: MappedToken[] = [];
    for (const candidate of candidates) {
      const { token, present } = candidate;
      const reason = reasonToLeave(candidate);
      if (reason !== undefined) {
        await this.#deps.report.left('tokens', candidate.mapped, reason);
      } else if (present === undefined) {
        added.push(candidate);
      } else if (isSameImport(token, present)) {
        await this.#deps.report.unchanged(
          'tokens',
          present.isUntouched ? candidate.mapped : used(candidate.mapped),
        );
      } else {
        changed.push(candidate);
      }
    }
    await this.#write(target, added, changed);
    if (facts.isRepeated) {
      const { repair } = this.#deps.installation;
      const serials = rows.map((row) => repair(textOf(row, 'linotptokenserialnumber')));
      await target.tokens.noteSeen(serials.filter((serial) => isStorable(serial)));
    }
  }

  async #write(
    target: ImportTransaction,
    added: readonly MappedToken[],
    changed: readonly MappedToken[],
  ): Promise<void> {
    if (added.length > 0) {
      await target.tokens.insert(added.map(({ token }) => this.#seal(token)));
    }
    const replaced = await this.#replace(target, changed);
    await target.audit([
      ...added.map(({ token }) => ({ subject: token.serial, outcome: 'imported', realms: token.realms })),
      ...replaced.map(({ token }) => ({
        subject: token.serial,
        outcome: 'imported anew',
        realms: token.realms,
      })),
    ]);
    for (const { mapped, present } of [...added, ...replaced]) {
      await this.#deps.report.stored('tokens', mapped, present !== undefined);
    }
  }

  /** @returns those that were replaced; a token that has been used in this moment is left */
  async #replace(
    target: ImportTransaction,
    changed: readonly MappedToken[],
  ): Promise<readonly MappedToken[]> {
    if (changed.length === 0) {
      return [];
    }
    const idOf = ({ present }: MappedToken): string => present?.id ?? '';
    const ids = await target.tokens.update(
      new Map(changed.map((candidate) => [idOf(candidate), this.#seal(candidate.token)])),
    );
    for (const candidate of changed.filter((one) => !ids.has(idOf(one)))) {
      await this.#deps.report.left('tokens', candidate.mapped, CHANGED_ON_BOTH_SIDES);
    }
    return changed.filter((candidate) => ids.has(idOf(candidate)));
  }

  /** @returns the tokens of the rows that can be read; the others are reported */
  async #map(
    target: ImportTransaction,
    rows: readonly SourceRow[],
    facts: TargetFacts,
  ): Promise<readonly MappedToken[]> {
    const { report } = this.#deps;
    const mapped: Pick<MappedToken, 'mapped' | 'token'>[] = [];
    const firsts = new Set<string>();
    for (const row of rows) {
      const realmIds = facts.links[wholeOf(row, 'linotptokenid') ?? -1] ?? [];
      const one = mapToken(row, realmIds, facts.context);
      const { value } = one;
      if (value === undefined) {
        await this.#deps.report.left('tokens', one, ...one.reasons);
        continue;
      }
      report.countType(value.type, whyKept(value) !== undefined);
      if (firsts.has(one.name.toLowerCase())) {
        await this.#deps.report.left(
          'tokens',
          one,
          'another token has the same serial, or one that differs in case only',
        );
      } else {
        firsts.add(one.name.toLowerCase());
        mapped.push(await this.#resolve(one, value, facts));
      }
    }
    const serials = mapped.map(({ token }) => token.serial);
    const present = await target.tokens.find(serials);
    const removed = await target.tokens.removedHere(serials);
    return mapped.map((one) => ({
      ...one,
      present: present.get(one.token.serial),
      isRemoved: removed.has(one.token.serial),
    }));
  }

  async #resolve(
    mapped: Mapped<ImportedToken>,
    value: ImportedToken,
    facts: TargetFacts,
  ): Promise<Pick<MappedToken, 'mapped' | 'token'>> {
    const { encryptionKey } = this.#deps;
    const reasons = [...mapped.reasons];
    const owner = await this.#owner(value, facts, reasons);
    const token = { ...value, owner };
    // Also covers what depends on the target: realms and owner.
    const fingerprint = encryptionKey.fingerprint(
      JSON.stringify({ ...token, secrets: inHex(value.secrets) }),
    );
    return { mapped: { ...mapped, reasons }, token: { ...token, fingerprint } };
  }

  async #owner(
    { owner }: ImportedToken,
    { resolvers, managed }: TargetFacts,
    reasons: string[],
  ): Promise<StoredOwner | null> {
    const resolver = owner === null ? undefined : resolvers.get(owner.resolver);
    if (owner === null || resolver === undefined) {
      return null;
    }
    const { userId } = owner;
    if (resolver.kind === 'managed') {
      const user = managed.get(resolver.name)?.get(userId);
      reasons.push(
        ...(user === undefined ? [`its owner is left out: there is no user with the id ${userId}`] : []),
      );
      return user === undefined ? null : { resolver: resolver.name, ...user };
    }
    const found = await this.#deps.logins.find(resolver, userId);
    if ('login' in found) {
      return { resolver: resolver.name, ...found };
    }
    reasons.push(`the user id ${userId} stands for the login of its owner: ${found.fault}`);
    return { resolver: resolver.name, userId, login: userId };
  }

  #seal({ secrets, ...token }: ResolvedToken): StoredToken {
    const seal = (name: SecretName): Sealed | null => {
      const plain = secrets[name];
      return plain && this.#deps.vault.seal(plain, SECRET_PURPOSES[name], token.serial);
    };
    return {
      ...token,
      keyForm: secrets.keyForm,
      secrets: {
        seed: seal('seed'),
        sharedSecret: seal('sharedSecret'),
        nonce: seal('nonce'),
        pin: seal('pin'),
        userPin: seal('userPin'),
        soPin: seal('soPin'),
      },
    };
  }

  async #removeUnseen(target: ImportTransaction): Promise<void> {
    const { report } = this.#deps;
    const entry = { group: 'tokens', row: '' } as const;
    for (;;) {
      const { removed, kept } = await target.tokens.removeUnseen(REMOVED_AT_ONCE);
      if (removed.length + kept.length === 0) {
        return;
      }
      const reason = 'the source has it no longer';
      await target.audit(removed.map((subject) => ({ subject, outcome: `removed: ${reason}` })));
      for (const name of removed) {
        await report.add({ ...entry, name, outcome: 'removed', reasons: [reason] });
      }
      for (const name of kept) {
        const reasons = [`${reason}, but it has been used or changed here since the import`];
        await report.add({ ...entry, name, outcome: 'left', reasons });
      }
    }
  }
}

function inHex({ keyForm, ...secrets }: PlainTokenSecrets): readonly (string | undefined)[] {
  return [keyForm, ...Object.values(secrets).map((bytes) => bytes?.toString('hex'))];
}

function used<Value>(mapped: Mapped<Value>): Mapped<Value> {
  return {
    ...mapped,
    remarks: [...(mapped.remarks ?? []), 'it has been used or changed here since the import'],
  };
}

/** @returns undefined for a token that is stored, or is here already as the source has it */
function reasonToLeave({ token, present, isRemoved }: MappedToken): string | undefined {
  if (present === undefined) {
    return isRemoved ? 'it has been removed here since the last import' : undefined;
  }
  if (present.serial !== token.serial) {
    return `the serial differs from ${present.serial} in case only`;
  }
  if (isSameImport(token, present)) {
    return undefined;
  }
  if (present.isSecondFactor) {
    return 'an administrator signs in with it: a new key would take that second factor away';
  }
  if (present.isUntouched) {
    return undefined;
  }
  return present.fingerprint === null
    ? 'there is a token of this serial here already that was not imported'
    : CHANGED_ON_BOTH_SIDES;
}

function isSameImport({ fingerprint }: ResolvedToken, present: PresentToken): boolean {
  return present.fingerprint?.equals(fingerprint) === true;
}

/** An owner as the target knows them; without a login where the resolver did not tell it. */
type FoundOwner = { readonly userId: string; readonly login: string } | { readonly fault: string };

/** Users that are listed at once; more are asked for one by one. */
const LISTED_USERS = 100_000;

/** Finds the logins of owners: LinOTP's tokens have only the ids of their users. */
export class OwnerLogins {
  readonly #sources: UserSources;
  readonly #listed = new Map<string, Promise<ReadonlyMap<string, string>>>();
  /** Why a resolver cannot be asked, by its name: it is not asked again. */
  readonly #faults = new Map<string, string>();

  constructor(sources: UserSources) {
    this.#sources = sources;
  }

  async find(resolver: Resolver, userId: string): Promise<FoundOwner> {
    const { name } = resolver;
    try {
      if (!this.#faults.has(name)) {
        const listed = this.#listed.get(name) ?? this.#list(resolver);
        this.#listed.set(name, listed);
        const login = (await listed).get(userId) ?? (await this.#sources(resolver).findById(userId))?.login;
        return login === undefined
          ? { fault: `the resolver ${name} has no user with the id ${userId}` }
          : { userId, login };
      }
    } catch (error) {
      if (!isServiceError(error)) {
        throw error;
      }
      this.#faults.set(name, error.message);
    }
    return { fault: this.#faults.get(name) ?? '' };
  }

  async #list(resolver: Resolver): Promise<ReadonlyMap<string, string>> {
    const source = this.#sources(resolver);
    const isSmall = (await source.count()) <= LISTED_USERS;
    const users = isSmall ? await source.list() : [];
    return new Map(users.map(({ userId, login }) => [userId, login]));
  }
}
