import { isIP } from 'node:net';
import {
  assertCertificates,
  assertOneLine,
  canonicalSettings,
  invalidSetting,
  readMap,
  readWhole,
  requireSetting,
  type Settings,
} from './setting-values.ts';

/** Levels of verification of the database server; the first: no encryption at all. */
const TLS_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
type SqlTlsMode = (typeof TLS_MODES)[number];

/** The columns of a user; an absent one means that users have no such value. */
export interface SqlColumns {
  readonly userId: string;
  readonly login: string;
  readonly password: string | undefined;
  readonly givenName: string | undefined;
  readonly surname: string | undefined;
  readonly email: string | undefined;
  readonly phone: string | undefined;
  readonly mobile: string | undefined;
}

export interface SqlSettings {
  readonly database: 'postgresql' | 'mysql';
  /** A host's name or address, or the absolute path of a socket (PostgreSQL: of its folder). */
  readonly server: string;
  readonly port: number;
  readonly name: string;
  readonly user: string;
  readonly schema: string | undefined;
  readonly table: string;
  readonly columns: SqlColumns;
  /** A condition in SQL; undefined: all rows are users. */
  readonly where: string | undefined;
  /** The most users that are counted and listed. */
  readonly limit: number | undefined;
  readonly tls: SqlTlsMode;
  /** The only trusted authorities, in PEM form; undefined: those of the system. */
  readonly authorities: string | undefined;
}

export const SQL_SETTING_NAMES = [
  'Driver',
  'Server',
  'Port',
  'Database',
  'User',
  'Password',
  'Table',
  'Map',
  'Where',
  'Limit',
  'Encoding',
  'conParams',
  'CACERTIFICATE',
  'Connect',
] as const;

const POSTGRESQL = ['postgres', 'postgresql', 'pgsql'];
const MYSQL = ['mysql', 'mariadb'];
/** Characters that begin and end texts and names in conditions. To PostgreSQL a backtick is an operator. */
const QUOTES = { postgresql: ["'", '"'], mysql: ["'", '"', '`'] } as const;
const MAP_KEYS = [
  'userid',
  'username',
  'password',
  'salt',
  'givenname',
  'surname',
  'email',
  'phone',
  'mobile',
];
/** Encodings of the connection: the server converts to and from UTF-8 itself, whatever the table's encoding. */
const UTF8 = ['utf8', 'utf-8', 'utf8mb4', 'unicode'];
const MAX_USERS = 100_000_000;

/**
 * @param values names in any case; `Connect` is split into its settings, the password included
 * @returns the settings as they are stored
 * @throws ServiceError 'resolver.invalid' that names the setting
 */
export function checkSqlSettings(values: Settings): Settings {
  const { Connect: url, ...others } = canonicalSettings('sql', SQL_SETTING_NAMES, values);
  const settings = url === undefined ? others : { ...parseConnectUrl(url, others), ...others };
  assertOneLine(
    settings,
    SQL_SETTING_NAMES.filter((name) => name !== 'CACERTIFICATE' && name !== 'Map'),
  );
  readSqlSettings(settings);
  return settings;
}

export function readSqlSettings(settings: Settings): SqlSettings {
  const database = readDriver(requireSetting(settings, 'Driver'));
  const encoding = settings.Encoding ?? UTF8[0] ?? '';
  if (!UTF8.includes(encoding.toLowerCase())) {
    throw invalidSetting('Encoding', 'is utf-8, or left out: the database itself converts to that');
  }
  if (settings.Where !== undefined) {
    assertCondition('Where', settings.Where, QUOTES[database]);
  }
  assertCertificates(settings, 'CACERTIFICATE');
  const server = readServer(requireSetting(settings, 'Server'));
  const tls = readTls(settings.conParams ?? '');
  assertVerifiable(database, tls, server);
  return {
    database,
    server,
    port: readWhole(settings, 'Port', { min: 1, max: 65_535 }) ?? (database === 'mysql' ? 3306 : 5432),
    name: requireSetting(settings, 'Database'),
    user: requireSetting(settings, 'User'),
    ...readTable(requireSetting(settings, 'Table')),
    columns: readColumns(settings),
    where: settings.Where,
    limit: readWhole(settings, 'Limit', { min: 1, max: MAX_USERS }),
    tls,
    authorities: settings.CACERTIFICATE,
  };
}

/** MySQL's driver would verify the certificate of an address against the name localhost. */
function assertVerifiable(database: SqlSettings['database'], tls: SqlTlsMode, server: string): void {
  const isName = isIP(server) === 0 && !server.startsWith('/');
  if (database === 'mysql' && tls === 'verify-full' && !isName) {
    throw invalidSetting(
      'Server',
      'is the name of a host where MySQL or MariaDB is to be verified by verify-full',
    );
  }
}

/** Accepts SQLAlchemy's names, such as `mysql+mysqldb`; its library for the connection is ignored. */
function readDriver(text: string): SqlSettings['database'] {
  const family = text.toLowerCase().replace(/\+.*$/, '');
  if (POSTGRESQL.includes(family)) {
    return 'postgresql';
  }
  if (MYSQL.includes(family)) {
    return 'mysql';
  }
  throw invalidSetting('Driver', `names '${text.slice(0, 100)}'. Known: postgresql, mysql, mariadb`);
}

function readServer(text: string): string {
  const isHost = /^[\p{L}\p{N}.:_-]{1,253}$/u.test(text);
  const isPath = /^\/[^\0]{0,1000}$/.test(text);
  if (!isHost && !isPath) {
    throw invalidSetting('Server', 'is not the name or the address of a host');
  }
  return text;
}

