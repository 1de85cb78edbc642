import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { z } from 'zod';
import { ServiceError } from '../kernel/errors.ts';
import { type Environment, environmentSchema, pkcs11Schema, VARIABLES } from './variables.ts';

type EnvironmentValues = z.output<typeof environmentSchema>;

/** `DATABASE_POOL_SIZE` in lower camel case, `databasePoolSize`. */
type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Rest}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;

/** Beginnings of variables that are kept together, under one name. */
const GROUPS = ['LIMIT_', 'PKCS11_', 'OIDC_'] as const;
type GroupPrefix = (typeof GROUPS)[number];

/** The variables of a group by the rest of their names; those of no group by their names. */
type Named<Prefix extends GroupPrefix | ''> = {
  readonly [
    Name in keyof EnvironmentValues as Name extends `${Prefix}${infer Rest}`
      ? Prefix extends ''
        ? Name extends `${GroupPrefix}${string}`
          ? never
          : CamelCase<Rest>
        : CamelCase<Rest>
      : never
  ]: EnvironmentValues[Name];
};

/** The configuration: the values of the environment, checked and frozen. Times are in seconds. */
export type Config = z.output<typeof configSchema>;

/** The values under their names in lower camel case, but for those that are read together or depend on others. */
const configSchema = environmentSchema.transform((values) => {
  const { wireDialect: dialect, ...named } = valuesOf(values, '');
  return Object.freeze({
    ...named,
    dialect,
    trustProxy: Object.freeze(values.TRUST_PROXY ?? []),
    dataDir: resolve(values.DATA_DIR),
    /** Undefined: the embedded PostgreSQL. Contains the password. */
    databaseUrl: withPassword(values.DATABASE_URL, values),
    appOrigins: Object.freeze(values.APP_ORIGINS ?? []),
    encryptionKeyFile: resolve(values.ENCRYPTION_KEY_FILE ?? join(values.DATA_DIR, 'encryption.key')),
    resolverFileDirs: Object.freeze(values.RESOLVER_FILE_DIRS ?? []),
    pkcs11: securityModuleOf(values),
    singleSignOn: singleSignOnOf(values),
    limits: Object.freeze(valuesOf(values, 'LIMIT_')),
  });
});

function valuesOf<Prefix extends GroupPrefix | ''>(values: EnvironmentValues, prefix: Prefix): Named<Prefix> {
  const others = GROUPS.filter((group) => group !== prefix);
  return Object.fromEntries(
    Object.entries(values)
      .filter(([name]) => name.startsWith(prefix) && !others.some((group) => name.startsWith(group)))
      .map(([name, value]) => [
        camelCase(name.slice(prefix.length)),
        Array.isArray(value) ? Object.freeze(value) : value,
      ]),
  ) as Named<Prefix>;
}

function camelCase(name: string): string {
  return name.toLowerCase().replace(/_(.)/g, (_match, letter: string) => letter.toUpperCase());
}

/**
 * Reads the whole configuration. The only reader of the environment.
 * @throws ServiceError 'configuration.invalid' that names each wrong variable, its value and the allowed ones
 */
export function loadConfig(environment: Environment = process.env): Config {
  const values = Object.fromEntries(VARIABLES.map(({ name }) => [name, readVariable(environment, name)]));
  const { data, error } = configSchema.safeParse(values);
  if (error === undefined) {
    return data;
  }
  const wrong = error.issues.map(({ path: [name], message }) => {
    const variable = VARIABLES.find((one) => one.name === name);
    return variable === undefined
      ? message
      : `${variable.name}='${variable.mask(values[variable.name] ?? '')}' is not allowed. Allowed: ${variable.allowed}.`;
  });
  // A list may have several wrong entries.
  throw new ServiceError('configuration.invalid', [...new Set(wrong)].join('\n'));
}

/** @returns LOG_FORMAT of the environment, also where other variables are wrong */
export function logFormatOf(environment: Environment = process.env): Config['logFormat'] {
  const { data = 'auto' } = environmentSchema.shape.LOG_FORMAT.safeParse(
    readVariable(environment, 'LOG_FORMAT'),
  );
  return data;
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

/** @returns the registration at the provider, undefined without single sign-on; its secret is read from the file by the server */
function singleSignOnOf(values: EnvironmentValues) {
  const { providerName: provider, sessionLifetime: lifetime, ...others } = valuesOf(values, 'OIDC_');
  const { issuer, clientId, clientSecretFile, groups } = others;
  if (
    issuer === undefined ||
    clientId === undefined ||
    clientSecretFile === undefined ||
    groups === undefined
  ) {
    return undefined;
  }
  const redirectUrl = others.redirectUrl ?? `${values.PUBLIC_URL ?? ''}/admin/sign-in/oidc/callback`;
  return Object.freeze({
    ...others,
    provider,
    lifetime,
    issuer,
    clientId,
    clientSecretFile,
    groups,
    redirectUrl,
  });
}

/** The addresses that stand for all of this machine, which no client can open, and their loopback addresses. */
const LOOPBACKS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** @returns a URL that opens a server on this machine, without a slash at its end */
export function baseUrlOf({ host }: Pick<Config, 'host'>, port: number): string {
  const opened = LOOPBACKS[host] ?? host;
  return `http://${opened.includes(':') ? `[${opened}]` : opened}:${port}`;
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

/** A variable of the environment, as `tankeeper config` shows it. */
export interface ConfigRow {
  readonly variable: string;
  /** Masked if it holds a secret; empty when unset. */
  readonly value: string;
  /** Empty without a default. */
  readonly default: string;
  readonly source: 'environment' | 'default' | 'unset';
  readonly meaning: string;
}

/** @returns the text of a variable; undefined for an empty one, as compose files write unset variables */
function readVariable(environment: Environment, name: string): string | undefined {
  return environment[name] === '' ? undefined : environment[name];
}

/** @returns every variable with its value and the source of that value */
export function describeConfig(environment: Environment = process.env): readonly ConfigRow[] {
  return VARIABLES.map(({ name, fallback, description, mask }) => {
    const text = readVariable(environment, name);
    const source = text !== undefined ? 'environment' : fallback === undefined ? 'unset' : 'default';
    const value = mask(text ?? fallback ?? '');
    return { variable: name, value, default: fallback ?? '', source, meaning: description };
  });
}

/** Beginnings that other programs do not use. */
const OWN_PREFIXES = [
  'WIRE_',
  'LIMIT_',
  'MONITORING_',
  'PKCS11_',
  'RESOLVER_',
  'CHALLENGE_',
  'AUDIT_',
  'HOUSEKEEPING_',
];

/** @returns the names of set variables that look like the server's and are none, sorted */
export function unknownVariables(environment: Environment = process.env): readonly string[] {
  const known = VARIABLES.map(({ name }) => name);
  return Object.entries(environment)
    .filter(([name, value]) => value !== undefined && value !== '' && !known.includes(name))
    .map(([name]) => name)
    .filter((name) => OWN_PREFIXES.some((prefix) => name.startsWith(prefix)))
    .sort();
}
