import { AndFilter, OrFilter, type SearchEntry } from 'ldapts';
import { isStorable } from '../../../kernel/text.ts';
import {
  type DirectoryUser,
  type Examination,
  ResolverUnavailable,
  type UserSearch,
  type UserSource,
} from '../../user-source.ts';
import { matchesUser } from '../../user-search.ts';
import type { LdapSearch } from './ldap-connection.ts';
import { LdapConnections } from './ldap-connections.ts';
import {
  attributesToRead,
  hasUnusableId,
  idsOf,
  loginsOf,
  readWindowsGuid,
  searchFilters,
  userOfEntry,
} from './ldap-entry.ts';
import { LdapFault } from './ldap-fault.ts';
import { equals } from './ldap-filter.ts';
import { GUID_ATTRIBUTE, isWithin, type LdapSettings, readLdapSettings } from './ldap-configuration.ts';
import { comparableLogin, meantBy } from '../../resolver-lookup.ts';

interface Directory {
  readonly settings: LdapSettings;
  readonly connections: LdapConnections;
}

/** What makes an entry a user's. */
interface EntryKeys {
  readonly id: string | undefined;
  readonly login: string | undefined;
  /** There is a value for the id, which is no text. */
  readonly hasUnusableId: boolean;
}

/** The most entries for one login or id; more mean that the filter is not one for logins. */
const MAX_CANDIDATES = 20;
/** Results of a search by an id without such an entry: noSuchObject, invalidDNSyntax, invalidAttributeSyntax. */
const NO_SUCH_ENTRY: readonly number[] = [21, 32, 34];
const SIZE_LIMIT_EXCEEDED = 4;
/** Results of a refused bind: constraintViolation, noSuchObject, inappropriateAuth., invalidCredentials, unwilling. */
const WRONG_PASSWORD: readonly number[] = [19, 32, 48, 49, 53];

/**
 * The users of an LDAP directory. Every request is bounded: each connection and each answer by TIMEOUT, and only a few
 * connections are open at a time. Referrals are not followed.
 */
export class LdapUsers implements UserSource {
  readonly #resolver: string;
  readonly #raw: Readonly<Record<string, string>>;
  readonly #password: () => Promise<string>;
  #directory: Directory | undefined;
  #counting: Promise<number> | undefined;

  /**
   * @param resolver its name, for messages
   * @param settings by LinOTP's names: LDAPURI, LDAPBASE, BINDDN, TIMEOUT, SIZELIMIT, LOGINNAMEATTRIBUTE,
   *   LDAPSEARCHFILTER, LDAPFILTER, USERINFO, UIDTYPE, EnforceTLS, only_trusted_certs, CACERTIFICATE
   * @param password of BINDDN; requested for each new connection, kept nowhere
   */
  constructor(dependencies: {
    resolver: string;
    settings: Readonly<Record<string, string>>;
    password: () => Promise<string>;
  }) {
    this.#resolver = dependencies.resolver;
    this.#raw = dependencies.settings;
    this.#password = dependencies.password;
  }

