import type { Realm } from '../configuration/configuration.ts';
import type { ExpectedRealm } from '../configuration/expected-state.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import { ServiceError } from '../kernel/errors.ts';
import { plainName, requireForm } from '../kernel/text.ts';
import { actOf, type Caller } from '../policy/caller.ts';
import { readResolverName, requireRealm, unknownReference } from '../resolvers/resolver-lookup.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'realm.changed': NoPayload;
  }
}

/** Realms, and the resolvers of each. */
export class RealmService {
  readonly #deps: { readonly configuration: ConfigurationStore };

  constructor(dependencies: { configuration: ConfigurationStore }) {
    this.#deps = dependencies;
  }

  /** @returns realms by name */
  async list(): Promise<readonly Realm[]> {
    return (await this.#deps.configuration.current()).realms;
  }

  /** @throws ServiceError 'realm.unknown' */
  async show(name: string): Promise<Realm> {
    return requireRealm(await this.#deps.configuration.current(), name);
  }

  /**
   * Creates the realm or replaces its resolvers. The first realm becomes the default one.
   * @param realm `expected`: the resolvers that the caller has read; undefined: any are replaced
   * @throws ServiceError 'parameter.invalid', 'resolver.unknown', 'realm.changed'
   */
  async set(
    caller: Caller,
    realm: {
      readonly name: string;
      readonly resolvers: readonly string[];
      readonly expected?: ExpectedRealm | undefined;
    },
  ): Promise<void> {
    const resolvers = [...new Set(realm.resolvers.map(readResolverName))];
    if (resolvers.length === 0) {
      throw new ServiceError('parameter.invalid', 'A realm needs at least one resolver');
    }
    const act = actOf(caller, 'realm/set');
    await this.#deps.configuration.putRealm(readRealmName(realm.name), resolvers, act, realm.expected);
  }

  /** Removes the realm, also from every token that is in it. @throws ServiceError 'realm.unknown' */
  async remove(caller: Caller, name: string): Promise<void> {
    if (!(await this.#deps.configuration.removeRealm(readRealmName(name), actOf(caller, 'realm/remove')))) {
      throw unknownReference('realm', name);
    }
  }

  /**
   * @param name null: no realm is the default
   * @throws ServiceError 'realm.unknown'
   */
  async setDefault(caller: Caller, name: string | null): Promise<void> {
    const requested = name === null ? null : readRealmName(name);
    await this.#deps.configuration.setDefaultRealm(requested, actOf(caller, 'realm/default'));
  }
}

/**
 * @returns the realm's name as it is kept: trimmed, lower-case
 * @throws ServiceError 'parameter.invalid'
 */
export function readRealmName(text: string): string {
  const name = plainName(text).toLowerCase();
  return requireForm(
    name,
    /^[a-z0-9_][a-z0-9._-]{0,254}$/,
    'A realm has 1 to 255 letters a to z, digits, dots, dashes and underscores',
  );
}
