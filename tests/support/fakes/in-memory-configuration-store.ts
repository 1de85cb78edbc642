import type { Act } from '../../../src/policy/caller.ts';
import { assertSettingsUnchanged, type ExpectedSettings } from '../../../src/configuration/expected-state.ts';
import type { PolicyStore } from '../../../src/policy/ports.ts';
import { assertUnchanged } from '../../../src/policy/changed-policy.ts';
import { ReadPolicy } from '../../../src/policy/read-policy.ts';
import type { Policy } from '../../../src/policy/stored-policy.ts';
import type { Resolver, Configuration } from '../../../src/configuration/configuration.ts';
import { ServiceError } from '../../../src/kernel/errors.ts';
import { configurationOf, type ConfigurationSketch } from '../values/configuration-value.ts';

/** The configuration without a database, for tests of services. Records the acts. */
export class InMemoryConfigurationStore implements PolicyStore {
  readonly acts: Act[] = [];
  #configuration: Configuration;

  constructor(sketch: ConfigurationSketch = {}) {
    this.#configuration = configurationOf(sketch);
  }

  current(): Promise<Configuration> {
    return Promise.resolve(this.#configuration);
  }

  async putPolicy(policy: Policy, act: Act, expected?: Policy | null): Promise<void> {
    this.#assertStoredAs(policy.name, expected);
    const others = this.#configuration.policies.filter(({ name }) => name !== policy.name);
    await this.#change(act, { policies: [...others, new ReadPolicy(policy)] });
  }

  async removePolicy(name: string, act: Act, expected?: Policy): Promise<boolean> {
    this.#assertStoredAs(name, expected);
    return this.#remove(
      act,
      this.#configuration.policies.some((policy) => policy.name === name),
      {
        policies: this.#configuration.policies.filter((policy) => policy.name !== name),
      },
    );
  }

  async putRealm(name: string, resolvers: readonly string[], act: Act): Promise<void> {
    for (const resolver of resolvers) {
      if (!this.#configuration.resolvers.some((known) => known.name === resolver)) {
        throw new ServiceError('resolver.unknown', `There is no resolver '${resolver}'`);
      }
    }
    const known = this.#configuration.realms.find((realm) => realm.name === name);
    const isDefault = known?.isDefault ?? this.#configuration.realms.length === 0;
    const others = this.#configuration.realms.filter((realm) => realm.name !== name);
    await this.#change(act, { realms: [...others, { id: known?.id ?? name, name, isDefault, resolvers }] });
  }

  removeRealm(name: string, act: Act): Promise<boolean> {
    return this.#remove(
      act,
      this.#configuration.realms.some((realm) => realm.name === name),
      {
        realms: this.#configuration.realms.filter((realm) => realm.name !== name),
      },
    );
  }

  setDefaultRealm(name: string | null, act: Act): Promise<void> {
    return this.#change(act, {
      realms: this.#configuration.realms.map((realm) => ({ ...realm, isDefault: realm.name === name })),
    });
  }

  putResolver(resolver: Omit<Resolver, 'id'>, act: Act): Promise<void> {
    const others = this.#configuration.resolvers.filter(({ name }) => name !== resolver.name);
    return this.#change(act, { resolvers: [...others, { ...resolver, id: String(others.length + 1) }] });
  }

  removeResolver(name: string, act: Act): Promise<boolean> {
    return this.#remove(
      act,
      this.#configuration.resolvers.some((resolver) => resolver.name === name),
      {
        resolvers: this.#configuration.resolvers.filter((resolver) => resolver.name !== name),
      },
    );
  }

  async putSettings(
    entries: ReadonlyMap<string, string>,
    act: Act,
    expected: ExpectedSettings = new Map(),
  ): Promise<void> {
    assertSettingsUnchanged(expected, this.#configuration.settings);
    await this.#change(act, { settings: new Map([...this.#configuration.settings, ...entries]) });
  }

  async removeSetting(key: string, act: Act, expected: ExpectedSettings = new Map()): Promise<boolean> {
    assertSettingsUnchanged(expected, this.#configuration.settings);
    const configuration = new Map(this.#configuration.settings);
    return this.#remove(act, configuration.delete(key), { settings: configuration });
  }

  #assertStoredAs(name: string, expected: Policy | null | undefined): void {
    if (expected !== undefined) {
      const stored = this.#configuration.policies.find((policy) => policy.name === name);
      assertUnchanged(name, expected, stored ?? null);
    }
  }

  async #remove(act: Act, isThere: boolean, change: Partial<Configuration>): Promise<boolean> {
    if (isThere) {
      await this.#change(act, change);
    }
    return isThere;
  }

  #change(act: Act, change: Partial<Configuration>): Promise<void> {
    this.acts.push(act);
    this.#configuration = { ...this.#configuration, ...change, revision: this.#configuration.revision + 1n };
    return Promise.resolve();
  }
}
