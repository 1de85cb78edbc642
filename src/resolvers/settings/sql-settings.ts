import { isIP } from 'node:net';
import { z } from 'zod';
import {
  authorities,
  ignored,
  invalidSetting,
  jsonObject,
  line,
  readSettings,
  setting,
  type Settings,
  whole,
} from './setting-values.ts';

/** Levels of verification of the database server; the first: no encryption at all. */
const TLS_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
type SqlTlsMode = (typeof TLS_MODES)[number];

const POSTGRESQL = ['postgres', 'postgresql', 'pgsql'];
const MYSQL = ['mysql', 'mariadb'];
/** Encodings of the connection: the server converts to and from UTF-8 itself, whatever the table's encoding. */
const UTF8 = ['utf8', 'utf-8', 'utf8mb4', 'unicode'];
const MAX_USERS = 100_000_000;

/** SQLAlchemy's names, such as `mysql+mysqldb`; its library for the connection is ignored. */
const driver = line
  .transform((text) => text.toLowerCase().replace(/\+.*$/, ''))
  .refine((family) => [...POSTGRESQL, ...MYSQL].includes(family), {
    error: 'is none of postgresql, mysql, mariadb',
  })
  .transform((family) => (MYSQL.includes(family) ? 'mysql' : 'postgresql'));

/** A name that needs no quoting in any database; it is quoted nevertheless. */
const IDENTIFIER = /^[\p{L}_][\p{L}\p{M}\p{N}_$@-]{0,63}$/u;
const column = line.regex(IDENTIFIER, 'is not the name of a column');

const table = line
  .transform((text) => text.split('.'))
  .refine((parts) => parts.length <= 2 && parts.every((part) => IDENTIFIER.test(part)), {
    error: 'is not the name of a table, or schema.table',
  });

/** The parameters of SQLAlchemy's URL. */
const encryption = line.default('').transform((text, context): SqlTlsMode => {
  let mode: SqlTlsMode = 'disable';
  for (const [name, value] of new URLSearchParams(text.replace(/^\?/, ''))) {
    const isCharset = ['charset', 'client_encoding'].includes(name.toLowerCase());
    const tls = TLS_MODES.find((known) => known === value.toLowerCase());
    if (name.toLowerCase() === 'sslmode' && tls !== undefined) {
      mode = tls;
    } else if (!isCharset || !UTF8.includes(value.toLowerCase())) {
      context.addIssue(`takes sslmode=${TLS_MODES.join('|')} and charset=utf8 only`);
    }
  }
  return mode;
});

/** What a resolver of the kind sql takes, by LinOTP's names and in its forms. */
export const SQL_SETTINGS = z
  .object({
    Driver: setting(driver, {
      description: 'The kind of database.',
      example: 'postgresql',
      isBoundToSecret: true,
    }),
    Server: setting(
      line.regex(/^(?:[\p{L}\p{N}.:_-]{1,253}|\/.{0,1000})$/u, 'is not the name or the address of a host'),
      { description: 'Host name or address.', example: 'db.example.com', isBoundToSecret: true },
    ),
    Port: setting(whole(1, 65_535).optional(), {
      description: 'Port of the server.',
      default: '5432; MySQL and MariaDB: 3306',
      isBoundToSecret: true,
    }),
    Database: setting(line, { description: 'Name of the database.', example: 'crm' }),
    User: setting(line, {
      description: 'Account of the database; let it read the table of users only.',
      example: 'tan_reader',
      isBoundToSecret: true,
    }),
    Password: setting(line.optional(), { description: 'Password of this account.', isSecret: true }),
    Table: setting(table, { description: 'The table, as `table` or `schema.table`.', example: 'customers' }),
    Map: setting(
      jsonObject(
        z.strictObject({
          userid: column,
          username: column,
          password: column.optional(),
          salt: column.optional(),
          givenname: column.optional(),
          surname: column.optional(),
          email: column.optional(),
          phone: column.optional(),
          mobile: column.optional(),
          description: ignored,
          gender: ignored,
        }),
      ),
      {
        description:
          'The columns of userid and username (required), password, givenname, surname, email, phone and mobile.',
        form: 'json',
        example: '{"userid": "id", "username": "login"}',
      },
    ),
    Where: setting(line.optional(), {
      description: 'A condition in SQL that selects the rows of users; without it, all.',
      example: 'active = 1',
    }),
    Limit: setting(whole(1, MAX_USERS).optional(), {
      description: 'The most users that are counted and listed; every user is found.',
    }),
    Encoding: setting(
      line
        .refine((text) => UTF8.includes(text.toLowerCase()), {
          error: 'is utf-8, or left out: the database itself converts to that',
        })
        .optional(),
      { description: 'The encoding: utf-8, to which the database itself converts.', default: 'utf-8' },
    ),
    conParams: setting(encryption, {
      description: 'The encryption: `sslmode=disable`, `require`, `verify-ca` or `verify-full`.',
      default: 'sslmode=disable',
      example: 'sslmode=verify-full',
      isBoundToSecret: true,
    }),
    CACERTIFICATE: authorities,
    Connect: setting(line.optional(), {
      description: 'A URL in place of driver, server, port, database, user and password.',
      example: 'postgresql://user@db.example.com:5432/crm?sslmode=verify-full',
    }),
  })
  .refine(({ Where = '', Driver }) => isCondition(Where, Driver), {
    path: ['Where'],
    error:
      'is not one condition: its parentheses and quotes close, and it holds no ; -- # /* */ \\ ? $$ and no control character',
  })
  // MySQL's driver would verify the certificate of an address against the name localhost.
  .refine(
    ({ Driver, conParams: tls, Server }) =>
      Driver !== 'mysql' || tls !== 'verify-full' || (isIP(Server) === 0 && !Server.startsWith('/')),
    {
      path: ['Server'],
      error: 'is the name of a host where MySQL or MariaDB is to be verified by verify-full',
    },
  );

