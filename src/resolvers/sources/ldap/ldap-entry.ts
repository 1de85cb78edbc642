import {
  EqualityFilter,
  type Filter,
  NotFilter,
  OrFilter,
  PresenceFilter,
  type SearchEntry,
  SubstringFilter,
} from 'ldapts';
import { isStorable } from '../../../kernel/text.ts';
import type { DirectoryUser, UserCondition, UserField, UserPattern } from '../../user-source.ts';
import type { LdapAttributes, LdapSettings, LdapUserId } from './ldap-configuration.ts';

const GUID_GROUPS = /^\{?([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})\}?$/i;

/** @returns the attributes to request */
export function attributesToRead(attributes: Partial<LdapAttributes>, userId: LdapUserId): readonly string[] {
  const names = Object.values(attributes).filter((name): name is string => name !== undefined);
  return [...new Set([...names, ...attributesOfId(userId)])];
}

function attributesOfId(userId: LdapUserId): readonly string[] {
  return userId.kind === 'dn' ? [] : userId.kind === 'bytes' ? userId.names : [userId.name];
}

/** @returns every login of an entry; a blank one is none */
export function loginsOf(entry: SearchEntry, { login }: LdapAttributes): readonly string[] {
  return textsOf(entry, login).filter((text) => text.trim() !== '');
}

/** @returns every id of an entry; the first is the user's */
export function idsOf(entry: SearchEntry, userId: LdapUserId): readonly string[] {
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
export function hasUnusableId(entry: SearchEntry, userId: LdapUserId): boolean {
  return (
    idsOf(entry, userId).length === 0 && attributesOfId(userId).some((name) => hexOf(entry, name).length > 0)
  );
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

/** @returns the bytes of a text in the form that Windows shows, in which the first three groups are reversed */
export function readWindowsGuid(text: string): Buffer | undefined {
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

/** The conditions of a search as the directory and this program check them. */
interface SearchFilters {
  readonly filters: readonly Filter[];
  /** Those that no filter expresses, as on a DN. */
  readonly others: readonly UserCondition[];
}

/** The directory need not send all users to find that none has a value that is kept nowhere. */
const NOBODY = new NotFilter({ filter: new PresenceFilter({ attribute: 'objectClass' }) });

type Names = Pick<LdapSettings, 'attributes' | 'userId'>;

/** Values are parts of filter objects, never of a filter's text, so that nothing in them needs an escape. */
export function searchFilters(settings: Names, conditions: readonly UserCondition[]): SearchFilters {
  const filters: Filter[] = [];
  const others: UserCondition[] = [];
  for (const condition of conditions) {
    const attributes = condition.fields.map((field) => attributesOf(settings, field, condition.pattern));
    const alternatives = attributes.flat().flatMap((name) => (name === undefined ? [] : [name]));
    const isBlank = condition.pattern.every((piece) => piece === '');
    if (attributes.includes(undefined) || (alternatives.length === 0 && isBlank)) {
      others.push(condition);
    } else if (alternatives.length === 0) {
      filters.push(NOBODY);
    } else {
      filters.push(new OrFilter({ filters: alternatives.map((name) => filterOf(name, condition.pattern)) }));
    }
  }
  return { filters, others };
}

/** @returns the configured attributes of a field; undefined if it is none that can be compared */
function attributesOf(
  { attributes, userId }: Names,
  field: UserField,
  pattern: UserPattern,
): readonly (string | undefined)[] | undefined {
  switch (field) {
    case 'userId':
      // Directories compare a part of a text, but not of an id such as entryUUID.
      return userId.kind === 'attribute' && pattern.length === 1 ? [userId.name] : undefined;
    case 'phone':
      return [attributes.phone, attributes.mobile];
    default:
      return [attributes[field]];
  }
}

function filterOf(attribute: string, [initial, ...others]: UserPattern): Filter {
  const final = others.pop();
  if (final === undefined) {
    return new EqualityFilter({ attribute, value: initial });
  }
  // An empty piece is not allowed (RFC 4511 §4.5.1.7.2), and says nothing.
  return new SubstringFilter({ attribute, initial, any: others.filter((piece) => piece !== ''), final });
}
