import type { SearchEntry } from 'ldapts';
import type { DirectoryUser } from '../../ports.ts';
import type { LdapAttributes, LdapUserId } from './ldap-configuration.ts';

/** The attribute in which Active Directory keeps 16 bytes that never change. */
export const GUID_ATTRIBUTE = 'objectGUID';

const GUID_GROUPS = /^\{?([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})\}?$/i;

/** @returns the attributes to request */
export function attributesToRead(attributes: LdapAttributes, userId: LdapUserId): readonly string[] {
  const names = Object.values(attributes).filter((name): name is string => name !== undefined);
  const ofId = userId.kind === 'guid' ? [GUID_ATTRIBUTE] : userId.kind === 'attribute' ? [userId.name] : [];
  return [...new Set([...names, ...ofId])];
}

/** @returns every login of an entry */
export function loginsOf(entry: SearchEntry, { login }: LdapAttributes): readonly string[] {
  return textsOf(entry, login);
}

/** @returns every id of an entry; the first is the user's */
export function idsOf(entry: SearchEntry, userId: LdapUserId): readonly string[] {
  switch (userId.kind) {
    case 'dn':
      return [entry.name];
    case 'guid':
      return bytesOf(entry, GUID_ATTRIBUTE).map((bytes) => bytes.toString('hex'));
    case 'attribute':
      // The values of an attribute have no order: the user's id must be the same one every time.
      return [...textsOf(entry, userId.name)].sort();
  }
}

/**
 * @param login the one of several that was searched for; default: the first
 * @returns the user of an entry; undefined if it has no login or no id
 */
export function userOfEntry(
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

/**
 * @param text 32 hex digits in the order of the bytes, or the form that Windows shows, in which the first three groups
 *   are reversed
 * @returns the bytes; undefined for any other text
 */
export function readGuid(text: string): Buffer | undefined {
  if (/^[0-9a-f]{32}$/i.test(text)) {
    return Buffer.from(text, 'hex');
  }
  const groups = GUID_GROUPS.exec(text)
    ?.slice(1)
    .map((group) => Buffer.from(group, 'hex'));
  return groups === undefined
    ? undefined
    : Buffer.concat(groups.map((bytes, index) => (index < 3 ? bytes.reverse() : bytes)));
}

function textsOf(entry: SearchEntry, name: string): readonly string[] {
  return bytesOf(entry, name).flatMap((bytes) => {
    const text = bytes.toString('utf8');
    // A value that is not UTF-8 is no text, and must not become one that others may have too.
    return text !== '' && Buffer.from(text).equals(bytes) ? [text] : [];
  });
}

function bytesOf(entry: SearchEntry, name: string): readonly Buffer[] {
  const requested = name.toLowerCase();
  return entry.attributes.find(({ type }) => type.toLowerCase() === requested)?.parsedBuffers ?? [];
}
