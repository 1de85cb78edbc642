import { homedir, userInfo } from 'node:os';
import { actOf } from '../policy/caller.ts';
import type { Services } from '../services.ts';
import type { CliDependencies } from '../cli/dependencies.ts';
import { unlessAborted } from '../kernel/stop-request.ts';
import { runProgram } from '../cli/program.ts';
import { terminalIo } from '../cli/terminal-io.ts';
import type { Config } from '../config/config.ts';
import type { ConfigFile } from '../config/config-file.ts';
import { systemRandom } from '../kernel/system-random.ts';
import { packageVersion } from '../kernel/package-version.ts';
import type { Log } from '../kernel/log.ts';
import type { LinotpSource } from '../linotp/linotp-source.ts';
import { plainLog } from '../observability/log.ts';
import { DatabaseClock } from '../database/database-clock.ts';
import { boundHeapGrowth, closeLostTerminals, type WatchedSignals, watchSignals } from './process.ts';

/**
 * Runs the `tankeeper` command.
 * @param parameters the command line without the program's own name
 * @returns the exit code
 */
export async function run(parameters: readonly string[]): Promise<number> {
  closeLostTerminals();
  boundHeapGrowth(100);
  return runProgram(parameters, commandLineDependencies(parameters));
}

/**
 * Loads the configuration, HTTP and database libraries only in the functions that use them: loading takes longer than
 * most commands.
 */
function commandLineDependencies(parameters: readonly string[]): CliDependencies {
  const io = terminalIo();
  const clock = new DatabaseClock();
  let loaded: Promise<LoadedConfiguration> | undefined;
  const load = (): Promise<LoadedConfiguration> => (loaded ??= loadConfiguration(parameters));
  const readConfig = async (): Promise<Config> => (await load()).config;
  return {
    openServices: async () => openServices(await readConfig(), clock),
    glance: async (work) => glance(await readConfig(), work),
    openLinotpSource,
    serve: async () => {
      const { serve } = await import('./server.ts');
      const { config, file } = await load();
      await serve(config, file?.warnings);
    },
    ...configurationReports(parameters, load),
    migrate: async (caller) => {
      const config = await readConfig();
      const { migrate } = await import('./open-database.ts');
      const act = actOf(caller, 'migrate');
      return untilSignal(async (giveUp) => ({
        applied: await migrate(config, commandLog(config), act, giveUp),
      }));
    },
    examine: async () => {
      const config = await readConfig();
      const { examineInstallation } = await import('./examine-installation.ts');
      const report = await untilSignal((giveUp) => examineInstallation(config, { giveUp }));
      // A check that was given up may still hang in the database or a resolver.
      endSoon();
      return report;
    },
    restore: async (caller, request) => {
      const config = await readConfig();
      const { restoreBackup } = await import('./restore-backup.ts');
      return untilSignal((giveUp) => restoreBackup(config, commandLog(config), caller, request, giveUp));
    },
    startDemoServer: async (options) => {
      const { startDemoServer } = await import('./server.ts');
      return startDemoServer(await readConfig(), options);
    },
    watchSignals: () => watchSignals(),
    endSoon,
    settings: async () => settingsOf(await readConfig()),
    io,
    fetch: async (...request) => (await import('../cli/plain-fetch.ts')).plainFetch(...request),
    clock,
    random: systemRandom,
    version: packageVersion(),
    osUser: osUser(),
    homeFolder: homedir(),
  };
}

async function settingsOf(config: Config): ReturnType<CliDependencies['settings']> {
  const { baseUrlOf } = await import('../config/config.ts');
  const { port, databaseUrl, logLevel } = config;
  return {
    port,
    baseUrl: baseUrlOf(config, port),
    databaseConfigured: databaseUrl !== undefined,
    debug: logLevel === 'debug',
  };
}

