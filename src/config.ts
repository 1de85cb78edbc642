import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { z } from 'zod';
import { VARIABLES, type Variable } from './config-variables.ts';
import { ServiceError } from './kernel/errors.ts';
import type { LimitSettings } from './kernel/limit.ts';

type Environment = Readonly<Record<string, string | undefined>>;

type VariableName = keyof typeof VARIABLES;
const NAMES = Object.keys(VARIABLES) as VariableName[];
const PKCS11_VARIABLES = ['PKCS11_LIBRARY', 'PKCS11_TOKEN', 'PKCS11_PIN_FILE', 'PKCS11_KEY'] as const;

/** What the environment says, checked. Frozen. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** undefined: no port for metrics. */
  readonly metricsPort: number | undefined;
  readonly dataDir: string;
  /** undefined: the embedded PostgreSQL. Holds the password. */
  readonly databaseUrl: string | undefined;
  readonly databasePoolSize: number;
  /** Seconds. */
  readonly databaseStatementTimeout: number;
  /** Seconds. */
  readonly databaseLockTimeout: number;
  readonly dialect: 'documented' | 'linotp';
  readonly serviceVersion: string | undefined;
  readonly logLevel: 'error' | 'warn' | 'info' | 'debug';
  readonly logFormat: 'auto' | 'json' | 'text';
  readonly encryptionKeyFile: string;
  /** The module that wraps the encryption key; undefined: the key is in the file. */
  readonly pkcs11: Pkcs11Settings | undefined;
  readonly adminPasswordFile: string | undefined;
  readonly licencePublicKeyFile: string | undefined;
  readonly trustProxy: readonly string[];
  readonly limits: LimitSettings;
  /** Seconds. */
  readonly sessionLifetime: number;
  /** Seconds. */
  readonly resolverTimeout: number;
  /** Absolute. */
  readonly resolverFileDirs: readonly string[];
  /** Seconds. */
  readonly challengeRetention: number;
  /** Seconds; `off`: for ever. */
  readonly auditRetention: number | 'off';
  /** Seconds; `off`: never. */
  readonly housekeepingInterval: number | 'off';
  readonly monitoringPost: 'on' | 'off';
  readonly monitoringPostSunset: Date | undefined;
}

/** Where a PKCS #11 module and its key are. */
interface Pkcs11Settings {
  readonly library: string;
  readonly token: string;
  readonly pinFile: string;
  readonly key: string;
  readonly createKey: boolean;
}

/** A row of `tankeeper config`. */
export interface ConfigRow {
  readonly variable: string;
  /** Masked where it holds a secret; empty when unset. */
  readonly value: string;
  readonly source: 'environment' | 'default' | 'unset';
  readonly meaning: string;
}

/**
 * Reads the whole configuration. The only reader of the environment.
 * @throws ServiceError 'configuration.invalid' that names each wrong variable, its value and what is allowed
 */
export function loadConfig(environment: Environment = process.env): Config {
  const read = readAll(environment);
  const dataDir = resolve(read('DATA_DIR'));
  return Object.freeze({
    host: read('HOST'),
    port: read('PORT'),
    metricsPort: read('METRICS_PORT'),
    dataDir,
    databaseUrl: databaseUrl(read('DATABASE_URL'), read('DATABASE_PASSWORD_FILE')),
    databasePoolSize: read('DATABASE_POOL_SIZE'),
    databaseStatementTimeout: read('DATABASE_STATEMENT_TIMEOUT'),
    databaseLockTimeout: read('DATABASE_LOCK_TIMEOUT'),
    dialect: read('WIRE_DIALECT'),
    serviceVersion: read('SERVICE_VERSION'),
    logLevel: read('LOG_LEVEL'),
    logFormat: read('LOG_FORMAT'),
    encryptionKeyFile: resolve(read('ENCRYPTION_KEY_FILE') ?? resolve(dataDir, 'encryption.key')),
    pkcs11: pkcs11Settings(read),
    adminPasswordFile: read('ADMIN_PASSWORD_FILE'),
    licencePublicKeyFile: read('LICENCE_PUBLIC_KEY_FILE'),
    trustProxy: Object.freeze(read('TRUST_PROXY') ?? []),
    limits: limitSettings(read),
    sessionLifetime: read('SESSION_LIFETIME'),
    resolverTimeout: read('RESOLVER_TIMEOUT'),
    resolverFileDirs: Object.freeze(read('RESOLVER_FILE_DIRS') ?? []),
    challengeRetention: read('CHALLENGE_RETENTION'),
    auditRetention: read('AUDIT_RETENTION'),
    housekeepingInterval: read('HOUSEKEEPING_INTERVAL'),
    monitoringPost: read('MONITORING_POST'),
    monitoringPostSunset: read('MONITORING_POST_SUNSET'),
  });
}