function readTable(text: string): { schema: string | undefined; table: string } {
  const parts = text.split('.');
  if (parts.length > 2 || !parts.every(isIdentifier)) {
    throw invalidSetting('Table', `'${text.slice(0, 100)}' is not the name of a table, or schema.table`);
  }
  return { schema: parts.length === 2 ? parts[0] : undefined, table: parts.at(-1) ?? '' };
}

function readColumns(settings: Settings): SqlColumns {
  const map = readMap(settings, 'Map', { known: MAP_KEYS, ignored: ['description', 'gender'] });
  for (const [key, column] of map) {
    if (!isIdentifier(column)) {
      throw invalidSetting(
        'Map',
        `has for ${key} what is not the name of a column: '${column.slice(0, 100)}'`,
      );
    }
  }
  const required = (key: string): string => {
    const column = map.get(key);
    if (column === undefined) {
      throw invalidSetting('Map', `lacks ${key}`);
    }
    return column;
  };
  return {
    userId: required('userid'),
    login: required('username'),
    password: map.get('password'),
    givenName: map.get('givenname'),
    surname: map.get('surname'),
    email: map.get('email'),
    phone: map.get('phone'),
    mobile: map.get('mobile'),
  };
}

/** @returns true for a name that needs no quoting in any database; it is quoted nevertheless */
function isIdentifier(text: string): boolean {
  return text.length <= 64 && /^[\p{L}_][\p{L}\p{M}\p{N}_$@-]*$/u.test(text);
}

/** Reads the parameters of SQLAlchemy's URL. */
function readTls(text: string): SqlTlsMode {
  const parameters = new URLSearchParams(text.replace(/^\?/, ''));
  let mode: SqlTlsMode = 'disable';
  for (const [name, value] of parameters) {
    const isCharset = ['charset', 'client_encoding'].includes(name.toLowerCase());
    const tls = TLS_MODES.find((known) => known === value.toLowerCase());
    if (name.toLowerCase() === 'sslmode' && tls !== undefined) {
      mode = tls;
    } else if (!isCharset || !UTF8.includes(value.toLowerCase())) {
      throw invalidSetting(
        'conParams',
        `holds '${name.slice(0, 100)}'. Known: sslmode=${TLS_MODES.join('|')}, charset=utf8`,
      );
    }
  }
  return mode;
}

/**
 * Parses a URL `driver://user:password@host:port/database?parameters`.
 * @param besides the settings that are given individually; none of them may also be in the URL
 * @throws ServiceError 'resolver.invalid', which quotes nothing of the URL: it may hold a password
 */
function parseConnectUrl(url: string, besides: Settings): Settings {
  const [, driver = '', rest = ''] = /^([A-Za-z0-9+]+):\/\/(.+)$/.exec(url) ?? [];
  // With a scheme that URL knows, so that ports and hosts follow the same rules for every driver.
  const parsed = URL.canParse(`postgres://${rest}`) ? new URL(`postgres://${rest}`) : undefined;
  if (driver === '' || rest === '' || parsed === undefined) {
    throw invalidSetting('Connect', 'is not a URL such as postgresql://user@host:5432/database');
  }
  if (`${parsed.pathname}${parsed.search}${parsed.hash}`.includes('@')) {
    // The beginning of the password would be read as a port, and its rest shown as the name of a database.
    throw invalidSetting('Connect', 'has an @ behind the host: in a password / ? and # are %2F, %3F and %23');
  }
  const parts: Settings = {
    Driver: driver,
    Server: parsed.hostname.replace(/^\[(.*)\]$/, '$1'),
    Port: parsed.port,
    Database: decode(parsed.pathname.slice(1)),
    User: decode(parsed.username),
    Password: decode(parsed.password),
    conParams: parsed.search.slice(1),
  };
  const filled = Object.entries(parts).filter(([, value]) => value !== '');
  const twice = filled.find(([name]) => name in besides);
  if (twice !== undefined) {
    throw invalidSetting(twice[0], 'is given twice: by itself and in Connect');
  }
  return Object.fromEntries(filled);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidSetting('Connect', 'holds a % that begins no character');
  }
}

/** Texts that end the condition, hide a part of it, or have different meanings in PostgreSQL and MySQL. */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/;/, 'a semicolon'],
  [/--|\/\*|\*\/|#/, 'a comment'],
  [/\\/, 'a backslash'],
  [/\?/, 'a question mark'],
  [/\$[\p{L}\p{N}_]*\$/u, 'a dollar-quoted text'],
  [/\p{Cc}/u, 'a control character'],
];

/**
 * Checks that a condition cannot end the parentheses around it. An administrator wrote it as SQL, and it runs
 * unchanged, in a read-only transaction.
 * @param quotes the characters that begin and end texts and names
 * @throws ServiceError 'resolver.invalid' that names the setting
 */
function assertCondition(name: string, condition: string, quotes: readonly string[]): void {
  const refused = REFUSED.find(([pattern]) => pattern.test(condition));
  if (refused !== undefined) {
    throw invalidSetting(name, `holds ${refused[1]}, which a condition may not`);
  }
  let depth = 0;
  let quote = '';
  for (const character of condition) {
    if (quote !== '') {
      quote = character === quote ? '' : quote;
    } else if (quotes.includes(character)) {
      quote = character;
    } else {
      depth += step(character);
    }
    if (depth < 0) {
      break;
    }
  }
  if (depth !== 0 || quote !== '') {
    throw invalidSetting(name, `has ${quote === '' ? 'parentheses' : 'quotes'} that do not close`);
  }
}

function step(character: string): number {
  if (character === '(') {
    return 1;
  }
  return character === ')' ? -1 : 0;
}
