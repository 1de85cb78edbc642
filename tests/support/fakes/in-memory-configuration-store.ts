import type { Act } from '../../../src/policy/caller.ts';
import type { SetupStore } from '../../../src/configuration/ports.ts';
import type { Policy } from '../../../src/policy/stored-policy.ts';
import type { Resolver, Setup } from '../../../src/configuration/configuration.ts';
import { ServiceError } from '../../../src/kernel/errors.ts';
import { setupOf, type SetupSketch } from '../values/configuration-value.ts';

/** The configuration without a database, for tests of services. Remembers which acts were done. */
export class InMemorySetupStore implements SetupStore {
  readonly acts: Act[] = [];
  #setup: Setup;

  constructor(sketch: SetupSketch = {}) {
    this.#setup = setupOf(sketch);
  }

  current(): Promise<Setup> {
    return Promise.resolve(this.#setup);
  }

  putPolicy(policy: Policy, act: Act): Promise<void> {
    const others = this.#setup.policies.filter(({ name }) => name !== policy.name);
    return this.#change(act, { policies: [...others, policy] });
  }

  removePolicy(name: string, act: Act): Promise<boolean> {
    return this.#remove(
      act,
      this.#setup.policies.some((policy) => policy.name === name),
      {
        policies: this.#setup.policies.filter((policy) => policy.name !== name),
      },
    );
  }

  async putRealm(name: string, resolvers: readonly string[], act: Act): Promise<void> {
    for (const resolver of resolvers) {
      if (!this.#setup.resolvers.some((known) => known.name === resolver)) {
        throw new ServiceError('resolver.unknown', `There is no resolver '${resolver}'`);
      }
    }
    const known = this.#setup.realms.find((realm) => realm.name === name);
    const isDefault = known?.isDefault ?? this.#setup.realms.length === 0;
    const others = this.#setup.realms.filter((realm) => realm.name !== name);
    await this.#change(act, { realms: [...others, { id: known?.id ?? name, name, isDefault, resolvers }] });
  }

  removeRealm(name: string, act: Act): Promise<boolean> {
    return this.#remove(
      act,
      this.#setup.realms.some((realm) => realm.name === name),
      {
        realms: this.#setup.realms.filter((realm) => realm.name !== name),
      },
    );
  }

  setDefaultRealm(name: string | null, act: Act): Promise<void> {
    return this.#change(act, {
      realms: this.#setup.realms.map((realm) => ({ ...realm, isDefault: realm.name === name })),
    });
  }

  putResolver(resolver: Omit<Resolver, 'id'>, act: Act): Promise<void> {
    const others = this.#setup.resolvers.filter(({ name }) => name !== resolver.name);
    return this.#change(act, { resolvers: [...others, { ...resolver, id: String(others.length + 1) }] });
  }

  removeResolver(name: string, act: Act): Promise<boolean> {
    return this.#remove(
      act,
      this.#setup.resolvers.some((resolver) => resolver.name === name),
      {
        resolvers: this.#setup.resolvers.filter((resolver) => resolver.name !== name),
      },
    );
  }

  putConfiguration(entries: ReadonlyMap<string, string>, act: Act): Promise<void> {
    return this.#change(act, { configuration: new Map([...this.#setup.configuration, ...entries]) });
  }

  removeConfiguration(key: string, act: Act): Promise<boolean> {
    const configuration = new Map(this.#setup.configuration);
    return this.#remove(act, configuration.delete(key), { configuration });
  }

  async #remove(act: Act, isThere: boolean, change: Partial<Setup>): Promise<boolean> {
    if (isThere) {
      await this.#change(act, change);
    }
    return isThere;
  }

  #change(act: Act, change: Partial<Setup>): Promise<void> {
    this.acts.push(act);
    this.#setup = { ...this.#setup, ...change, revision: this.#setup.revision + 1n };
    return Promise.resolve();
  }
}
