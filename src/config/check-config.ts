import { isServiceError } from '../kernel/errors.ts';
import { type ConfigFile, readConfigFile } from './config-file.ts';
import { loadConfig } from './config.ts';
import type { Environment } from './environment.ts';
import { describeUnknownVariable, unknownVariables } from './unknown-variables.ts';

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
