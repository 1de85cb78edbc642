import { AndFilter, OrFilter, type SearchEntry } from 'ldapts';
import { isStorable } from '../../../kernel/text.ts';
import {
  type DirectoryUser,
  type Examination,
  ResolverUnavailable,
  type UserSearch,
  type UserSource,
  countSharing,
  matchesUser,
} from '../../user-source.ts';
import { LdapFault, type LdapSearch } from './ldap-connection.ts';
import { LdapConnections } from './ldap-connections.ts';
import type { LdapUserId } from '../../settings/ldap-settings.ts';
import type { Settings } from '../../settings/setting-values.ts';
import {
  searchFilters,
  equals,
  isWithin,
  type LdapSettings,
  readLdapSettings,
  type LdapAttributes,
} from './ldap-configuration.ts';
import { comparableLogin, meantBy } from '../../resolver-lookup.ts';

/** What all entries of a directory are. */
interface Survey extends Omit<Examination, 'sharingId'> {
  readonly hasUnusableIds: boolean;
}

interface Directory {
  readonly settings: LdapSettings;
  readonly connections: LdapConnections;
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
  readonly #deps;
  #directory: Directory | undefined;

  constructor(dependencies: {
    /** Its name, for messages. */
    readonly resolver: string;
    /** By LinOTP's names. */
    readonly settings: Settings;
    /** Of BINDDN; requested for each new connection, kept nowhere. */
    readonly password: () => Promise<string>;
  }) {
    this.#deps = dependencies;
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
  list({ conditions = [], limit = Infinity }: Partial<UserSearch> = {}): Promise<readonly DirectoryUser[]> {
    return this.#withUserFaults(({ settings, connections }) =>
      connections.search(async (connection) => {
        const users: DirectoryUser[] = [];
        const end = Math.min(limit, settings.sizeLimit || Infinity);
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
        return users;
      }),
    );
  }

