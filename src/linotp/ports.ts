import type { Resolver, ResolverKind } from '../configuration/configuration.ts';
import type { Sealed } from '../keys/vault.ts';
import type { Act } from '../policy/caller.ts';
import type { Policy } from '../policy/stored-policy.ts';
import type { TokenSecrets } from '../tokens/token.ts';
import type { ImportedAdministrator } from './administrator-mapping.ts';
import type { ChallengedToken, ImportedChallenge } from './challenge-mapping.ts';
import type { ImportedRealm } from './realm-mapping.ts';
import type { ImportedResolver } from './resolver-mapping.ts';
import type { ImportedSetting } from './setting-mapping.ts';
import type { SourceRow } from './source-row.ts';
import type { TokenInfo } from './token-info.ts';
import type { ImportedToken } from './token-mapping.ts';
import type { KeyForm, PlainTokenSecrets } from './token-secrets.ts';

/** The tables of LinOTP that are read, each with a column by which its rows are ordered. */
export const SOURCE_TABLES = {
  Config: 'Key',
  Realm: 'id',
  TokenRealm: 'id',
  Token: 'LinOtpTokenId',
  challenges: 'id',
  // Up to 2.9, those of tokens of the type ocra.
  ocra: 'id',
  imported_user: 'userid',
} as const;

/** The tables that hold challenges. */
export const CHALLENGE_TABLES = ['challenges', 'ocra'] as const;

export type SourceTable = keyof typeof SOURCE_TABLES;

/** A LinOTP database, read-only, at one moment. */
export interface LinotpSource {
  readonly dialect: 'postgresql' | 'mysql' | 'sqlite';
  /** The notes for people about its content. */
  readonly notes: readonly string[];
  /** The names of its other tables, of which nothing is read. */
  readonly unread: readonly string[];
  /** @returns true if the database has this table */
  has(table: SourceTable): boolean;
  /** @returns the number of its rows; 0 without the table */
  count(table: SourceTable): Promise<number>;
  /** @returns its rows in batches, in the order of their primary key; none without the table */
  rows(table: SourceTable): AsyncIterable<readonly SourceRow[]>;
  close(): Promise<void>;
}

/** Parts of the configuration whose entries have names. */
export type EntryKind = 'resolver' | 'realm' | 'policy' | 'setting' | 'administrator';

/** An entry of the configuration in the target. */
export interface PresentEntry {
  /** Of the import that made it; null: it was not imported, or is gone. */
  readonly fingerprint: Buffer | null;
  readonly exists: boolean;
}

/** A resolver with its secret sealed. */
export interface StoredResolver extends Omit<ImportedResolver, 'secret'> {
  readonly secret: Sealed | null;
}

/** A setting with its secret sealed. */
export interface StoredSetting extends Omit<ImportedSetting, 'secret'> {
  readonly secret: Sealed | null;
}

/** A token in the target whose serial differs at most in case from a wanted one. */
export interface PresentToken {
  readonly id: string;
  readonly serial: string;
  /** Of the import that made it; null: it was not imported. */
  readonly fingerprint: Buffer | null;
  /** It has not been written since the import. */
  readonly isUntouched: boolean;
}

/** A token with its secrets sealed and its references resolved. */
export interface StoredToken extends Omit<ImportedToken, 'secrets' | 'owner'> {
  readonly owner: { readonly resolver: string; readonly userId: string; readonly login: string } | null;
  readonly keyForm: KeyForm;
  readonly secrets: TokenSecrets;
  readonly soPin: Sealed | null;
  readonly fingerprint: Buffer;
}

/** A challenge in the target. */
export interface PresentChallenge extends ImportedChallenge {
  readonly id: string;
}

