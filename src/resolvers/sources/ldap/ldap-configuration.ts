import {
  type Filter,
  EqualityFilter,
  FilterParser,
  NotFilter,
  OrFilter,
  PresenceFilter,
  SubstringFilter,
} from 'ldapts';
import type { z } from 'zod';
import { isServiceError } from '../../../kernel/errors.ts';
import { LDAP_SETTINGS, type LdapUserId } from '../../settings/ldap-settings.ts';
import { readSettings, type Settings } from '../../settings/setting-values.ts';
import type { UserCondition, UserField, UserPattern } from '../../user-source.ts';
import { LdapFault, type LdapTransport } from './ldap-connection.ts';

/** Attributes of an entry, by the value that is read from them. */
export interface LdapAttributes {
  readonly login: string;
  readonly givenName: string | undefined;
  readonly surname: string | undefined;
  readonly email: string | undefined;
  readonly phone: string | undefined;
  readonly mobile: string | undefined;
}

export interface LdapSettings {
  readonly transport: LdapTransport;
  readonly base: string;
  /** Matches the entries that are users. */
  readonly users: Filter;
  /** Matches the entry of a login. */
  readonly userOf: (login: string) => Filter;
  readonly attributes: LdapAttributes;
  readonly userId: LdapUserId;
  /** The most users of a list; 0: any number. */
  readonly sizeLimit: number;
}

/** @throws LdapFault 'settings' that names the setting */
export function readLdapSettings(settings: Settings): LdapSettings {
  const { USERINFO: names = {}, TIMEOUT: timeout, ...read } = readStored(settings);
  if (readDistinguishedName(read.LDAPBASE) === undefined) {
    throw new LdapFault('settings', 'LDAPBASE is no distinguished name');
  }
  return {
    transport: {
      servers: read.LDAPURI,
      startTls: read.EnforceTLS ?? false,
      authority: read.CACERTIFICATE,
      verified: read.only_trusted_certs ?? true,
      connectTimeout: timeout.connect,
      answerTimeout: timeout.answer,
      // Active Directory also accepts `name@domain` and `DOMAIN\name`: the server validates the name.
      bindDn: read.BINDDN ?? '',
    },
    base: read.LDAPBASE,
    users: readFilter(read.LDAPSEARCHFILTER, 'LDAPSEARCHFILTER'),
    userOf: readFilterFor(read.LDAPFILTER, 'LDAPFILTER'),
    attributes: {
      login: read.LOGINNAMEATTRIBUTE,
      givenName: names.givenname,
      surname: names.surname,
      email: names.email,
      phone: names.phone,
      mobile: names.mobile,
    },
    userId: read.UIDTYPE,
    sizeLimit: read.SIZELIMIT ?? 0,
  };
}

function readStored(settings: Settings): z.output<typeof LDAP_SETTINGS> {
  try {
    return readSettings(LDAP_SETTINGS, settings);
  } catch (cause) {
    throw isServiceError(cause) ? new LdapFault('settings', cause.message, { cause }) : cause;
  }
}

