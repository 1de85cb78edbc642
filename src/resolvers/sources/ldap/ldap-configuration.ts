import { X509Certificate } from 'node:crypto';
import {
  type Filter,
  EqualityFilter,
  FilterParser,
  NotFilter,
  OrFilter,
  PresenceFilter,
  SubstringFilter,
} from 'ldapts';
import { parseJsonObject, splitList } from '../../../kernel/text.ts';
import type { UserCondition, UserField, UserPattern } from '../../user-source.ts';
import { LdapFault } from './ldap-exchange.ts';

export interface LdapServer {
  readonly host: string;
  readonly port: number;
  /** TLS begins with the connection (`ldaps`). */
  readonly secure: boolean;
}

export interface LdapTransport {
  readonly servers: readonly LdapServer[];
  /** A connection without TLS must begin with StartTLS. */
  readonly startTls: boolean;
  /** PEM; undefined: the authorities that Node.js trusts. */
  readonly authority: string | undefined;
  /** Certificates are verified. */
  readonly verified: boolean;
  /** Milliseconds. */
  readonly connectTimeout: number;
  /** Milliseconds for the answer to one request. */
  readonly answerTimeout: number;
  /** Empty: anonymous. */
  readonly bindDn: string;
}

/** Attributes of an entry, by the value that is read from them. */
export interface LdapAttributes {
  readonly login: string;
  readonly givenName: string | undefined;
  readonly surname: string | undefined;
  readonly email: string | undefined;
  readonly phone: string | undefined;
  readonly mobile: string | undefined;
}

/**
 * The source of a user's id: the entry's DN, the hex digits of the bytes in the first of these attributes that it has, or
 * the text of an attribute.
 */
export type LdapUserId =
  | { readonly kind: 'dn' }
  | { readonly kind: 'bytes'; readonly names: readonly string[] }
  | { readonly kind: 'attribute'; readonly name: string };

export interface LdapSettings {
  readonly transport: LdapTransport;
  readonly base: string;
  /** Matches the entries that are users. */
  readonly users: Filter;
  /** Matches the entry of a login. */
  readonly userOf: (login: string) => Filter;
  readonly attributes: LdapAttributes;
  readonly userId: LdapUserId;
  /** The most users that are listed; 0: all. */
  readonly sizeLimit: number;
}

/** The attribute in which Active Directory keeps 16 bytes that never change. */
export const GUID_ATTRIBUTE = 'objectGUID';
/**
 * Attributes that hold bytes, by their names in lower case; eDirectory has its own GUID, and LinOTP's name for Active
 * Directory's is the same.
 */
const BYTES = new Map<string, readonly string[]>([
  ['objectguid', [GUID_ATTRIBUTE]],
  ['guid', ['GUID', GUID_ATTRIBUTE]],
  ['objectsid', ['objectSid']],
  ['ms-ds-consistencyguid', ['mS-DS-ConsistencyGuid']],
]);

type SettingReader = (name: string) => string;

const PLAIN_PORT = 389;
const SECURE_PORT = 636;
const USUAL_TIMEOUT = 5;
const MAX_TIMEOUT = 300;

/**
 * @param settings of a resolver of the kind ldap, by LinOTP's names and in its forms: all texts
 * @throws LdapFault 'settings' that names the setting
 */
export function readLdapSettings(settings: Readonly<Record<string, string>>): LdapSettings {
  const named = new Map(Object.entries(settings).map(([name, value]) => [name.toLowerCase(), value.trim()]));
  const read: SettingReader = (name) => named.get(name.toLowerCase()) ?? '';
  const base = read('LDAPBASE');
  requireName(base, 'LDAPBASE');
  return {
    transport: readTransport(read),
    base,
    users: readFilter(read('LDAPSEARCHFILTER'), 'LDAPSEARCHFILTER'),
    userOf: readFilterFor(read('LDAPFILTER'), 'LDAPFILTER'),
    attributes: readAttributes(read),
    userId: readUserId(read('UIDTYPE')),
    sizeLimit: readSizeLimit(read('SIZELIMIT')),
  };
}

function readTransport(read: SettingReader): LdapTransport {
  const [connectTimeout, answerTimeout] = readTimeouts(read('TIMEOUT'));
  const bindDn = read('BINDDN');
  // Active Directory also accepts `name@domain` and `DOMAIN\name`: the server validates the name.
  return {
    servers: readServers(read('LDAPURI')),
    startTls: isTrue(read('EnforceTLS')),
    authority: readAuthority(read('CACERTIFICATE')),
    verified: !isFalse(read('only_trusted_certs')),
    connectTimeout,
    answerTimeout,
    bindDn,
  };
}

function readServers(text: string): readonly LdapServer[] {
  const servers = splitList(text).map(readServer);
  if (servers.length === 0) {
    throw new LdapFault('settings', 'LDAPURI names no server');
  }
  return servers;
}

function readServer(text: string): LdapServer {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^ldaps?:$/.test(url.protocol) || url.username !== '' || url.hostname === '') {
    throw new LdapFault('settings', 'LDAPURI is no list of ldap://host:port and ldaps://host:port');
  }
  const secure = url.protocol === 'ldaps:';
  const usualPort = secure ? SECURE_PORT : PLAIN_PORT;
  const host = url.hostname.replaceAll(/^\[|\]$/g, '').toLowerCase();
  return { host, port: url.port === '' ? usualPort : Number(url.port), secure };
}