/** @returns every variable with what it is set to, secrets masked */
export function describeConfig(environment: Environment = process.env): readonly ConfigRow[] {
  return NAMES.map((variable) => {
    const { fallback, meaning, mask }: Variable = VARIABLES[variable];
    const given = environmentValue(environment, variable);
    const value = given ?? fallback ?? '';
    const source = given !== undefined ? 'environment' : fallback === undefined ? 'unset' : 'default';
    return { variable, value: mask?.(value) ?? value, source, meaning };
  });
}

type Fallback<Name extends VariableName> = (typeof VARIABLES)[Name] extends { fallback: string }
  ? never
  : undefined;
type Value<Name extends VariableName> = z.output<(typeof VARIABLES)[Name]['schema']> | Fallback<Name>;

type Read = <Name extends VariableName>(name: Name) => Value<Name>;

function readAll(environment: Environment): Read {
  const wrong: string[] = [];
  const values = new Map<VariableName, unknown>();
  for (const name of NAMES) {
    const variable: Variable = VARIABLES[name];
    const given = environmentValue(environment, name) ?? variable.fallback;
    if (given === undefined) {
      continue;
    }
    const parsed = variable.schema.safeParse(given);
    if (parsed.success) {
      values.set(name, parsed.data);
    } else {
      wrong.push(
        `${name}='${variable.mask?.(given) ?? given}' is not allowed. Allowed: ${variable.allowed}.`,
      );
    }
  }
  if (wrong.length > 0) {
    throw new ServiceError('configuration.invalid', wrong.join('\n'));
  }
  return <Name extends VariableName>(name: Name) => values.get(name) as Value<Name>;
}

/** An empty variable counts as unset, as compose files write it. */
function environmentValue(environment: Environment, name: string): string | undefined {
  return environment[name] === '' ? undefined : environment[name];
}

function limitSettings(read: Read): LimitSettings {
  return Object.freeze({
    exempt: Object.freeze(read('LIMIT_EXEMPT')),
    clientRequests: read('LIMIT_CLIENT_REQUESTS'),
    clientFailures: read('LIMIT_CLIENT_FAILURES'),
    transactionFailures: read('LIMIT_TRANSACTION_FAILURES'),
    loginFailures: read('LIMIT_LOGIN_FAILURES'),
    loginsAtOnce: read('LIMIT_LOGINS_AT_ONCE'),
    requestsAtOnce: read('LIMIT_REQUESTS_AT_ONCE'),
    connections: read('LIMIT_CONNECTIONS'),
    requestTimeout: read('REQUEST_TIMEOUT'),
  });
}

/** @throws ServiceError 'configuration.invalid' when the module is asked for, and not all that it takes is told */
function pkcs11Settings(read: Read): Pkcs11Settings | undefined {
  if (read('SECURITY_MODULE') === 'file') {
    return undefined;
  }
  const [library, token, pinFile, key] = PKCS11_VARIABLES.map(read);
  if (library === undefined || token === undefined || pinFile === undefined || key === undefined) {
    const missing = PKCS11_VARIABLES.filter((name) => read(name) === undefined);
    throw new ServiceError(
      'configuration.invalid',
      `SECURITY_MODULE='pkcs11' also needs ${missing.join(', ')}.`,
    );
  }
  const createKey = read('PKCS11_CREATE_KEY') === 'on';
  return Object.freeze({ library: resolve(library), token, pinFile: resolve(pinFile), key, createKey });
}

function databaseUrl(url: string | undefined, passwordFile: string | undefined): string | undefined {
  if (url === undefined || passwordFile === undefined) {
    return url;
  }
  const withPassword = new URL(url);
  withPassword.password = encodeURIComponent(readSecretFile('DATABASE_PASSWORD_FILE', passwordFile));
  return withPassword.href;
}

/**
 * @param variable the variable that named the file, for the message
 * @returns the file's text without the line end at its end
 * @throws ServiceError 'configuration.invalid' when it cannot be read or is empty
 */
export function readSecretFile(variable: string, file: string): string {
  let content: string;
  try {
    content = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new ServiceError('configuration.invalid', `${variable}='${file}' cannot be read (${reason}).`, {
      cause,
    });
  }
  if (content === '') {
    throw new ServiceError('configuration.invalid', `${variable}='${file}' is empty.`);
  }
  return content;
}
