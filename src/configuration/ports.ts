import type { ResolverKind, Configuration } from './configuration.ts';
import type { PolicyStore } from '../policy/ports.ts';
import type { Sealed } from '../keys/vault.ts';
import type { Act } from '../policy/caller.ts';

/** A resolver as it is stored. */
export interface ResolverEntry {
  readonly name: string;
  readonly kind: ResolverKind;
  readonly settings: Readonly<Record<string, string>>;
  /** Whether its file must be below a folder of RESOLVER_FILE_DIRS; true unless told. */
  readonly isBounded?: boolean;
  /** What it logs in with, sealed for 'resolver' and its name. null: nothing; undefined: what it has is kept. */
  readonly secret?: Sealed | null | undefined;
  /** Names of the settings that say to whom the secret is shown. */
  readonly secretBoundTo?: readonly string[];
}

/** The configuration, read as one value and changed piece by piece. Every change is one transaction with its audit row. */
export interface ConfigurationStore extends PolicyStore {
  /** @returns the configuration of a moment at most one short window ago, with every change that was made through this store */
  current(): Promise<Configuration>;
  /** Creates the realm or replaces its resolvers. The first realm becomes the default one. @throws 'resolver.unknown' */
  putRealm(name: string, resolvers: readonly string[], act: Act): Promise<void>;
  /** Removes the realm, also from every token that is in it. @returns whether there was one */
  removeRealm(name: string, act: Act): Promise<boolean>;
  /** @param name the new default realm, or null for none. @throws 'realm.unknown' */
  setDefaultRealm(name: string | null, act: Act): Promise<void>;
  /**
   * Creates or changes a resolver.
   * @throws 'resolver.invalid' when its kind would change, or one of the settings in `secretBoundTo` while its secret
   *   is kept
   */
  putResolver(resolver: ResolverEntry, act: Act): Promise<void>;
  /** @returns whether there was one. @throws 'resolver.in-use' while a realm or a token's owner refers to it */
  removeResolver(name: string, act: Act): Promise<boolean>;
  putSettings(entries: ReadonlyMap<string, string>, act: Act): Promise<void>;
  /** @returns whether there was such a key */
  removeSetting(key: string, act: Act): Promise<boolean>;
}