/** Reads seconds: one value for both, or one for the connection and one for each answer: `5` or `2;10`. */
function readTimeouts(text: string): readonly [connect: number, answer: number] {
  const [first = '', second = first, ...others] = text.split(/[;,]/).map((part) => part.trim());
  const seconds = [first, second].map((part) =>
    Math.min(Number(part) === 0 ? USUAL_TIMEOUT : Number(part), MAX_TIMEOUT),
  );
  const [connect = 0, answer = 0] = seconds;
  if (others.length > 0 || !seconds.every((value) => value > 0)) {
    throw new LdapFault('settings', 'TIMEOUT is no number of seconds');
  }
  return [connect * 1000, answer * 1000];
}

function readSizeLimit(text: string): number {
  if (!/^\d{0,9}$/.test(text)) {
    throw new LdapFault('settings', 'SIZELIMIT is no number');
  }
  return Number(text);
}

/** Reads PEM; a list of certificates is read whole. */
function readAuthority(text: string): string | undefined {
  if (text === '') {
    return undefined;
  }
  try {
    const certificates = text.match(/-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs) ?? [''];
    certificates.forEach((certificate) => new X509Certificate(certificate));
    return certificates.join('\n');
  } catch (cause) {
    throw new LdapFault('settings', 'CACERTIFICATE is no certificate in PEM', { cause });
  }
}

function readAttributes(read: SettingReader): LdapAttributes {
  const map = readMap(read('USERINFO'));
  const attribute = (field: string): string | undefined => {
    const name = map.get(field) ?? '';
    return name === '' ? undefined : attributeName(name, 'USERINFO');
  };
  const login = read('LOGINNAMEATTRIBUTE');
  return {
    login: attributeName(login === '' ? (map.get('username') ?? '') : login, 'LOGINNAMEATTRIBUTE'),
    givenName: attribute('givenname'),
    surname: attribute('surname'),
    email: attribute('email'),
    phone: attribute('phone'),
    mobile: attribute('mobile'),
  };
}

function readMap(text: string): ReadonlyMap<string, string> {
  const parsed = parseJsonObject(text === '' ? '{}' : text);
  if (parsed === undefined || Object.values(parsed).some((name) => typeof name === 'object')) {
    throw new LdapFault('settings', 'USERINFO is no JSON object of fields and attributes');
  }
  return new Map(Object.entries(parsed).map(([field, name]) => [field.toLowerCase(), String(name).trim()]));
}

function readUserId(text: string): LdapUserId {
  const type = text.toLowerCase();
  if (type === '' || type === 'dn') {
    return { kind: 'dn' };
  }
  const names = BYTES.get(type);
  return names === undefined
    ? { kind: 'attribute', name: attributeName(text, 'UIDTYPE') }
    : { kind: 'bytes', names };
}

function attributeName(text: string, setting: string): string {
  if (!/^(?:[A-Za-z][A-Za-z0-9-]{0,127}|\d+(?:\.\d+){1,20})$/.test(text)) {
    throw new LdapFault('settings', `${setting} names no attribute`);
  }
  return text;
}

function requireName(text: string, setting: string): void {
  if (readDistinguishedName(text) === undefined) {
    throw new LdapFault('settings', `${setting} is no distinguished name`);
  }
}

function isTrue(text: string): boolean {
  return ['true', '1', 'yes', 'on'].includes(text.toLowerCase());
}

function isFalse(text: string): boolean {
  return ['false', '0', 'no', 'off'].includes(text.toLowerCase());
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
const MAX_FILTER_LENGTH = 8192;

/** @returns a value escaped for a filter, where it matches itself only (RFC 4515 §3) */
function escapeFilterValue(value: string): string {
  return value.replaceAll(
    /[\0()*\\]/g,
    (character) => `\\${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

/**
 * @param text a filter (RFC 4515), also without its outer parentheses; of several in a row, the form of LinOTP's search
 *   filters (`(uid=*)(objectClass=person)`), all must match
 * @param setting the name of the setting, for the message
 * @throws LdapFault 'settings'
 */
function readFilter(text: string, setting: string): Filter {
  try {
    const trimmed = decodeEscapes(text.trim()).replaceAll(/(\)|\([&|!])\s+(?=[()])/g, '$1');
    if (trimmed === '' || text.length > MAX_FILTER_LENGTH || !isBalanced(trimmed)) {
      throw new Error('empty, too long, or with parentheses that do not match');
    }
    return FilterParser.parseString(`(&${trimmed.startsWith('(') ? trimmed : `(${trimmed})`})`);
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

/** Parentheses in values are escaped, so every literal one is counted. ldapts adds missing ones at the end. */
function isBalanced(filter: string): boolean {
  let depth = 0;
  for (const [parenthesis] of filter.matchAll(/[()]/g)) {
    depth += parenthesis === '(' ? 1 : -1;
    if (depth < 0) {
      return false;
    }
  }
  return depth === 0;
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
