import type { ConfigFile } from './config-file.ts';
import { type Environment, readVariable } from './environment.ts';
import { VARIABLES } from './variables.ts';

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
