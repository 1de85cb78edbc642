import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { parseDuration } from './kernel/duration.ts';
import { maskPassword } from './kernel/masked-url.ts';

/** One variable: how it is read, what it may be, what it is for. */
export interface Variable {
  readonly schema: z.ZodType;
  /** As if it were set; undefined: may be left out. */
  readonly fallback?: string;
  /** What is allowed, for the message when it is not. */
  readonly allowed: string;
  readonly meaning: string;
  /** Hides what must not be shown. */
  readonly mask?: (value: string) => string;
}

const text = z.string().min(1);
const oneOf = <const Value extends string>(
  ...values: Value[]
): Pick<Variable, 'allowed'> & { schema: z.ZodType<Value> } => ({
  schema: z.enum(values),
  allowed: values.join(', '),
});
const whole = (least: number, most: number): Pick<Variable, 'allowed'> & { schema: z.ZodType<number> } => ({
  schema: z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.number().min(least).max(most)),
  allowed: `a whole number from ${least} to ${most}`,
});
const seconds = z
  .string()
  .transform((value, context) => {
    try {
      return parseDuration(value);
    } catch {
      context.addIssue({ code: 'custom', message: 'not a duration' });
      return z.NEVER;
    }
  })
  .pipe(z.number().min(1));
const networkNames = ['loopback', 'linklocal', 'uniquelocal'] as const;
const list = z.string().transform((value) => value.split(',').map((entry) => entry.trim()));
const networks = <const Name extends string>(...names: Name[]) =>
  list.pipe(z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6(), z.enum(names)])));

