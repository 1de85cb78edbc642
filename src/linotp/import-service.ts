import { actOf, type Caller } from '../policy/caller.ts';
import type { UserSources } from '../resolvers/user-source.ts';
import type { Vault, Sealed, SecretPurpose } from '../keys/vault.ts';
import { ChallengeImport, countChallenges } from './challenge-import.ts';
import type { EncryptionKey } from './secrets.ts';
import {
  IMPORT_GROUPS,
  type ImportGroup,
  ImportReport,
  type ImportSummary,
  type ReportSink,
  type Mapped,
} from './import-report.ts';
import { type LinotpInstallation, readInstallation, type TextEncoding } from './installation-reading.ts';
import { type LocalTime, importRefused, type LinotpSource } from './linotp-source.ts';
import { OwnerLogins, TokenImport } from './token-import.ts';
import type { ImportStore, ImportTransaction, EntryKind, PresentEntry } from './import-store.ts';
import {
  type FilePlaces,
  mapAdministrators,
  mapPolicies,
  mapRealms,
  mapResolvers,
  mapSettings,
} from './configuration-mapping.ts';
import { isStorable } from '../kernel/text.ts';

type ConfigurationGroup = Exclude<ImportGroup, 'tokens' | 'challenges'>;

interface EntryWriter<Value> {
  readonly group: ConfigurationGroup;
  readonly kind: EntryKind;
  readonly mapped: readonly Mapped<Value>[];
  readonly put: (value: Value) => Promise<void>;
  /** An entry that the source has no longer is removed; else it stays and is reported. */
  readonly removes?: true;
}

/** Imports the parts of the configuration: entries with names, compared by fingerprints. */
class ConfigurationImport {
  readonly #deps;

  constructor(parts: {
    readonly installation: LinotpInstallation;
    readonly encryptionKey: EncryptionKey;
    readonly vault: Vault;
    readonly report: ImportReport;
    readonly places: FilePlaces;
  }) {
    this.#deps = parts;
  }

  async run(group: ConfigurationGroup, target: ImportTransaction): Promise<void> {
    this.#deps.report.open(group);
    const store = target.configuration;
    await store.lock();
    const { config, users, repair, realmNames } = this.#deps.installation;
    const known = await store.importedNames('resolver');
    const defaultRealm = await store.defaultRealm();
    const runs: Readonly<Record<ConfigurationGroup, () => Promise<void>>> = {
      resolvers: () =>
        this.#store(target, {
          group: 'resolvers',
          kind: 'resolver',
          mapped: mapResolvers(config, users, repair, this.#deps.places),
          put: (resolver) =>
            store.putResolver({
              ...resolver,
              secret: this.#seal(resolver.secret, 'resolver', resolver.name),
            }),
        }),
      realms: () =>
        this.#store(target, {
          group: 'realms',
          kind: 'realm',
          mapped: mapRealms(config, realmNames, known, defaultRealm),
          put: (realm) =>
            store.putRealm({ ...realm, isDefault: realm.isDefault && defaultRealm === undefined }),
        }),
      policies: () =>
        this.#store(target, {
          group: 'policies',
          kind: 'policy',
          mapped: mapPolicies(config),
          put: (policy) => store.putPolicy(policy),
          removes: true,
        }),
      settings: () =>
        this.#store(target, {
          group: 'settings',
          kind: 'setting',
          mapped: mapSettings(config),
          put: (setting) =>
            store.putSetting({ ...setting, secret: this.#seal(setting.secret, 'setting', setting.key) }),
          removes: true,
        }),
      administrators: () =>
        this.#store(target, {
          group: 'administrators',
          kind: 'administrator',
          mapped: mapAdministrators(users, repair),
          put: (administrator) => store.putAdministrator(administrator),
        }),
    };
    await runs[group]();
  }

  #seal(secret: string | null, purpose: SecretPurpose, subject: string): Sealed | null {
    return secret === null ? null : this.#deps.vault.seal(Buffer.from(secret, 'utf8'), purpose, subject);
  }

  async #store<Value>(target: ImportTransaction, writer: EntryWriter<Value>): Promise<void> {
    const { group, kind, mapped } = writer;
    const present = await target.configuration.entries(kind);
    for (const one of mapped) {
      await this.#storeOne(target, one, writer, present.get(one.name));
    }
    const names = new Set(mapped.map(({ name }) => name));
    for (const [name, { fingerprint, exists }] of present) {
      if (fingerprint !== null && exists && !names.has(name)) {
        await this.#forget(target, { group, kind, name }, writer.removes === true);
      }
    }
  }

  async #storeOne<Value>(
    target: ImportTransaction,
    mapped: Mapped<Value>,
    { group, kind, put }: EntryWriter<Value>,
    present: PresentEntry = { fingerprint: null, exists: false },
  ): Promise<void> {
    const { report, encryptionKey } = this.#deps;
    const { name, value } = mapped;
    if (value === undefined) {
      return report.left(group, mapped, ...mapped.reasons);
    }
    const whyLeft = reasonToLeave(value, present);
    if (whyLeft !== undefined) {
      return report.left(group, mapped, whyLeft);
    }
    const fingerprint = encryptionKey.fingerprint(JSON.stringify(value));
    if (present.fingerprint?.equals(fingerprint) === true) {
      return report.unchanged(group, mapped);
    }
    await put(value);
    await target.configuration.note(kind, name, fingerprint);
    await target.audit([{ subject: name, outcome: `imported ${kind}` }]);
    return report.stored(group, mapped, present.fingerprint !== null);
  }

  async #forget(
    target: ImportTransaction,
    { group, kind, name }: { group: ConfigurationGroup; kind: EntryKind; name: string },
    removes: boolean,
  ): Promise<void> {
    const gone = 'the source has it no longer';
    if (removes) {
      await target.configuration.remove(kind, name);
      await target.audit([{ subject: name, outcome: `removed ${kind}: ${gone}` }]);
    }
    const outcome = removes ? 'removed' : 'left';
    const reasons = [removes ? gone : `${gone}; it stays here until it is removed by a command`];
    await this.#deps.report.add({ group, name, row: '', outcome, reasons });
  }
}

