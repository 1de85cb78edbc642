import type { ResolverKind, Configuration } from './configuration.ts';
import type { ExpectedRealm, ExpectedResolver, ExpectedSettings } from './expected-state.ts';
import type { PolicyStore } from '../policy/ports.ts';
import type { Sealed } from '../keys/vault.ts';
import type { Act } from '../policy/caller.ts';

/** A resolver as it is stored. */
export interface ResolverEntry {
  readonly name: string;
  readonly kind: ResolverKind;
  readonly settings: Readonly<Record<string, string>>;
  /** Its file must be below a folder of RESOLVER_FILE_DIRS. Default true. */
  readonly isBounded?: boolean;
  /** Its login secret, sealed for 'resolver' and its name. Null: none; undefined: the present one is kept. */
  readonly secret?: Sealed | null | undefined;
  /** Names of the settings that determine the receiver of the secret. */
  readonly secretBoundTo?: readonly string[];
  /** The one that is replaced. Undefined: any. */
  readonly expected?: ExpectedResolver | undefined;
}

/**
 * The configuration, read as one value and changed piece by piece. Every change is one transaction with its audit row.
 */
export interface ConfigurationStore extends PolicyStore {
  /** @returns the configuration of a moment at most one short window ago, with every change made through this store */
  current(): Promise<Configuration>;
  /**
   * Creates the realm or replaces its resolvers. The first realm becomes the default one.
   * @param expected the one that is replaced; undefined: any
   * @throws ServiceError 'resolver.unknown'; 'realm.changed' where the stored one is another
   */
  putRealm(name: string, resolvers: readonly string[], act: Act, expected?: ExpectedRealm): Promise<void>;
  /**
   * Removes the realm, also from its tokens.
   * @returns true if it existed
   */
  removeRealm(name: string, act: Act): Promise<boolean>;
  /**
   * @param name the new default realm, or null for none
   * @throws ServiceError 'realm.unknown'
   */
  setDefaultRealm(name: string | null, act: Act): Promise<void>;
  /**
   * Creates or changes a resolver.
   * @throws ServiceError 'resolver.invalid' when its kind would change, or one of the settings in `secretBoundTo` while
   *   its secret is kept; 'resolver.changed' where the stored one is not the expected one
   */
  putResolver(resolver: ResolverEntry, act: Act): Promise<void>;
  /**
   * @returns true if it existed
   * @throws ServiceError 'resolver.in-use' while a realm or a token's owner refers to it
   */
  removeResolver(name: string, act: Act): Promise<boolean>;
  /**
   * @param expected the values that are replaced; keys that it does not have: any
   * @throws ServiceError 'configuration.changed' where a stored one is another
   */
  putSettings(entries: ReadonlyMap<string, string>, act: Act, expected?: ExpectedSettings): Promise<void>;
  /**
   * @param expected as for `putSettings`
   * @returns true if the key was set
   * @throws ServiceError 'configuration.changed'
   */
  removeSetting(key: string, act: Act, expected?: ExpectedSettings): Promise<boolean>;
}
