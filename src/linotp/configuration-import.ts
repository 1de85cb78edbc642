import type { Sealed, SecretPurpose, Vault } from '../keys/vault.ts';
import { isStorable } from '../kernel/text.ts';
import {
  type FilePlaces,
  mapAdministrators,
  mapPolicies,
  mapRealms,
  mapResolvers,
  mapSettings,
} from './configuration-mapping.ts';
import type { EntryKind, ImportTransaction, PresentEntry } from './import-store.ts';
import type { EncryptionKey } from './encryption-key.ts';
import type { ImportGroup, ImportReport, Mapped } from './import-report.ts';
import type { LinotpInstallation } from './installation-reading.ts';

/** A group of the configuration. */
export type ConfigurationGroup = Exclude<ImportGroup, 'tokens' | 'challenges'>;

interface ConfigurationImportDependencies {
  readonly installation: LinotpInstallation;
  readonly encryptionKey: EncryptionKey;
  readonly vault: Vault;
  readonly report: ImportReport;
  readonly places: FilePlaces;
}

interface EntryWriter<Value> {
  readonly group: ConfigurationGroup;
  readonly kind: EntryKind;
  readonly mapped: readonly Mapped<Value>[];
  readonly put: (value: Value) => Promise<void>;
  /** An entry that the source has no longer is removed; else it stays and is reported. */
  readonly removes?: true;
}

/** Imports the parts of the configuration: entries with names, compared by fingerprints. */
export class ConfigurationImport {
  readonly #deps: ConfigurationImportDependencies;

  constructor(parts: ConfigurationImportDependencies) {
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
    return report.stored(group, mapped);
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