  /** Finds whom the filter finds, which the directory compares without regard to case. */
  async findByLogin(login: string): Promise<DirectoryUser | undefined> {
    if (!isStorable(login) || login.trim() === '') {
      return undefined;
    }
    return this.#withUserFaults(async ({ settings, connections }) => {
      const { base, userOf, attributes, userId } = settings;
      const search = searchFor(settings, { base, filter: userOf(login) });
      const entries = await this.#candidates(connections, search);
      const users = entries.flatMap(
        (entry) =>
          userOfEntry(entry, attributes, userId, loginLike(login, loginsOf(entry, attributes))) ?? [],
      );
      onlyOne(users.filter((user) => user.login === login));
      return meantBy(login, users);
    });
  }

  findById(userId: string): Promise<DirectoryUser | undefined> {
    return this.#withUserFaults(async (directory) => {
      const entry = await this.#entryOf(directory, userId);
      return entry && userOfEntry(entry, directory.settings.attributes, directory.settings.userId);
    });
  }

  /** Ends the list at SIZELIMIT. */
  list(
    { conditions = [], limit = Infinity }: Partial<UserSearch> = {},
    onCut?: (limit: number) => void,
  ): Promise<readonly DirectoryUser[]> {
    return this.#withUserFaults(({ settings, connections }) =>
      connections.search(async (connection) => {
        const users: DirectoryUser[] = [];
        const { sizeLimit } = settings;
        const end = sizeLimit > 0 ? Math.min(limit, sizeLimit + 1) : limit;
        const { filters, others } = searchFilters(settings, conditions);
        const search = searchFor(settings, {
          filter:
            filters.length === 0 ? settings.users : new AndFilter({ filters: [settings.users, ...filters] }),
        });
        const onEntry = (entry: SearchEntry): void => {
          const user = userOfEntry(entry, settings.attributes, settings.userId);
          if (user !== undefined && users.length < end && matchesUser(user, others)) {
            users.push(user);
          }
        };
        await connection.each(search, onEntry, () => users.length >= end);
        if (sizeLimit > 0 && users.length > sizeLimit) {
          onCut?.(sizeLimit);
          users.pop();
        }
        return users;
      }),
    );
  }

  /** Counts all of them, regardless of SIZELIMIT. Concurrent calls share one count. */
  async count(): Promise<number> {
    const counting = (this.#counting ??= this.#countOnce());
    try {
      return await counting;
    } finally {
      if (this.#counting === counting) {
        this.#counting = undefined;
      }
    }
  }

  /** Binds as the user. */
  async checkPassword(userId: string, password: string): Promise<boolean> {
    if (password === '') {
      // RFC 4513 §5.1.2: such a bind succeeds without authentication.
      return false;
    }
    return this.#withUserFaults(async (directory) => {
      const entry = await this.#entryOf(directory, userId);
      return entry !== undefined && isPassword(directory.connections, entry.name, password);
    });
  }

  /** Ends its connections, within seconds. */
  async close(): Promise<void> {
    await this.#directory?.connections.close();
  }

  #countOnce(): Promise<number> {
    return this.#overKeys(async (each) => {
      let users = 0;
      await each(({ id, login }) => {
        users += id === undefined || login === undefined ? 0 : 1;
      });
      return users;
    });
  }

  /** @throws ServiceError 'resolver.unavailable' also for ids that are bytes of an unknown form */
  examine(): Promise<Examination> {
    return this.#overKeys(async (each) => {
      const owners = new Map<string, number>();
      let [entries, withoutId, withoutLogin] = [0, 0, 0];
      await each(({ id, login, hasUnusableId: isRefused }) => {
        if (isRefused) {
          throw new LdapFault('answer', 'the attribute that UIDTYPE names holds bytes that are no text');
        }
        entries += 1;
        withoutId += id === undefined ? 1 : 0;
        withoutLogin += id !== undefined && login === undefined ? 1 : 0;
        if (id !== undefined && login !== undefined) {
          owners.set(id, (owners.get(id) ?? 0) + 1);
        }
      });
      const users = entries - withoutId - withoutLogin;
      const sharingId = [...owners.values()].reduce((sum, many) => (many > 1 ? sum + many : sum), 0);
      return { entries, users, withoutId, withoutLogin, sharingId };
    });
  }

  /** @param work reads the keys of all entries; it runs again where a kept connection turns out to be closed */
  #overKeys<T>(work: (each: (note: (keys: EntryKeys) => void) => Promise<void>) => Promise<T>): Promise<T> {
    return this.#withUserFaults(({ settings, connections }) => {
      const { attributes, userId } = settings;
      const keys = attributesToRead({ login: attributes.login }, userId);
      return connections.search((connection) =>
        work((note) =>
          connection.each({ ...searchFor(settings), attributes: keys }, (entry) => {
            note({
              id: idsOf(entry, userId)[0],
              login: loginsOf(entry, attributes)[0],
              hasUnusableId: hasUnusableId(entry, userId),
            });
          }),
        ),
      );
    });
  }

  /** The entry of an id, if it is a user's. */
  async #entryOf({ settings, connections }: Directory, userId: string): Promise<SearchEntry | undefined> {
    const id = settings.userId.kind === 'bytes' ? hexForm(settings.userId.names, userId) : userId;
    const search = searchById(settings, id);
    if (search === undefined) {
      return undefined;
    }
    try {
      const entries = await this.#candidates(connections, search);
      return onlyOne(
        entries.filter(
          (entry) =>
            isWithin(entry.name, settings.base) &&
            (search.scope === 'base' || idsOf(entry, settings.userId).includes(id)),
        ),
      );
    } catch (fault) {
      if (search.scope === 'base' && isResult(fault, NO_SUCH_ENTRY)) {
        return undefined;
      }
      throw fault;
    }
  }

  async #candidates(connections: LdapConnections, search: LdapSearch): Promise<readonly SearchEntry[]> {
    try {
      return await connections.search((connection) => connection.find(search, MAX_CANDIDATES));
    } catch (fault) {
      throw isResult(fault, [SIZE_LIMIT_EXCEEDED]) ? severalEntries() : fault;
    }
  }

  async #withUserFaults<T>(work: (directory: Directory) => Promise<T>): Promise<T> {
    try {
      this.#directory ??= this.#openDirectory();
      return await work(this.#directory);
    } catch (fault) {
      throw fault instanceof LdapFault ? unavailable(this.#resolver, fault) : fault;
    }
  }

  #openDirectory(): Directory {
    const settings = readLdapSettings(this.#raw);
    const { transport } = settings;
    return { settings, connections: new LdapConnections({ transport, password: this.#password }) };
  }
}

function unavailable(resolver: string, fault: LdapFault): ResolverUnavailable {
  const { address, kind, message, detail = kind } = fault;
  return new ResolverUnavailable({
    resolver,
    reason: message,
    cause: fault,
    detail: address === undefined ? detail : `${address} ${detail}`,
    ...(address !== undefined &&
      fault.isOfTheServer && {
        server: {
          lacks: kind === 'unreachable' ? 'connection' : 'answer',
          address,
          reason: fault.detail ?? message,
        },
      }),
  });
}

function searchFor(settings: LdapSettings, narrower: Partial<LdapSearch> = {}): LdapSearch {
  const attributes = attributesToRead(settings.attributes, settings.userId);
  return { base: settings.base, scope: 'sub', filter: settings.users, attributes, ...narrower };
}

/** @returns undefined if no entry can have such an id */
function searchById(settings: LdapSettings, userId: string): LdapSearch | undefined {
  const idSetting = settings.userId;
  switch (idSetting.kind) {
    case 'dn':
      return isWithin(userId, settings.base)
        ? searchFor(settings, { base: userId, scope: 'base' })
        : undefined;
    case 'bytes': {
      const bytes = Buffer.from(userId, 'hex');
      const filters = idSetting.names.map((name) => equals(name, bytes));
      return bytes.length === 0
        ? undefined
        : searchFor(settings, {
            filter: new AndFilter({ filters: [settings.users, new OrFilter({ filters })] }),
          });
    }
    case 'attribute':
      return userId === ''
        ? undefined
        : searchFor(settings, {
            filter: new AndFilter({ filters: [settings.users, equals(idSetting.name, userId)] }),
          });
  }
}

/** @returns the id in its one form: hex digits in lower case; empty for a text that is none */
function hexForm(names: readonly string[], text: string): string {
  const guid = names.includes(GUID_ATTRIBUTE) ? readWindowsGuid(text)?.toString('hex') : undefined;
  return guid ?? (/^(?:[0-9a-f]{2})+$/i.test(text) ? text.toLowerCase() : '');
}

async function isPassword(connections: LdapConnections, dn: string, password: string): Promise<boolean> {
  try {
    await connections.bind(dn, password);
    return true;
  } catch (fault) {
    if (isResult(fault, WRONG_PASSWORD)) {
      return false;
    }
    throw fault;
  }
}

/** @returns of the logins of an entry the one that was asked for, as it is spelt there, or else the first */
function loginLike(login: string, logins: readonly string[]): string | undefined {
  const sought = comparableLogin(login);
  return logins.includes(login)
    ? login
    : (logins.find((one) => comparableLogin(one) === sought) ?? logins[0]);
}

/** Refuses several entries for one user: the right one is unknown. */
function onlyOne<Entry>(entries: readonly Entry[]): Entry | undefined {
  if (entries.length > 1) {
    throw severalEntries();
  }
  return entries[0];
}

function severalEntries(): LdapFault {
  return new LdapFault('answer', 'it has several entries for one user');
}

function isResult(fault: unknown, codes: readonly number[]): boolean {
  return fault instanceof LdapFault && fault.resultCode !== undefined && codes.includes(fault.resultCode);
}