const MAX_NAME_LENGTH = 8192;
const PART =
  /\s*([A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)*)\s*=\s*(#(?:[0-9a-fA-F]{2})+|(?:[^,+"\\<>;\0]|\\(?:[ "#+,;<=>\\]|[0-9a-fA-F]{2}))*)/y;

/**
 * Parses a distinguished name (RFC 4514) for comparison.
 * @returns its RDNs from the entry up, each normalized in case and blanks; undefined if the text is no distinguished
 *   name
 */
function readDistinguishedName(text: string): readonly string[] | undefined {
  if (text.length > MAX_NAME_LENGTH) {
    return undefined;
  }
  return text.trim() === '' ? [] : readParts(text);
}

function readParts(text: string): readonly string[] | undefined {
  const names: string[][] = [[]];
  for (let at = 0; at <= text.length; at += 1) {
    const part = matchAt(PART, text, at);
    if (part === undefined) {
      return undefined;
    }
    const [all, type = '', value = ''] = part;
    names.at(-1)?.push(`${type.toLowerCase()}=${sameForAll(value)}`);
    at += all.length;
    if (!',;+'.includes(text.charAt(at))) {
      return undefined;
    }
    if (text[at] !== '+') {
      names.push([]);
    }
  }
  return names.slice(0, -1).map((parts) => parts.sort().join('+'));
}

/** @returns true if a name is `base` or below it; false for a text that is no distinguished name */
export function isWithin(name: string, base: string): boolean {
  const inner = readDistinguishedName(name);
  const outer = readDistinguishedName(base);
  if (inner === undefined || outer === undefined || inner.length === 0 || inner.length < outer.length) {
    return false;
  }
  const above = inner.slice(inner.length - outer.length);
  return above.every((part, index) => part === outer[index]);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  const sticky = new RegExp(pattern);
  sticky.lastIndex = at;
  return sticky.exec(text) ?? undefined;
}

function sameForAll(value: string): string {
  const bytes = value.replaceAll(/(?:\\[0-9a-fA-F]{2})+/g, (run) =>
    Buffer.from(run.replaceAll('\\', ''), 'hex').toString('utf8'),
  );
  // The remaining backslashes precede the character itself. Separators are escaped again, or `a\,b` would equal `a,b`.
  const plain = bytes.replaceAll(/\\(.)/gs, '$1').normalize('NFKC').toLowerCase();
  return plain
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\,+]/g, String.raw`\$&`);
}

const PLACE = '%s';

/** @returns a value escaped for a filter, where it matches itself only (RFC 4515 §3) */
function escapeFilterValue(value: string): string {
  return value.replaceAll(
    /[\0()*\\]/g,
    (character) => `\\${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

/**
 * @param text a filter (RFC 4515); of several in a row, the form of LinOTP's search filters
 *   (`(uid=*)(objectClass=person)`), all must match
 * @param setting the name of the setting, for the message
 * @throws LdapFault 'settings'
 */
function readFilter(text: string, setting: string): Filter {
  try {
    const trimmed = decodeEscapes(text.trim()).replaceAll(/(\)|\([&|!])\s+(?=[()])/g, '$1');
    return FilterParser.parseString(`(&${trimmed})`);
  } catch (cause) {
    throw new LdapFault('settings', `${setting} is no LDAP filter`, { cause });
  }
}

/**
 * @param text a filter with `%s` in the place of a value
 * @returns a function that makes the filter for a value, which it escapes
 * @throws LdapFault 'settings'
 */
function readFilterFor(text: string, setting: string): (value: string) => Filter {
  const items = text.split('(').filter((item) => item.includes(PLACE));
  if (items.length === 0 || !items.every((item) => /^[^=]+=.*%s/s.test(item.slice(0, endOfPlace(item))))) {
    throw new LdapFault(
      'settings',
      `${setting} needs ${PLACE} in the place of the login, as in (uid=${PLACE})`,
    );
  }
  const fill = (value: string): Filter =>
    readFilter(
      text.replaceAll(PLACE, () => escapeFilterValue(value)),
      setting,
    );
  fill('login');
  return fill;
}

/** @returns the filter for entries whose attribute is this value, which may be bytes */
export function equals(attribute: string, value: string | Buffer): Filter {
  return new EqualityFilter({ attribute, value });
}

function endOfPlace(item: string): number {
  return item.indexOf(PLACE) + PLACE.length;
}

/** ldapts reads `\c3\bc` as two characters: escapes beyond ASCII are therefore replaced by their characters. */
function decodeEscapes(text: string): string {
  return text.replaceAll(/(?:\\[0-9a-f]{2})+/gi, (run) => {
    const bytes = Buffer.from(run.replaceAll('\\', ''), 'hex');
    return bytes.every((byte) => byte < 0x80)
      ? run
      : escapeFilterValue(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  });
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
