import { isServiceError } from '../kernel/errors.ts';
import { nearestName } from '../kernel/text.ts';
import { type ConfigFile, readConfigFile } from './config-file.ts';
import { loadConfig } from './config.ts';
import { type Environment, readVariable, VARIABLES } from './variables.ts';

/** The result of a check of the configuration. */
export interface ConfigReport {
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
export interface UnknownVariable {
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
