import { homedir, userInfo } from 'node:os';
import type { CliDependencies, OpenServices } from '../cli/dependencies.ts';
import { runProgram } from '../cli/program.ts';
import { terminalIo } from '../cli/terminal-io.ts';
import type { Config } from '../config/config.ts';
import { systemRandom } from '../kernel/system-random.ts';
import { packageVersion } from '../kernel/package-version.ts';
import { DatabaseClock } from '../database/database-clock.ts';
import { boundHeapGrowth, closeLostTerminals, commandLog, watchSignals } from './process.ts';

/**
 * Runs the `tankeeper` command.
 * @param parameters the command line without the program's own name
 * @returns the exit code
 */
export function run(parameters: readonly string[]): Promise<number> {
  closeLostTerminals();
  boundHeapGrowth(100);
  return runProgram(parameters, commandLineDependencies());
}

/**
 * Loads the configuration, HTTP and database libraries only in the functions that use them: loading takes longer than
 * most commands.
 */
function commandLineDependencies(): CliDependencies {
  const clock = new DatabaseClock();
  return {
    loadConfiguration: async () => (await import('../config/config.ts')).loadConfig(),
    openServices: (config) => openServices(config, clock),
    io: terminalIo(),
    fetch: async (...request) => (await import('../cli/plain-fetch.ts')).plainFetch(...request),
    clock,
    random: systemRandom,
    version: packageVersion(),
    osUser: osUser(),
    homeFolder: homedir(),
  };
}

/** Opens the installation for one command. Its signals are watched until `close`. */
async function openServices(config: Config, clock: DatabaseClock): Promise<OpenServices> {
  const { openInstallation } = await import('./open-installation.ts');
  const { requested, release } = watchSignals();
  try {
    const options = { clock, giveUp: requested };
    const { services, close } = await openInstallation(config, 'command', commandLog(config), options);
    return { ...services, interrupted: requested, close: () => close().finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}

/** @returns the name of the process's account, or its id: in a container it may have no name */
function osUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
