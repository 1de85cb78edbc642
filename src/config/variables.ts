import { z } from 'zod';
import { isAbsolute } from 'node:path';
import { parseDuration } from '../kernel/clock.ts';
import { maskPassword } from '../kernel/text.ts';
import { NetworkSet } from '../kernel/networks.ts';

declare module 'zod' {
  interface GlobalMeta {
    /** Allowed values of a variable, as error messages and the reference show them. */
    allowed?: string;
    /** Hides the secret part of a value wherever the value is shown. */
    mask?: (value: string) => string;
  }
}

const NETWORK_NAMES = ['loopback', 'linklocal', 'uniquelocal'] as const;

/**
 * A text of at least one character.
 * @param allowed as the reference shows it
 */
function text(allowed: string): z.ZodString {
  return z.string().min(1).meta({ allowed });
}

function oneOf<const Value extends string>(...values: Value[]): z.ZodType<Value, string> {
  return z.enum(values).meta({ allowed: values.join(', ') });
}

/** A whole number within bounds, both included. */
function wholeNumber(min: number, max: number): z.ZodType<number, string> {
  return z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .meta({ allowed: `a whole number from ${min} to ${max}` });
}

/**
 * A duration, read as seconds.
 * @param min seconds; default: 1
 */
function duration(allowed: string, max = Infinity, min = 1): z.ZodType<number, string> {
  return z
    .string()
    .transform((value, context) => {
      try {
        return parseDuration(value);
      } catch {
        context.addIssue('not a duration');
        return z.NEVER;
      }
    })
    .pipe(z.number().min(min).max(max))
    .meta({ allowed });
}

/** A duration, or `off`. */
function durationOrOff(allowed: string): z.ZodType<number | 'off', string> {
  return z.union([z.literal('off'), duration(allowed)]).meta({ allowed: `${allowed}, or off` });
}

/** A day, read as its first instant in UTC. */
const day: z.ZodType<Date, string> = z.iso
  .date()
  .transform((value) => new Date(`${value}T00:00:00Z`))
  .meta({ allowed: 'a date such as 2027-12-31' });

const list = z.string().transform((value) => value.split(',').map((entry) => entry.trim()));

/** Absolute folders, separated by commas. */
const folders: z.ZodType<readonly string[], string> = list
  .pipe(z.array(z.string().refine(isAbsolute)))
  .meta({ allowed: 'absolute folders, comma separated' });

