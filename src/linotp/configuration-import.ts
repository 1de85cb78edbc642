import type { Sealed, SecretPurpose, Vault } from '../keys/vault.ts';
import { isStorable } from '../kernel/storable-text.ts';
import { mapAdministrators } from './administrator-mapping.ts';
import type { EncryptionKey } from './encryption-key.ts';
import type { ImportGroup, ImportReport } from './import-report.ts';
import type { LinotpInstallation } from './installation-reading.ts';
import type { Mapped } from './mapped.ts';
import { mapPolicies } from './policy-mapping.ts';
import type { EntryKind, PresentEntry, TargetTransaction } from './ports.ts';
import { mapRealms } from './realm-mapping.ts';
import { type FilePlaces, mapResolvers } from './resolver-mapping.ts';
import { mapSettings } from './setting-mapping.ts';

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
  readonly put: (value: Value, exists: boolean) => Promise<void>;
  /** Removes an entry that the source has no longer; without it the entry stays and is reported. */
  readonly remove?: (name: string) => Promise<void>;
}

/** Imports the parts of the configuration: entries with names, compared by fingerprints. */
export class ConfigurationImport {
  readonly #deps: ConfigurationImportDependencies;

  constructor(parts: ConfigurationImportDependencies) {
    this.#deps = parts;
  }

  async run(group: ConfigurationGroup, target: TargetTransaction): Promise<void> {
    this.#deps.report.open(group);
    await target.lockConfiguration();
    const runs: Readonly<Record<ConfigurationGroup, (target: TargetTransaction) => Promise<void>>> = {
      resolvers: (one) => this.#resolvers(one),
      realms: (one) => this.#realms(one),
      policies: (one) => this.#policies(one),
      settings: (one) => this.#settings(one),
      administrators: (one) => this.#administrators(one),
    };
    await runs[group](target);
  }

  #resolvers(target: TargetTransaction): Promise<void> {
    const { config, users, repair } = this.#deps.installation;
    const mapped = mapResolvers(config, users, repair, this.#deps.places);
    return this.#store(target, mapped, {
      group: 'resolvers',
      kind: 'resolver',
      put: (resolver) =>
        target.putResolver({ ...resolver, secret: this.#seal(resolver.secret, 'resolver', resolver.name) }),
    });
  }

  async #realms(target: TargetTransaction): Promise<void> {
    const { config, realmNames } = this.#deps.installation;
    const mapped = mapRealms(config, realmNames, await importedNames(target, 'resolver'));
    await this.#store(target, mapped, {
      group: 'realms',
      kind: 'realm',
      put: async (realm) => {
        await target.putRealm(realm);
        if (realm.isDefault) {
          await target.setDefaultRealm(realm.name);
        }
      },
    });
  }

  #policies(target: TargetTransaction): Promise<void> {
    return this.#store(target, mapPolicies(this.#deps.installation.config), {
      group: 'policies',
      kind: 'policy',
      put: (policy) => target.putPolicy(policy),
      remove: (name) => target.removePolicy(name),
    });
  }

  #settings(target: TargetTransaction): Promise<void> {
    return this.#store(target, mapSettings(this.#deps.installation.config), {
      group: 'settings',
      kind: 'setting',
      put: (setting) =>
        target.putSetting({ ...setting, secret: this.#seal(setting.secret, 'setting', setting.key) }),
      remove: (key) => target.removeSetting(key),
    });
  }

  #administrators(target: TargetTransaction): Promise<void> {
    const { users, repair } = this.#deps.installation;
    return this.#store(target, mapAdministrators(users, repair), {
      group: 'administrators',
      kind: 'administrator',
      put: (administrator, exists) =>
        exists ? target.setPasswordHash(administrator) : target.insertAdministrator(administrator),
    });
  }

  #seal(secret: string | null, purpose: SecretPurpose, subject: string): Sealed | null {
    return secret === null ? null : this.#deps.vault.seal(Buffer.from(secret, 'utf8'), purpose, subject);
  }

  async #store<Value>(
    target: TargetTransaction,
    mapped: readonly Mapped<Value>[],
    writer: EntryWriter<Value>,
  ): Promise<void> {
    const present = await target.entries(writer.kind);
    for (const one of mapped) {
      await this.#storeOne(target, one, writer, present.get(one.name));
    }
    const names = new Set(mapped.map(({ name }) => name));
    const gone = [...present].filter(
      ([name, { fingerprint, exists }]) => fingerprint && exists && !names.has(name),
    );
    for (const [name] of gone) {
      await this.#forget(target, name, writer);
    }
  }

  async #storeOne<Value>(
    target: TargetTransaction,
    { name, row, value, reasons, remarks = [] }: Mapped<Value>,
    { group, kind, put }: EntryWriter<Value>,
    present: PresentEntry = { fingerprint: null, exists: false },
  ): Promise<void> {
    const { report, encryptionKey } = this.#deps;
    const entry = { group, name, row };
    if (value === undefined) {
      await report.add({ ...entry, outcome: 'left', reasons });
      return;
    }
    const whyLeft = reasonToLeave(value, present);
    if (whyLeft !== undefined) {
      await report.add({ ...entry, outcome: 'left', reasons: [whyLeft] });
      return;
    }
    const told = [...reasons, ...remarks];
    const fingerprint = encryptionKey.fingerprint(JSON.stringify(value));
    if (present.fingerprint?.equals(fingerprint) === true) {
      await report.add({ ...entry, outcome: 'unchanged', reasons: told });
    } else {
      await put(value, present.exists);
      await target.noteEntry(kind, name, fingerprint);
      await target.audit([{ subject: name, outcome: `imported ${kind}` }]);
      await report.add({ ...entry, outcome: reasons.length === 0 ? 'taken' : 'changed', reasons: told });
    }
  }

  async #forget<Value>(
    target: TargetTransaction,
    name: string,
    { group, kind, remove }: EntryWriter<Value>,
  ): Promise<void> {
    const entry = { group, name, row: '' };
    if (remove === undefined) {
      const reasons = ['the source has it no longer; it stays here until it is removed by a command'];
      await this.#deps.report.add({ ...entry, outcome: 'left', reasons });
      return;
    }
    await remove(name);
    await target.forgetEntry(kind, name);
    await target.audit([{ subject: name, outcome: `removed ${kind}: the source has it no longer` }]);
    await this.#deps.report.add({ ...entry, outcome: 'removed', reasons: ['the source has it no longer'] });
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

/** @returns the names of entries that an import made and that still exist */
export async function importedNames(
  target: TargetTransaction,
  kind: EntryKind,
): Promise<ReadonlySet<string>> {
  const entries = [...(await target.entries(kind))];
  return new Set(
    entries.filter(([, { fingerprint, exists }]) => exists && fingerprint !== null).map(([name]) => name),
  );
}