const READ_SETTINGS = SQL_SETTINGS.transform(({ Driver, Table, Map: names, ...read }) => ({
  database: Driver,
  /** A host's name or address, or the absolute path of a socket (PostgreSQL: of its folder). */
  server: read.Server,
  port: read.Port ?? (Driver === 'mysql' ? 3306 : 5432),
  name: read.Database,
  user: read.User,
  schema: Table.length === 2 ? Table[0] : undefined,
  table: Table.at(-1) ?? '',
  /** The columns of a user; an absent one means that users have no such value. */
  columns: {
    userId: names.userid,
    login: names.username,
    givenName: names.givenname,
    password: names.password,
    surname: names.surname,
    email: names.email,
    phone: names.phone,
    mobile: names.mobile,
  },
  /** A condition in SQL; undefined: all rows are users. */
  where: read.Where,
  /** The most users that are counted and listed. */
  limit: read.Limit,
  tls: read.conParams,
  /** The only trusted authorities, in PEM form; undefined: those of the system. */
  authorities: read.CACERTIFICATE,
}));

export type SqlSettings = z.output<typeof READ_SETTINGS>;

export function readSqlSettings(settings: Settings): SqlSettings {
  return readSettings(READ_SETTINGS, settings);
}

/**
 * @returns the settings with those of `Connect` in its place, the password included
 * @throws ServiceError 'resolver.invalid' that names the setting
 */
export function withoutConnect({ Connect: url, ...others }: Settings): Settings {
  return url === undefined ? others : { ...parseConnectUrl(url, others), ...others };
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

/** Characters that begin and end texts and names in conditions. To PostgreSQL a backtick is an operator. */
const QUOTES = { postgresql: ["'", '"'], mysql: ["'", '"', '`'] } as const;
/** Texts that end the condition, hide a part of it, or have different meanings in PostgreSQL and MySQL. */
const REFUSED = /;|--|\/\*|\*\/|#|\\|\?|\$[\p{L}\p{N}_]*\$|\p{Cc}/u;

/**
 * @returns true for a condition that cannot end the parentheses around it. An administrator wrote it as SQL, and it runs
 *   unchanged, in a read-only transaction.
 */
function isCondition(condition: string, database: keyof typeof QUOTES): boolean {
  const quotes: readonly string[] = QUOTES[database];
  let [depth, quote] = [0, ''];
  for (const character of condition) {
    if (quote !== '') {
      quote = character === quote ? '' : quote;
    } else if (quotes.includes(character)) {
      quote = character;
    } else {
      depth += PARENTHESES[character] ?? 0;
    }
    if (depth < 0) {
      return false;
    }
  }
  return depth === 0 && quote === '' && !REFUSED.test(condition);
}

const PARENTHESES: Readonly<Record<string, number>> = { '(': 1, ')': -1 };