/** Hosts of this machine, as URLs write them. */
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** An origin, as browsers write it: without a path, and without the port that its scheme implies. */
const origin = z
  .string()
  .regex(/^https?:\/\/[^\s/?#@*\\]+$/i)
  .refine((value) => URL.canParse(value))
  .transform((value) => new URL(value))
  .refine(({ protocol, hostname }) => protocol === 'https:' || LOOPBACK.test(hostname))
  .transform((url) => url.origin);

const SERVER_PATH = /^\/(?:[\w~-][\w.~-]*(?:\/[\w~-][\w.~-]*)*\/?)?$/;

const httpUrl = z
  .string()
  .regex(/^https?:\/\/[^\s#@\\]+$/i)
  .refine((value) => URL.canParse(value))
  .refine((value) => new URL(value).protocol === 'https:' || LOOPBACK.test(new URL(value).hostname));

const oneUrl: z.ZodType<string, string> = httpUrl.meta({
  allowed: 'a URL with https://; http:// for this machine only',
});

/** The address of a server, with the path below which a proxy shows it, if any, and no slash at its end. */
const serverAddress: z.ZodType<string, string> = httpUrl
  .refine((value) => !value.includes('?') && SERVER_PATH.test(new URL(value).pathname))
  .transform((value) => new URL(value))
  .transform(({ origin: server, pathname }) => server + pathname.replace(/\/$/, ''))
  .meta({
    allowed:
      'an address such as https://tan.example.com or https://example.com/tan; http:// for this machine only',
  });

/** The issuer of an OpenID Connect provider, as its metadata writes it. */
const issuer: z.ZodType<string, string> = httpUrl
  .refine((value) => !value.includes('?'))
  .meta({ allowed: 'an issuer such as https://login.example.com/realms/staff' });

/** Groups of a provider, each with a group of policies. */
const groupMapping: z.ZodType<ReadonlyMap<string, string>, string> = z
  .string()
  // A group of a directory has commas itself: only one behind `=group:NAME` separates.
  .transform((value) => value.split(/(?<==group:[\w.-]+\s*),/))
  .transform((pairs) => pairs.map((entry) => /^([^,].*)=group:([\w.-]{1,64})$/.exec(entry.trim())))
  .transform((entries, context) => {
    const groups = new Map(entries.map((entry) => [entry?.[1]?.trim() ?? '', entry?.[2] ?? '']));
    // Of two pairs of one group, only one would apply.
    if (entries.includes(null) || groups.size < entries.length) {
      context.addIssue('not a mapping');
      return z.NEVER;
    }
    return groups;
  })
  .meta({
    allowed:
      'pairs such as helpdesk-team=group:helpdesk or CN=Desk,DC=example,DC=com=group:desk, comma separated',
  });

/** Origins, separated by commas. */
const origins: z.ZodType<readonly string[], string> = list.pipe(z.array(origin)).meta({
  allowed: 'origins such as https://app.example.com, comma separated; http:// for this machine only',
});

/**
 * The networks that limits can read: of an IPv4-mapped network, the prefix covers the 96 bits before the IPv4 address.
 */
const network = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])
  .refine((entry) => new NetworkSet().add(entry));

/**
 * Addresses and networks, separated by commas.
 * @param names additional words that stand for networks
 */
function networks(...names: string[]): z.ZodType<readonly string[], string> {
  const words = [...NETWORK_NAMES, ...names];
  return list
    .pipe(z.array(z.union([network, z.enum(words)])))
    .meta({ allowed: `addresses or networks, comma separated, or ${words.join(', ')}` });
}

/** The URL of a PostgreSQL database. */
const databaseUrl: z.ZodType<string, string> = z
  .string()
  .regex(/^postgres(ql)?:\/\/./)
  .refine((value) => URL.canParse(value) || value.includes('host=/'))
  // A password with an unescaped / would be read as the name of the database.
  .refine((value) => !URL.canParse(value) || !new URL(value).pathname.includes('@'))
  .meta({ allowed: 'postgres://user:password@host:port/database', mask: maskPassword });

const HOUR = 3600;
const aFile = text('a file');
const aText = text('a text');
const anyNumber = wholeNumber(1, 1_000_000);
const atMostAnHour = duration('a duration from 1S to 1H', HOUR);

const listening = z
  .object({
    HOST: text('a host name or an address').prefault('127.0.0.1').describe('address to listen on'),
    PORT: wholeNumber(0, 65_535).prefault('5001').describe('port to listen on; 0 takes a free one'),
    METRICS_PORT: wholeNumber(0, 65_535)
      .optional()
      .describe('port for /metrics without a credential, also on HOST; unset: none'),
    TRUST_PROXY: networks()
      .optional()
      .describe('proxies whose X-Forwarded-… headers are believed; unset: none'),
    DRAIN_TIME: duration('a duration from 0S to 10M', 600, 0)
      .prefault('5S')
      .describe('time from SIGTERM in which requests are still taken, while /readyz answers 503'),
  })
  .meta({ title: 'Listening' });

const database = z
  .object({
    DATA_DIR: text('a folder').prefault('./data').describe('embedded database and encryption key'),
    DATABASE_URL: databaseUrl
      .optional()
      .describe('PostgreSQL 14 or newer; unset: an embedded one in DATA_DIR'),
    DATABASE_PASSWORD_FILE: aFile.optional().describe('file with the password for DATABASE_URL'),
    DATABASE_POOL_SIZE: wholeNumber(5, 500)
      .prefault('10')
      .describe('largest number of connections to the database'),
    DATABASE_STATEMENT_TIMEOUT: atMostAnHour
      .prefault('30S')
      .describe('time limit of a statement in the database'),
    DATABASE_LOCK_TIMEOUT: atMostAnHour
      .prefault('5S')
      .describe('time limit of a request that waits for a lock in the database'),
    DATABASE_PREPARED_STATEMENTS: oneOf('on', 'off')
      .prefault('on')
      .describe('statements that PostgreSQL keeps planned; `off` behind PgBouncer in transaction mode'),
    DATABASE_SHARED_STATEMENTS: oneOf('on', 'off')
      .prefault('on')
      .describe('statements and commits that requests at the same moment share'),
  })
  .meta({ title: 'Database' });

const answers = z
  .object({
    WIRE_DIALECT: oneOf('documented', 'linotp').prefault('documented').describe('form of the answers'),
    SESSION_COOKIE_HTTP_ONLY: oneOf('on', 'off')
      .prefault('on')
      .describe(
        'HttpOnly of the cookie admin_session; off, for WIRE_DIALECT=linotp only: scripts of pages can read it',
      ),
    SERVICE_VERSION: aText
      .optional()
      .describe('version that answers carry; unset: Tankeeper and its version, or that of the dialect'),
    SERVE_API_DOCS: oneOf('on', 'off')
      .prefault('on')
      .describe('description of the interface at /openapi.json, and the page /docs to read and try it'),
    SERVE_APP: oneOf('on', 'off').prefault('on').describe('the QR-TAN app for phones and browsers at /app'),
    SERVE_CONSOLE: oneOf('on', 'off').prefault('on').describe('the console of administrators at /console'),
    APP_ORIGINS: origins
      .optional()
      .describe('origins elsewhere that serve the app and may call /ocra/check_t from browsers; unset: none'),
    MONITORING_POST: oneOf('on', 'off').prefault('on').describe('POST on /monitoring (deprecated)'),
    MONITORING_POST_SUNSET: day
      .optional()
      .describe('day on which POST on /monitoring ends, announced in a header'),
  })
  .meta({ title: 'Answers' });

const log = z
  .object({
    LOG_LEVEL: oneOf('error', 'warn', 'info', 'debug')
      .prefault('info')
      .describe('lowest level that is logged'),
    LOG_FORMAT: oneOf('auto', 'json', 'text')
      .prefault('auto')
      .describe('JSON lines or text; auto: text on a terminal'),
  })
  .meta({ title: 'Log' });

/** The settings of a PKCS #11 module. All of them are required. */
export const pkcs11Schema = z.object({
  PKCS11_LIBRARY: aFile.describe("the module's library (.so), for SECURITY_MODULE=pkcs11"),
  PKCS11_TOKEN: aText.describe('label of the token in the module'),
  PKCS11_PIN_FILE: aFile.describe('file with the user PIN of the token'),
  PKCS11_KEY: aText.describe('label of the AES-256 key in the token that wraps the key of this database'),
});

const keys = z
  .object({
    ENCRYPTION_KEY_FILE: aFile.optional().describe('key that seals secrets; unset: DATA_DIR/encryption.key'),
    SECURITY_MODULE: oneOf('file', 'pkcs11')
      .prefault('file')
      .describe('keeper of the key that seals secrets: the key file, or a PKCS #11 module'),
    ...pkcs11Schema.partial().shape,
    PKCS11_CREATE_KEY: oneOf('on', 'off')
      .prefault('off')
      .describe('creation of PKCS11_KEY by the first start, where the token has none'),
    ADMIN_PASSWORD_FILE: aFile
      .optional()
      .describe('password of the first administrator; unset: a random one'),
  })
  .meta({ title: 'Keys and secrets' });

const limits = z
  .object({
    REQUEST_TIMEOUT: duration('a duration from 1S to 10M', 600)
      .prefault('30S')
      .describe('time limit of a client to send a request'),
    LIMIT_EXEMPT: networks('none')
      .prefault('loopback')
      .describe('clients that LIMIT_CLIENT_… and LIMIT_TRANSACTION_… do not bound, such as a portal'),
    LIMIT_CLIENT_REQUESTS: anyNumber
      .prefault('500')
      .describe('requests of one client in a second, on each server'),
    LIMIT_CLIENT_FAILURES: anyNumber
      .prefault('300')
      .describe('responses of one client that are not accepted, in a minute'),
    LIMIT_TRANSACTION_FAILURES: anyNumber
      .prefault('30')
      .describe('responses to one transaction that are not accepted, in a minute'),
    LIMIT_LOGIN_FAILURES: wholeNumber(1, 10_000)
      .prefault('5')
      .describe('wrong passwords for one administrator from one client in a minute'),
    LIMIT_LOGINS_AT_ONCE: wholeNumber(1, 64)
      .prefault('2')
      .describe('passwords that are verified at once, on each server'),
    LIMIT_REQUESTS_AT_ONCE: anyNumber
      .prefault('1000')
      .describe('requests that are worked on at once, on each server'),
    LIMIT_STATUS_WAITS: anyNumber
      .prefault('500')
      .describe(
        'requests that wait for the state of a transaction at once, on each server; half of them by one administrator',
      ),
    LIMIT_CONNECTIONS: wholeNumber(4, 1_000_000)
      .prefault('4000')
      .describe('connections of clients at once, on each server; a quarter of them from one address'),
  })
  .meta({ title: 'Limits' });

const signIn = z
  .object({
    PUBLIC_URL: serverAddress
      .optional()
      .describe(
        'address of this server in browsers, to which passkeys are bound, with its path behind a proxy; unset, or with an IP address: no passkeys',
      ),
    OIDC_ISSUER: issuer
      .optional()
      .describe('OpenID Connect provider for single sign-on of administrators; unset: none'),
    OIDC_PROVIDER_NAME: aText.optional().describe('name of the provider on the sign-in page; unset: none'),
    OIDC_CLIENT_ID: aText.optional().describe('name of this server at the provider'),
    OIDC_CLIENT_SECRET_FILE: aFile.optional().describe('file with the secret of this server at the provider'),
    OIDC_CLIENT_AUTHENTICATION: oneOf(
      'auto',
      'client_secret_basic',
      'client_secret_post',
      'client_secret_jwt',
    )
      .prefault('auto')
      .describe('way in which the secret is shown to the provider; auto: as its metadata says'),
    OIDC_REDIRECT_URL: oneUrl
      .optional()
      .describe(
        'address to which the provider sends browsers; unset: PUBLIC_URL/admin/sign-in/oidc/callback',
      ),
    OIDC_SCOPES: aText.prefault('openid profile email').describe('scopes that are requested'),
    OIDC_NAME_CLAIM: aText
      .prefault('preferred_username')
      .describe('claim with the name of the person, which the provider must not let people choose'),
    OIDC_GROUPS_CLAIM: aText
      .prefault('groups')
      .describe(
        'claim with the groups of the person; one inside another with a dot, such as realm_access.roles',
      ),
    OIDC_GROUPS: groupMapping
      .optional()
      .describe('groups of the provider that may sign in, each with the group that policies name'),
    OIDC_SESSION_LIFETIME: duration('a duration such as 300 or 1H30M')
      .prefault('1H')
      .describe('lifetime of a login by single sign-on'),
  })
  .meta({ title: 'Sign-in' });

const times = z
  .object({
    SESSION_LIFETIME: duration('a duration such as 300 or 1H30M')
      .prefault('1H')
      .describe('lifetime of a session'),
    RESOLVER_TIMEOUT: duration('a duration such as 5 or 5S')
      .prefault('3S')
      .describe('time limit of a resolver that counts its users'),
    RESOLVER_FILE_DIRS: folders
      .optional()
      .describe('folders below which files of resolvers may be named over HTTP; unset: none can be'),
    CHALLENGE_RETENTION: duration('a duration such as 300 or 7D')
      .prefault('7D')
      .describe('time in which an expired challenge can still be asked about, before it is removed'),
    AUDIT_RETENTION: durationOrOff('a duration such as 400D')
      .prefault('off')
      .describe('time that a month of the audit is kept after its end; off: for ever'),
    HOUSEKEEPING_INTERVAL: durationOrOff('a duration such as 300 or 10M')
      .prefault('10M')
      .describe('time between two removals of what is old; off: left to tankeeper housekeeping run'),
  })
  .meta({ title: 'Times' });

/** The environment: each variable with its schema, its default and its description. */
export const environmentSchema = z
  .object({
    ...listening.shape,
    ...database.shape,
    ...answers.shape,
    ...log.shape,
    ...keys.shape,
    ...signIn.shape,
    ...limits.shape,
    ...times.shape,
  })
  .superRefine(
    (values, context) => {
      for (const fault of singleSignOnFaults(values)) {
        context.addIssue(fault);
      }
      if (values.SESSION_COOKIE_HTTP_ONLY === 'off' && values.WIRE_DIALECT !== 'linotp') {
        context.addIssue("SESSION_COOKIE_HTTP_ONLY='off' also needs WIRE_DIALECT='linotp'.");
      }
      if (values.SECURITY_MODULE === 'pkcs11') {
        const missing = Object.keys(pkcs11Schema.shape).filter(
          (name) => values[name as keyof typeof values] === undefined,
        );
        if (missing.length > 0) {
          context.addIssue(`SECURITY_MODULE='pkcs11' also needs ${missing.join(', ')}.`);
        }
      }
    },
    // Also runs where another variable is wrong, so that one message names all.
    { when: () => true },
  );

/** @returns the missing settings of single sign-on */
function singleSignOnFaults(values: Readonly<Record<string, unknown>>): readonly string[] {
  const missing = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET_FILE', 'OIDC_GROUPS'].filter(
    (name) => values[name] === undefined,
  );
  const redirect = values.OIDC_REDIRECT_URL ?? values.PUBLIC_URL;
  const needed = [...missing, ...(redirect === undefined ? ['PUBLIC_URL or OIDC_REDIRECT_URL'] : [])];
  return values.OIDC_ISSUER === undefined || needed.length === 0
    ? []
    : [`OIDC_ISSUER also needs ${needed.join(', ')}.`];
}

/** Facts about a variable, for messages, `tankeeper config` and the reference. */
export interface Variable {
  readonly name: string;
  /** Heading in the reference. */
  readonly group: string;
  readonly description: string;
  /** Allowed values, in words. */
  readonly allowed: string;
  /** The text that replaces an unset variable; undefined if it may be left out. */
  readonly fallback: string | undefined;
  /** @returns the value without its secret part */
  readonly mask: (value: string) => string;
}

const groups = [listening, database, answers, log, keys, signIn, limits, times];

/** Every variable that tankeeper reads, in the order of the reference. */
export const VARIABLES: readonly Variable[] = Object.entries(environmentSchema.shape).map(
  ([name, schema]: [string, z.ZodType]) => {
    const { description = '', allowed = '', mask = unmasked } = metaOf(schema);
    const fallback = schema instanceof z.ZodPrefault ? String(schema.def.defaultValue) : undefined;
    const group = groups.find(({ shape }) => name in shape)?.meta()?.title ?? '';
    return { name, group, description, allowed, fallback, mask };
  },
);

/** @returns the metadata of a schema and of those that it wraps, the outer one's first */
function metaOf(schema: z.core.$ZodType): z.core.GlobalMeta {
  const isWrapper = schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault;
  return { ...(isWrapper && metaOf(schema.unwrap())), ...z.globalRegistry.get(schema) };
}

function unmasked(value: string): string {
  return value;
}

export type Environment = Readonly<Record<string, string | undefined>>;