/** The target of an import, within one transaction. */
export interface TargetTransaction {
  /**
   * Notes the installation that is imported, and lets no other import in until the end.
   * @param installation its fingerprint
   * @returns false if another one has been imported before
   */
  claim(installation: Buffer): Promise<boolean>;
  /** Lets no other change of the configuration in until the end. */
  lockConfiguration(): Promise<void>;
  /** @returns the entries of a kind by name: those that exist, and those that an import made */
  entries(kind: EntryKind): Promise<ReadonlyMap<string, PresentEntry>>;
  putResolver(resolver: StoredResolver): Promise<void>;
  putRealm(realm: ImportedRealm): Promise<void>;
  /** Makes the realm the default one. */
  setDefaultRealm(name: string): Promise<void>;
  putPolicy(policy: Policy): Promise<void>;
  removePolicy(name: string): Promise<void>;
  putSetting(setting: StoredSetting): Promise<void>;
  removeSetting(key: string): Promise<void>;
  insertAdministrator(administrator: ImportedAdministrator): Promise<void>;
  setPasswordHash(administrator: ImportedAdministrator): Promise<void>;
  noteEntry(kind: EntryKind, name: string, fingerprint: Buffer): Promise<void>;
  forgetEntry(kind: EntryKind, name: string): Promise<void>;
  /** @returns the configuration values */
  settings(): Promise<ReadonlyMap<string, string>>;
  /** @returns the resolvers by name */
  resolvers(): Promise<ReadonlyMap<string, Resolver>>;
  /** @returns the ids of the users of a managed resolver, by login */
  managedUsers(resolverId: string): Promise<ReadonlyMap<string, string>>;
  /** @returns true if an earlier import left tokens */
  hasImportedTokens(): Promise<boolean>;
  /** @returns tokens by serial in lower case */
  findTokens(serials: readonly string[]): Promise<ReadonlyMap<string, PresentToken>>;
  /** @returns those of the serials whose imported tokens have been removed here */
  removedTokens(serials: readonly string[]): Promise<ReadonlySet<string>>;
  insertTokens(tokens: readonly StoredToken[]): Promise<void>;
  /**
   * Replaces tokens by their ids, and removes their challenges.
   * @returns the ids of the replaced ones; the others have been written since they were found
   */
  updateTokens(tokens: ReadonlyMap<string, StoredToken>): Promise<ReadonlySet<string>>;
  /** Notes that the source still has the tokens with these serials. */
  noteSeen(serials: readonly string[]): Promise<void>;
  /**
   * Removes imported tokens that are not noted as seen, up to a number.
   * @returns their serials, and those that stay because they have been used or changed here since; empty: no more
   */
  removeUnseen(
    max: number,
  ): Promise<{ readonly removed: readonly string[]; readonly kept: readonly string[] }>;
  /** @returns the imported tokens with these serials, by serial */
  importedTokens(
    serials: readonly string[],
  ): Promise<ReadonlyMap<string, ChallengedToken & { readonly id: string }>>;
  /** @returns challenges by transaction id */
  findChallenges(transactionIds: readonly string[]): Promise<ReadonlyMap<string, PresentChallenge>>;
  /** @param challenges each with the id of its token */
  insertChallenges(challenges: readonly (ImportedChallenge & { readonly tokenId: string })[]): Promise<void>;
  /** @param challenges by their ids */
  updateChallenges(challenges: ReadonlyMap<string, ImportedChallenge>): Promise<void>;
  /** Writes audit rows. @param outcomes by the name of the imported entry */
  audit(
    rows: readonly {
      readonly subject: string;
      readonly outcome: string;
      readonly realms?: readonly string[];
    }[],
  ): Promise<void>;
}

/** The target of an import. */
export interface ImportTarget {
  /** Runs `work` in one transaction. */
  transact<T>(act: Act, work: (target: TargetTransaction) => Promise<T>): Promise<T>;
  /** As `transact`, and rolls everything back in the end. No audit row is written. */
  rehearse<T>(work: (target: TargetTransaction) => Promise<T>): Promise<T>;
}

/** A stored token in a form that can be compared. */
export interface ComparableToken {
  readonly id: string;
  /** The fields that are no secrets, by their names in `ImportedToken`. */
  readonly fields: Readonly<Partial<Record<string, string | number | boolean>>>;
  readonly owner: { readonly resolver: string; readonly userId: string; readonly login: string } | null;
  /** null: it was not imported. */
  readonly info: TokenInfo | null;
  readonly secrets: Readonly<Record<Exclude<keyof PlainTokenSecrets, 'keyForm'>, Sealed | null>>;
}

/** The tokens and challenges of this server, for a comparison. */
export interface VerificationTarget {
  /** @returns the kinds of the resolvers, by name */
  resolverKinds(): Promise<ReadonlyMap<string, ResolverKind>>;
  /** @returns the configuration values */
  settings(): Promise<ReadonlyMap<string, string>>;
  /** @returns tokens by serial */
  tokens(serials: readonly string[]): Promise<ReadonlyMap<string, ComparableToken>>;
  /** @returns every token, in batches */
  allTokens(): AsyncIterable<readonly { readonly id: string; readonly serial: string }[]>;
  /** @returns the imported tokens with these serials, by serial */
  importedTokens(serials: readonly string[]): Promise<ReadonlyMap<string, ChallengedToken>>;
  /** @returns challenges by transaction id */
  findChallenges(transactionIds: readonly string[]): Promise<ReadonlyMap<string, PresentChallenge>>;
}
