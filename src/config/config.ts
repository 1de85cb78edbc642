import { join, resolve } from 'node:path';
import type { z } from 'zod';
import { ServiceError } from '../kernel/errors.ts';
import type { LimitSettings } from '../kernel/limit.ts';
import type { ConfigFile } from './config-file.ts';
import { type Environment, readVariable } from './environment.ts';
import { readSecretFile } from './secret-file.ts';
import { environmentSchema, pkcs11Schema, VARIABLES } from './variables.ts';

type EnvironmentValues = z.output<typeof environmentSchema>;

/** The configuration: the values of the environment, checked and frozen. Times are in seconds. */
export type Config = z.output<typeof configSchema>;

const configSchema = environmentSchema.transform((values) =>
  Object.freeze({
    host: values.HOST,
    port: values.PORT,
    /** Undefined: no port for metrics. */
    metricsPort: values.METRICS_PORT,
    trustProxy: Object.freeze(values.TRUST_PROXY ?? []),
    dataDir: resolve(values.DATA_DIR),
    /** Undefined: the embedded PostgreSQL. Contains the password. */
    databaseUrl: withPassword(values.DATABASE_URL, values),
    databasePoolSize: values.DATABASE_POOL_SIZE,
    databaseStatementTimeout: values.DATABASE_STATEMENT_TIMEOUT,
    databaseLockTimeout: values.DATABASE_LOCK_TIMEOUT,
    databasePreparedStatements: values.DATABASE_PREPARED_STATEMENTS,
    databaseSharedStatements: values.DATABASE_SHARED_STATEMENTS,
    dialect: values.WIRE_DIALECT,
    serviceVersion: values.SERVICE_VERSION,
    apiDocs: values.API_DOCS,
    app: values.APP,
    console: values.CONSOLE,
    appOrigins: Object.freeze(values.APP_ORIGINS ?? []),
    monitoringPost: values.MONITORING_POST,
    monitoringPostSunset: values.MONITORING_POST_SUNSET,
    logLevel: values.LOG_LEVEL,
    logFormat: values.LOG_FORMAT,
    encryptionKeyFile: resolve(values.ENCRYPTION_KEY_FILE ?? join(values.DATA_DIR, 'encryption.key')),
    pkcs11: securityModuleOf(values),
    adminPasswordFile: values.ADMIN_PASSWORD_FILE,
    licencePublicKeyFile: values.LICENCE_PUBLIC_KEY_FILE,
    limits: limitsOf(values),
    sessionLifetime: values.SESSION_LIFETIME,
    /** The address of the server in browsers, an origin. */
    publicUrl: values.PUBLIC_URL,
    /** Undefined: no single sign-on. */
    singleSignOn: singleSignOnOf(values),
    resolverTimeout: values.RESOLVER_TIMEOUT,
    resolverFileDirs: Object.freeze(values.RESOLVER_FILE_DIRS ?? []),
    challengeRetention: values.CHALLENGE_RETENTION,
    auditRetention: values.AUDIT_RETENTION,
    housekeepingInterval: values.HOUSEKEEPING_INTERVAL,
  }),
);

/**
 * Reads the whole configuration. The only reader of the environment, which goes before the file.
 * @param file the configuration file; undefined: there is none
 * @throws ServiceError 'configuration.invalid' that names each wrong variable or key, its value and the allowed ones
 */
export function loadConfig(environment: Environment = process.env, file?: ConfigFile): Config {
  const values = Object.fromEntries(
    VARIABLES.map(({ name }) => [name, readVariable(environment, name) ?? file?.values.get(name)?.value]),
  );
  const faults = file?.faults ?? [];
  const { data, error } = configSchema.safeParse(values);
  if (error === undefined && faults.length === 0) {
    return data;
  }
  const wrong = (error?.issues ?? []).map(({ path: [name], message }) => {
    const variable = VARIABLES.find((one) => one.name === name);
    return variable === undefined
      ? message
      : `${placeOf(variable.name, environment, file)}='${variable.mask(values[variable.name] ?? '')}' is not allowed. Allowed: ${variable.allowed}.`;
  });
  // A list may have several wrong entries.
  throw new ServiceError('configuration.invalid', [...new Set([...faults, ...wrong])].join('\n'));
}

/** @returns the name of the variable, or the place in the file that gave its value */
function placeOf(name: string, environment: Environment, file: ConfigFile | undefined): string {
  const ofFile = readVariable(environment, name) === undefined ? file?.values.get(name) : undefined;
  return ofFile?.place ?? name;
}

function withPassword(
  url: string | undefined,
  { DATABASE_PASSWORD_FILE: file }: EnvironmentValues,
): string | undefined {
  if (url === undefined || file === undefined) {
    return url;
  }
  const complete = new URL(url);
  complete.password = encodeURIComponent(readSecretFile('DATABASE_PASSWORD_FILE', file));
  return complete.href;
}

/** @returns the module that wraps the encryption key; undefined: the key is in the file */
function securityModuleOf(values: EnvironmentValues) {
  if (values.SECURITY_MODULE === 'file') {
    return undefined;
  }
  const module = pkcs11Schema.parse(values);
  return Object.freeze({
    library: resolve(module.PKCS11_LIBRARY),
    token: module.PKCS11_TOKEN,
    pinFile: resolve(module.PKCS11_PIN_FILE),
    key: module.PKCS11_KEY,
    createKey: values.PKCS11_CREATE_KEY === 'on',
  });
}

/** @returns the registration at the provider; its secret is read from the file by the server */
function singleSignOnOf(values: EnvironmentValues) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET_FILE: clientSecretFile } = values;
  const { OIDC_GROUPS: groups, PUBLIC_URL: publicUrl = '' } = values;
  if (
    issuer === undefined ||
    clientId === undefined ||
    clientSecretFile === undefined ||
    groups === undefined
  ) {
    return undefined;
  }
  return Object.freeze({
    issuer,
    provider: values.OIDC_PROVIDER_NAME,
    clientId,
    clientSecretFile,
    redirectUrl: values.OIDC_REDIRECT_URL ?? `${publicUrl}/admin/sign-in/oidc/callback`,
    scopes: values.OIDC_SCOPES,
    nameClaim: values.OIDC_NAME_CLAIM,
    groupsClaim: values.OIDC_GROUPS_CLAIM,
    groups,
    lifetime: values.OIDC_SESSION_LIFETIME,
  });
}

function limitsOf(values: EnvironmentValues): LimitSettings {
  return Object.freeze({
    exempt: Object.freeze(values.LIMIT_EXEMPT),
    clientRequests: values.LIMIT_CLIENT_REQUESTS,
    clientFailures: values.LIMIT_CLIENT_FAILURES,
    transactionFailures: values.LIMIT_TRANSACTION_FAILURES,
    loginFailures: values.LIMIT_LOGIN_FAILURES,
    loginsAtOnce: values.LIMIT_LOGINS_AT_ONCE,
    requestsAtOnce: values.LIMIT_REQUESTS_AT_ONCE,
    statusWaits: values.LIMIT_STATUS_WAITS,
    connections: values.LIMIT_CONNECTIONS,
    requestTimeout: values.REQUEST_TIMEOUT,
  });
}

/** The addresses that stand for all of this machine, which no client can open, and their loopback addresses. */
const LOOPBACKS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** @returns a URL that opens a server on this machine, without a slash at its end */
export function baseUrlOf({ host }: Pick<Config, 'host'>, port: number): string {
  const opened = LOOPBACKS[host] ?? host;
  return `http://${opened.includes(':') ? `[${opened}]` : opened}:${port}`;
}