function configurationReports(
  parameters: readonly string[],
  loading: () => Promise<LoadedConfiguration>,
): Pick<CliDependencies, 'describeConfig' | 'checkConfig'> {
  return {
    describeConfig: async () => {
      const { describeConfig } = await import('../config/config-report.ts');
      return describeConfig(undefined, (await loading()).file);
    },
    checkConfig: async (file) => {
      const { checkConfig } = await import('../config/config-report.ts');
      return checkConfig(file ?? (await configPath(parameters)));
    },
  };
}

/** The configuration, and the file that a part of it comes from. */
interface LoadedConfiguration {
  readonly config: Config;
  readonly file: ConfigFile | undefined;
}

/** @throws ServiceError 'configuration.invalid' */
async function loadConfiguration(parameters: readonly string[]): Promise<LoadedConfiguration> {
  const path = await configPath(parameters);
  const { loadConfig } = await import('../config/config.ts');
  if (path === undefined) {
    return { config: loadConfig(), file: undefined };
  }
  const { readConfigFile } = await import('../config/config-file.ts');
  const file = await readConfigFile(path);
  return { config: loadConfig(undefined, file), file };
}

/** @returns the value of --config, else of TANKEEPER_CONFIG; undefined: there is no file */
async function configPath(parameters: readonly string[]): Promise<string | undefined> {
  // The last one applies, as of any option.
  const index = parameters.findLastIndex((word) => word === '--config' || word.startsWith('--config='));
  const option = parameters[index];
  const path = option === '--config' ? parameters[index + 1] : option?.slice('--config='.length);
  if (path !== undefined) {
    return path;
  }
  const { configFileVariable } = await import('../config/config-file.ts');
  return configFileVariable();
}

/** @returns a log of warnings and errors only: the result of the command is what its user waits for */
function commandLog({ logLevel }: Config): Log {
  return plainLog({
    level: logLevel === 'info' ? 'warn' : logLevel,
    write: (text) => process.stderr.write(text),
  });
}

/** Opens the installation for one command. Its signals are watched until `close`. */
async function openServices(
  config: Config,
  clock: DatabaseClock,
): ReturnType<CliDependencies['openServices']> {
  const { openInstallation } = await import('./open-installation.ts');
  const log = commandLog(config);
  const signals = watchSignals();
  try {
    const giveUp = signals.requested;
    const { services, close } = await openInstallation(config, 'command', log, { clock, giveUp });
    return {
      ...services,
      interrupted: giveUp,
      close: () =>
        close().finally(() => {
          leave(signals);
        }),
    };
  } catch (error) {
    leave(signals);
    throw error;
  }
}

/** The longest time of a completion in the shell, in milliseconds. */
const COMPLETION_TIMEOUT_MS = 1_800;

/** Never waits longer, prints nothing, and starts no database. */
async function glance<T>(config: Config, work: (services: Services) => Promise<T>): Promise<T | undefined> {
  const limit = AbortSignal.timeout(COMPLETION_TIMEOUT_MS);
  // What is still under way then must not keep the process.
  setTimeout(() => process.exit(), COMPLETION_TIMEOUT_MS + 200).unref();
  const openAndWork = async (): Promise<T> => {
    const { openInstallation } = await import('./open-installation.ts');
    const log = plainLog({ level: 'error', write: () => undefined });
    const { services, close } = await openInstallation(config, 'command', log, {
      giveUp: limit,
      joinsOnly: true,
    });
    return work(services).finally(close);
  };
  return unlessAborted(openAndWork(), limit).catch(() => undefined);
}

/** @param work ends when its signal is aborted, which the signals of the process do */
async function untilSignal<T>(work: (giveUp: AbortSignal) => Promise<T>): Promise<T> {
  const signals = watchSignals();
  try {
    return await work(signals.requested);
  } finally {
    leave(signals);
  }
}

async function openLinotpSource(place: string): Promise<LinotpSource> {
  const opening = await import('../linotp/sources/open-source.ts');
  return opening.openLinotpSource(place);
}

function endSoon(): void {
  setTimeout(() => process.exit(), 500).unref();
}

/** Releases the signals. After aborted work, exits even if a statement still hangs in the database. */
function leave({ requested, release }: WatchedSignals): void {
  release();
  if (requested.aborted) {
    endSoon();
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