  /** Counts all of them, regardless of SIZELIMIT. */
  async count(): Promise<number> {
    return (await this.#survey(() => undefined)).users;
  }

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

  /** @throws ServiceError 'resolver.unavailable' also for ids that are bytes of an unknown form */
  async examine(): Promise<Examination> {
    const ids: string[] = [];
    const { hasUnusableIds, ...found } = await this.#survey((id) => ids.push(id));
    if (hasUnusableIds) {
      const reason = 'the attribute that UIDTYPE names holds bytes that are no text';
      throw new ResolverUnavailable({ resolver: this.#deps.resolver, reason });
    }
    return { ...found, sharingId: countSharing(ids.slice(-found.users)) };
  }

  /** Reads the ids and logins of all entries, anew where a kept connection turns out to be closed. */
  #survey(note: (id: string) => unknown): Promise<Survey> {
    return this.#withUserFaults(({ settings, connections }) => {
      const { attributes, userId } = settings;
      const search = {
        ...searchFor(settings),
        attributes: attributesToRead({ login: attributes.login }, userId),
      };
      return connections.search(async (connection) => {
        let [entries, withoutId, withoutLogin, hasUnusableIds] = [0, 0, 0, false];
        await connection.each(search, (entry) => {
          const [id] = idsOf(entry, userId);
          entries += 1;
          if (id === undefined) {
            withoutId += 1;
            hasUnusableIds ||= hasUnusableId(entry, userId);
          } else if (loginsOf(entry, attributes).length === 0) {
            withoutLogin += 1;
          } else {
            note(id);
          }
        });
        return {
          entries,
          users: entries - withoutId - withoutLogin,
          withoutId,
          withoutLogin,
          hasUnusableIds,
        };
      });
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
      if (fault instanceof LdapFault) {
        const { message: reason, detail = fault.kind } = fault;
        throw new ResolverUnavailable({ resolver: this.#deps.resolver, reason, detail, cause: fault });
      }
      throw fault;
    }
  }

  #openDirectory(): Directory {
    const { password } = this.#deps;
    const settings = readLdapSettings(this.#deps.settings);
    return { settings, connections: new LdapConnections({ transport: settings.transport, password }) };
  }
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

/** The attribute in which Active Directory keeps 16 bytes that never change. */
const GUID_ATTRIBUTE = 'objectGUID';

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

const GUID_GROUPS = /^\{?([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})\}?$/i;

function attributesToRead(attributes: Partial<LdapAttributes>, userId: LdapUserId): readonly string[] {
  const names = Object.values(attributes).filter((name): name is string => name !== undefined);
  return [...new Set([...names, ...attributesOfId(userId)])];
}

function attributesOfId(userId: LdapUserId): readonly string[] {
  return userId.kind === 'dn' ? [] : userId.kind === 'bytes' ? userId.names : [userId.name];
}

/** @returns every login of an entry; a blank one is none */
function loginsOf(entry: SearchEntry, { login }: LdapAttributes): readonly string[] {
  return textsOf(entry, login).filter((text) => text.trim() !== '');
}

/** @returns every id of an entry; the first is the user's */
function idsOf(entry: SearchEntry, userId: LdapUserId): readonly string[] {
  switch (userId.kind) {
    case 'dn':
      return [entry.name];
    case 'bytes':
      return (userId.names.map((name) => hexOf(entry, name)).find((ids) => ids.length > 0) ?? []).sort();
    case 'attribute':
      // The values of an attribute have no order: the user's id must be the same one every time.
      return [...textsOf(entry, userId.name)].sort();
  }
}

/** @returns true if the entry has a value where its id should be, and none of them is a text */
function hasUnusableId(entry: SearchEntry, userId: LdapUserId): boolean {
  return (
    idsOf(entry, userId).length === 0 && attributesOfId(userId).some((name) => hexOf(entry, name).length > 0)
  );
}

/**
 * @param login the one of several that was searched for; default: the first
 * @returns the user of an entry; undefined if it has no login or no id
 */
function userOfEntry(
  entry: SearchEntry,
  attributes: LdapAttributes,
  userId: LdapUserId,
  login = loginsOf(entry, attributes)[0],
): DirectoryUser | undefined {
  const [id] = idsOf(entry, userId);
  if (login === undefined || id === undefined) {
    return undefined;
  }
  const first = (name: string | undefined): string =>
    (name === undefined ? '' : textsOf(entry, name)[0]) ?? '';
  const { givenName, surname, email, phone, mobile } = attributes;
  return {
    userId: id,
    login,
    givenName: first(givenName),
    surname: first(surname),
    email: first(email),
    phone: first(phone) === '' ? first(mobile) : first(phone),
  };
}

/** @returns the bytes of a text in the form that Windows shows, in which the first three groups are reversed */
function readWindowsGuid(text: string): Buffer | undefined {
  const groups = GUID_GROUPS.exec(text)
    ?.slice(1)
    .map((group) => Buffer.from(group, 'hex'));
  return groups && Buffer.concat(groups.map((bytes, index) => (index < 3 ? bytes.reverse() : bytes)));
}

function hexOf(entry: SearchEntry, name: string): string[] {
  return bytesOf(entry, name).flatMap((bytes) => (bytes.length === 0 ? [] : [bytes.toString('hex')]));
}

function textsOf(entry: SearchEntry, name: string): readonly string[] {
  return bytesOf(entry, name).flatMap((bytes) => {
    const text = bytes.toString('utf8');
    // A value that is not UTF-8 is no text, and must not become one that others may have too.
    return text !== '' && isStorable(text) && Buffer.from(text).equals(bytes) ? [text] : [];
  });
}

function bytesOf(entry: SearchEntry, name: string): readonly Buffer[] {
  const requested = name.toLowerCase();
  return entry.attributes.find(({ type }) => type.toLowerCase() === requested)?.parsedBuffers ?? [];
}