function reasonToLeave(value: unknown, { fingerprint, exists }: PresentEntry): string | undefined {
  if (!isStorableValue(value)) {
    return 'it has a character that cannot be stored';
  }
  if (fingerprint === null) {
    return exists ? NOT_IMPORTED : undefined;
  }
  return exists ? undefined : 'it has been removed here since the last import';
}

/** @returns false for NUL and halves of surrogate pairs in any text of the value */
function isStorableValue(value: unknown): boolean {
  let isWhole = true;
  JSON.stringify(value, (key, part: unknown) => {
    isWhole &&= isStorable(key, typeof part === 'string' ? part : undefined);
    return part;
  });
  return isWhole;
}

const NOT_IMPORTED = 'there is one of this name here already that was not imported';

interface ImportProgress {
  readonly group: ImportGroup;
  readonly done: number;
  readonly total: number;
}

export interface ImportRequest {
  readonly source: LinotpSource;
  readonly encryptionKey: EncryptionKey;
  /** Default: all. */
  readonly only?: readonly ImportGroup[] | undefined;
  readonly dryRun: boolean;
  readonly encoding: TextEncoding;
  /** The zone of the old server's clock. */
  readonly localTime: LocalTime;
  readonly places: FilePlaces;
  readonly sink: ReportSink;
  readonly progress: (progress: ImportProgress) => void;
  /** Receives remarks on an unusual database, for people. */
  readonly note: (text: string) => void;
}

/** Takes over a LinOTP installation, for the operator. */
export class LinotpImportService {
  readonly #deps: { readonly target: ImportStore; readonly vault: Vault; readonly sources: UserSources };

  constructor(dependencies: { target: ImportStore; vault: Vault; sources: UserSources }) {
    this.#deps = dependencies;
  }

  /**
   * Imports group by group, each in a transaction: after a failure the groups before are complete, and a repeated
   * import goes on. A repeated import takes the changes of the source since.
   * @throws ServiceError 'import.refused' before anything is written, if the source cannot be read or the key file does
   *   not belong to it
   */
  async run(caller: Caller, request: ImportRequest): Promise<ImportSummary> {
    const { source, encryptionKey, encoding, dryRun } = request;
    const act = actOf(caller, 'import/linotp');
    const installation = await readInstallation(source, encryptionKey, encoding);
    installation.notes.forEach(request.note);
    const report = new ImportReport(request.sink);
    const totals = { tokens: await source.count('Token'), challenges: await countChallenges(source) };
    const groups = IMPORT_GROUPS.filter((group) => request.only?.includes(group) ?? true);
    const steps = groups
      .map((group) => this.#step(group, request, installation, report, totals))
      .map((step) => withClaim(step, encryptionKey));
    if (dryRun) {
      await this.#deps.target.rehearse(async (target) => {
        for (const step of steps) {
          await step(target);
        }
      });
    } else {
      for (const step of steps) {
        await this.#deps.target.transact(act, step);
      }
      await this.#deps.target.renewStatistics();
    }
    return report.summary(dryRun, source.unread);
  }

  #step(
    group: ImportGroup,
    request: ImportRequest,
    installation: LinotpInstallation,
    report: ImportReport,
    totals: Readonly<Record<'tokens' | 'challenges', number>>,
  ): (target: ImportTransaction) => Promise<void> {
    const { source, encryptionKey, localTime, places, dryRun } = request;
    const { vault } = this.#deps;
    const sources = dryRun ? rehearsed(this.#deps.sources) : this.#deps.sources;
    const shared = { source, installation, encryptionKey, vault, report };
    if (group !== 'tokens' && group !== 'challenges') {
      return (target) => new ConfigurationImport({ ...shared, places }).run(group, target);
    }
    const progress = (done: number): void => {
      request.progress({ group, done, total: totals[group] });
    };
    return (target) => {
      progress(0);
      return group === 'tokens'
        ? new TokenImport({ ...shared, localTime, logins: new OwnerLogins(sources), progress }).run(target)
        : new ChallengeImport({ ...shared, localTime, progress }).run(target);
    };
  }
}

/** In a rehearsal no other connection sees the secrets of resolvers as they are changed: they are not compared. */
function rehearsed(sources: UserSources): UserSources {
  return ({ id, name, kind, settings, isBounded }) => sources({ id, name, kind, settings, isBounded });
}

/** Two installations cannot be told apart once they are mixed: an import would remove the entries of the other one. */
function withClaim(
  step: (target: ImportTransaction) => Promise<void>,
  encryptionKey: EncryptionKey,
): typeof step {
  return async (target) => {
    if (!(await target.claim(encryptionKey.fingerprint('installation')))) {
      throw importRefused(
        'Another LinOTP installation, with another key file, has been imported here: import this one into a database of its own',
      );
    }
    await step(target);
  };
}