/** Every variable that tankeeper reads: the list behind `tankeeper config` and .env.example. */
export const VARIABLES = {
  HOST: {
    schema: text,
    fallback: '127.0.0.1',
    allowed: 'a host name or an address',
    meaning: 'address to listen on',
  },
  PORT: { ...whole(0, 65_535), fallback: '5001', meaning: 'port to listen on; 0 takes a free one' },
  METRICS_PORT: {
    ...whole(0, 65_535),
    meaning: 'port for /metrics without a credential, also on HOST; unset: none',
  },
  DATA_DIR: {
    schema: text,
    fallback: './data',
    allowed: 'a folder',
    meaning: 'embedded database and encryption key',
  },
  DATABASE_URL: {
    schema: z
      .string()
      .regex(/^postgres(ql)?:\/\/./)
      .refine((value) => URL.canParse(value) || value.includes('host=/'))
      // A password with a / that is not written %2F would pass for the name of the database.
      .refine((value) => !URL.canParse(value) || !new URL(value).pathname.includes('@')),
    allowed: 'postgres://user:password@host:port/database',
    meaning: 'PostgreSQL 14 or newer; unset: an embedded one in DATA_DIR',
    mask: maskPassword,
  },
  DATABASE_PASSWORD_FILE: {
    schema: text,
    allowed: 'a file',
    meaning: 'file with the password for DATABASE_URL',
  },
  DATABASE_POOL_SIZE: { ...whole(5, 500), fallback: '10', meaning: 'connections to the database at most' },
  DATABASE_STATEMENT_TIMEOUT: {
    schema: seconds.pipe(z.number().max(3600)),
    fallback: '30S',
    allowed: 'a duration from 1S to 1H',
    meaning: 'how long a statement may run in the database',
  },
  DATABASE_LOCK_TIMEOUT: {
    schema: seconds.pipe(z.number().max(3600)),
    fallback: '5S',
    allowed: 'a duration from 1S to 1H',
    meaning: 'how long a request may wait for a lock in the database',
  },
  WIRE_DIALECT: {
    ...oneOf('documented', 'linotp'),
    fallback: 'documented',
    meaning: 'how answers look on the wire',
  },
  SERVICE_VERSION: {
    schema: text,
    allowed: 'a text',
    meaning: 'the version that answers carry; unset: Tankeeper and its version, or that of the dialect',
  },
  LOG_LEVEL: { ...oneOf('error', 'warn', 'info', 'debug'), fallback: 'info', meaning: 'how much is logged' },
  LOG_FORMAT: {
    ...oneOf('auto', 'json', 'text'),
    fallback: 'auto',
    meaning: 'JSON lines or text; auto: text on a terminal',
  },
  ENCRYPTION_KEY_FILE: {
    schema: text,
    allowed: 'a file',
    meaning: 'key that seals secrets; unset: DATA_DIR/encryption.key',
  },
  SECURITY_MODULE: {
    ...oneOf('file', 'pkcs11'),
    fallback: 'file',
    meaning: 'what keeps the key that seals secrets: the key file, or a PKCS #11 module',
  },
  PKCS11_LIBRARY: {
    schema: text,
    allowed: 'a file',
    meaning: "the module's library (.so), for SECURITY_MODULE=pkcs11",
  },
  PKCS11_TOKEN: {
    schema: text,
    allowed: 'a text',
    meaning: 'label of the token in the module',
  },
  PKCS11_PIN_FILE: {
    schema: text,
    allowed: 'a file',
    meaning: 'file with the user PIN of the token',
  },
  PKCS11_KEY: {
    schema: text,
    allowed: 'a text',
    meaning: 'label of the AES-256 key in the token that wraps the key of this database',
  },
  PKCS11_CREATE_KEY: {
    ...oneOf('on', 'off'),
    fallback: 'off',
    meaning: 'whether the first start makes that key where the token has none',
  },
  ADMIN_PASSWORD_FILE: {
    schema: text,
    allowed: 'a file',
    meaning: 'password of the first administrator; unset: a random one',
  },
  LICENCE_PUBLIC_KEY_FILE: {
    schema: text,
    allowed: 'a file with an Ed25519 or RSA key: PEM (BEGIN PUBLIC KEY) or JWK',
    meaning: 'public key that licences are verified with; unset: none can be',
  },
  TRUST_PROXY: {
    schema: networks(...networkNames),
    allowed: 'addresses or networks, comma separated, or loopback, linklocal, uniquelocal',
    meaning: 'proxies whose X-Forwarded-For is believed; unset: none',
  },
  REQUEST_TIMEOUT: {
    schema: seconds.pipe(z.number().max(600)),
    fallback: '30S',
    allowed: 'a duration from 1S to 10M',
    meaning: 'how long a client may take to send a request, and again to take its answer',
  },
  LIMIT_EXEMPT: {
    schema: networks(...networkNames, 'none'),
    fallback: 'loopback',
    allowed: 'addresses or networks, comma separated, or loopback, linklocal, uniquelocal, none',
    meaning: 'clients that LIMIT_CLIENT_… and LIMIT_TRANSACTION_… do not bound, such as a portal',
  },
  LIMIT_CLIENT_REQUESTS: {
    ...whole(1, 1_000_000),
    fallback: '500',
    meaning: 'requests of one client in a second, on each server',
  },
  LIMIT_CLIENT_FAILURES: {
    ...whole(1, 1_000_000),
    fallback: '300',
    meaning: 'responses of one client that are not accepted, in a minute',
  },
  LIMIT_TRANSACTION_FAILURES: {
    ...whole(1, 1_000_000),
    fallback: '30',
    meaning: 'responses to one transaction that are not accepted, in a minute',
  },
  LIMIT_LOGIN_FAILURES: {
    ...whole(1, 10_000),
    fallback: '5',
    meaning: 'wrong passwords for one administrator from one client in a minute',
  },
  LIMIT_LOGINS_AT_ONCE: {
    ...whole(1, 64),
    fallback: '2',
    meaning: 'passwords that are verified at once, on each server',
  },
  LIMIT_REQUESTS_AT_ONCE: {
    ...whole(1, 1_000_000),
    fallback: '1000',
    meaning: 'requests that are worked on at once, on each server',
  },
  LIMIT_CONNECTIONS: {
    ...whole(4, 1_000_000),
    fallback: '4000',
    meaning: 'connections of clients at once, on each server; a quarter of them from one address',
  },
  SESSION_LIFETIME: {
    schema: seconds,
    fallback: '1H',
    allowed: 'a duration such as 300 or 1H30M',
    meaning: 'how long a session lasts',
  },
  RESOLVER_TIMEOUT: {
    schema: seconds,
    fallback: '3S',
    allowed: 'a duration such as 5 or 5S',
    meaning: 'how long a resolver may take to count',
  },
  RESOLVER_FILE_DIRS: {
    schema: list.pipe(z.array(z.string().refine(isAbsolute))),
    allowed: 'absolute folders, comma separated',
    meaning: 'folders below which files of resolvers may be named over HTTP; unset: none can be',
  },
  CHALLENGE_RETENTION: {
    schema: seconds,
    fallback: '7D',
    allowed: 'a duration such as 300 or 7D',
    meaning: 'how long an expired challenge can still be asked about before it is removed',
  },
  AUDIT_RETENTION: {
    ...{
      schema: z.union([z.literal('off'), seconds]),
      fallback: 'off',
      allowed: 'a duration such as 400D, or off',
    },
    meaning: 'how long months of the audit are kept after their end; off: for ever',
  },
  HOUSEKEEPING_INTERVAL: {
    ...{ schema: z.union([z.literal('off'), seconds]), fallback: '10M' },
    allowed: 'a duration such as 300 or 10M, or off',
    meaning: 'how often the server removes what is old; off: left to tankeeper housekeeping run',
  },
  MONITORING_POST: {
    ...oneOf('on', 'off'),
    fallback: 'on',
    meaning: 'whether /monitoring answers POST (deprecated)',
  },
  MONITORING_POST_SUNSET: {
    schema: z.iso.date().transform((value) => new Date(`${value}T00:00:00Z`)),
    allowed: 'a date such as 2027-12-31',
    meaning: 'the day on which POST on /monitoring ends, announced in a header',
  },
} as const satisfies Record<string, Variable>;
