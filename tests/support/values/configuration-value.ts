import { ReadPolicy } from '../../../src/policy/read-policy.ts';
import type { Policy } from '../../../src/policy/stored-policy.ts';
import type { Realm, Resolver, Configuration } from '../../../src/configuration/configuration.ts';

/** A test's part of a configuration; the rest is filled in. */
export interface ConfigurationSketch {
  readonly realms?: readonly Pick<Realm, 'name' | 'resolvers'>[];
  readonly resolvers?: readonly (Pick<Resolver, 'name'> & Partial<Resolver>)[];
  readonly policies?: readonly Policy[];
  readonly settings?: ReadonlyMap<string, string>;
  readonly revision?: bigint;
}

/**
 * @returns a configuration, everything sorted as the store sorts it; the first realm of the sketch is the default one
 */
export function configurationOf(sketch: ConfigurationSketch): Configuration {
  const { realms = [], resolvers = [], policies = [] } = sketch;
  return {
    revision: sketch.revision ?? 1n,
    changedAt: new Date('2026-11-20T10:27:59.507Z'),
    readAt: new Date('2026-11-20T10:28:00.000Z'),
    realms: byName(
      realms.map((realm, index) => ({ ...realm, id: String(index + 1), isDefault: index === 0 })),
    ),
    resolvers: byName(
      resolvers.map((resolver, index) => ({
        id: String(index + 1),
        kind: 'managed' as const,
        settings: {},
        isBounded: false,
        ...resolver,
      })),
    ),
    policies: byName(policies).map((policy) => new ReadPolicy(policy)),
    settings: sketch.settings ?? new Map(),
  };
}

/** A configuration in place of a store, for services that only read it. */
export class GivenConfiguration {
  readonly #sketch: ConfigurationSketch;

  constructor(sketch: ConfigurationSketch = {}) {
    this.#sketch = sketch;
  }

  current(): Promise<Configuration> {
    return Promise.resolve(configurationOf(this.#sketch));
  }
}

function byName<Named extends { readonly name: string }>(things: readonly Named[]): readonly Named[] {
  return things.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}
