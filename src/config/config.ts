import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { z } from 'zod';
import { ServiceError, isServiceError } from '../kernel/errors.ts';
import { type ConfigFile, fileKeyOf, readConfigFile } from './config-file.ts';
import { type Environment, environmentSchema, pkcs11Schema, readVariable, VARIABLES } from './variables.ts';
import { nearestName } from '../kernel/text.ts';

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

/** The values under their names in a file, but for those that are read together or depend on others. */
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
        fileKeyOf(name.slice(prefix.length)),
        Array.isArray(value) ? Object.freeze(value) : value,
      ]),
  ) as Named<Prefix>;
}

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

/** @returns LOG_FORMAT of the environment, also where other variables are wrong */
export function logFormatOf(environment: Environment = process.env): Config['logFormat'] {
  const { data = 'auto' } = environmentSchema.shape.LOG_FORMAT.safeParse(
    readVariable(environment, 'LOG_FORMAT'),
  );
  return data;
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

interface ConfigReport {
  /** Everything that is wrong, one sentence each. Empty: a server would start with it. */
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Checks the environment and a configuration file; files that they name are read where a start would read them first.
 * @param path undefined: no file
 */
export async function checkConfig(
  path: string | undefined,
  environment: Environment = process.env,
): Promise<ConfigReport> {
  const unknown = unknownVariables(environment).map(describeUnknownVariable);
  let file: ConfigFile | undefined;
  try {
    file = path === undefined ? undefined : await readConfigFile(path);
    loadConfig(environment, file);
    return { faults: unknown, warnings: file?.warnings ?? [] };
  } catch (error) {
    if (!isServiceError(error, 'configuration.invalid')) {
      throw error;
    }
    return { faults: [...error.message.split('\n'), ...unknown], warnings: file?.warnings ?? [] };
  }
}

/** A variable of the environment, as `tankeeper config` shows it. */
export interface ConfigRow {
  readonly variable: string;
  /** Masked if it holds a secret; empty when unset. */
  readonly value: string;
  /** Empty without a default. */
  readonly default: string;
  readonly source: 'environment' | 'file' | 'default' | 'unset';
  readonly meaning: string;
}

/** @returns every variable with its value and the source of that value */
export function describeConfig(
  environment: Environment = process.env,
  file?: Pick<ConfigFile, 'values'>,
): readonly ConfigRow[] {
  return VARIABLES.map(({ name, fallback, description, mask }) => {
    const ofEnvironment = readVariable(environment, name);
    const text = ofEnvironment ?? file?.values.get(name)?.value;
    const written = ofEnvironment === undefined ? 'file' : 'environment';
    const source = text !== undefined ? written : fallback === undefined ? 'unset' : 'default';
    const value = mask(text ?? fallback ?? '');
    return { variable: name, value, default: fallback ?? '', source, meaning: description };
  });
}

/** A variable that looks like one of ours and is none. */
interface UnknownVariable {
  readonly name: string;
  /** The known variable that was probably meant. */
  readonly nearest: string | undefined;
}

/** Beginnings that other programs do not use. A name with another beginning counts only if it is close to a known one. */
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

/** Characters; HOST and PORT are too close to the names of other programs. */
const MIN_LENGTH = 7;
/** Edits of a typing error. */
const CLOSE = 2;

/** @returns the variables that are probably misspelt, by name; unset and empty ones do not count */
export function unknownVariables(environment: Environment = process.env): readonly UnknownVariable[] {
  const known = VARIABLES.map(({ name }) => name);
  const long = known.filter((name) => name.length >= MIN_LENGTH);
  return Object.entries(environment)
    .filter(([name, value]) => value !== undefined && value !== '' && !known.includes(name))
    .map(([name]) => ({
      name,
      nearest: nearestName(name, long),
      isClose: nearestName(name, long, CLOSE) !== undefined,
    }))
    .filter(({ name, isClose }) => isClose || OWN_PREFIXES.some((prefix) => name.startsWith(prefix)))
    .map(({ name, nearest }) => ({ name, nearest }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** @returns a sentence for people; never the value, which may be a secret */
export function describeUnknownVariable({ name, nearest }: UnknownVariable): string {
  const suggestion = nearest === undefined ? '' : `: did you mean ${nearest}?`;
  return `unknown variable ${name}${suggestion}`;
}
