import { homedir, userInfo } from 'node:os';
import { actOf } from '../policy/caller.ts';
import type { CliDependencies } from '../cli/dependencies.ts';
import { runProgram } from '../cli/program.ts';
import { terminalIo } from '../cli/terminal-io.ts';
import { type Config, loadConfig } from '../config/config.ts';
import { checkConfig } from '../config/check-config.ts';
import { configFileVariable, readConfigFile } from '../config/config-file.ts';
import { describeConfig } from '../config/describe-config.ts';
import { systemClock } from '../kernel/clock.ts';
import { systemRandom } from '../kernel/system-random.ts';
import { isServiceError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { LinotpSource } from '../linotp/ports.ts';
import { createLogger } from '../observability/logger.ts';
import {
  boundHeapGrowth,
  closeLostTerminals,
  packageVersion,
  type WatchedSignals,
  watchSignals,
} from './process.ts';

/**
 * Runs the `tankeeper` command.
 * @param parameters the command line without the program's own name
 * @returns the exit code
 */
export async function run(parameters: readonly string[]): Promise<number> {
  closeLostTerminals();
  boundHeapGrowth(100);
  try {
    return await runProgram(parameters, await commandLineDependencies(parameters));
  } catch (error) {
    if (!isServiceError(error)) {
      throw error;
    }
    process.stderr.write(`${error.message.replace(/^/gm, 'tankeeper: ')}\n`);
    // To a script that runs the doctor, 1 would mean warnings.
    return parameters.find((word) => !word.startsWith('-')) === 'doctor' ? 2 : 1;
  }
}

/**
 * Loads the HTTP and database libraries only in the functions that use them: loading takes longer than most commands.
 * @throws ServiceError 'configuration.invalid' if the environment is wrong
 */
async function commandLineDependencies(parameters: readonly string[]): Promise<CliDependencies> {
  const path = configPath(parameters);
  const checksOnly = isConfigCheck(parameters);
  const file = path === undefined || checksOnly ? undefined : await readConfigFile(path);
  // The check itself reports what is wrong.
  const config = checksOnly ? loadConfig({}) : loadConfig(undefined, file);
  const io = terminalIo();
  // Only warnings and errors: standard output holds the result of the command.
  const commandLog = createLogger({
    level: config.logLevel === 'info' ? 'warn' : config.logLevel,
    format: config.logFormat,
    stream: process.stderr,
    clock: systemClock,
  });
  return {
    openServices: () => openServices(config, commandLog),
    openLinotpSource,
    serve: async () => {
      const { serve } = await import('./serve.ts');
      await serve(config, file?.warnings);
    },
    describeConfig: () => describeConfig(undefined, file),
    checkConfig: (given) => checkConfig(given ?? path),
    migrate: async (caller) => {
      const { migrate } = await import('./database-schema.ts');
      const act = actOf(caller, 'migrate');
      return untilSignal(async (giveUp) => ({ applied: await migrate(config, commandLog, act, giveUp) }));
    },
    examine: async () => {
      const { examineInstallation } = await import('./doctor/examine-installation.ts');
      const report = await untilSignal((giveUp) => examineInstallation(config, { giveUp }));
      // A check that was given up may still hang in the database or a resolver.
      setTimeout(() => process.exit(), 500).unref();
      return report;
    },
    restore: async (caller, request) => {
      const { restoreBackup } = await import('./restore-backup.ts');
      return untilSignal((giveUp) => restoreBackup(config, commandLog, caller, request, giveUp));
    },
    startDemoServer: async (options) => {
      const { startDemoServer } = await import('./demo-server.ts');
      return startDemoServer(config, options);
    },
    watchSignals: () => watchSignals(),
    port: config.port,
    databaseConfigured: config.databaseUrl !== undefined,
    debug: config.logLevel === 'debug',
    io,
    // Not `fetch` itself: its mere mention loads Node's HTTP client.
    fetch: (...request) => fetch(...request),
    clock: systemClock,
    random: systemRandom,
    version: packageVersion(),
    osUser: osUser(),
    homeFolder: homedir(),
  };
}

/** @returns the value of --config, which the whole configuration depends on, or TANKEEPER_CONFIG; undefined: no file */
function configPath(parameters: readonly string[]): string | undefined {
  const index = parameters.findIndex((word) => word === '--config' || word.startsWith('--config='));
  const option = parameters[index];
  const given = option === '--config' ? parameters[index + 1] : option?.slice('--config='.length);
  return given ?? configFileVariable();
}

function isConfigCheck(parameters: readonly string[]): boolean {
  const index = parameters.indexOf('config');
  return index >= 0 && parameters[index + 1] === 'check';
}

/** Opens the installation for one command. Its signals are watched until `close`. */
async function openServices(config: Config, log: Log): ReturnType<CliDependencies['openServices']> {
  const { openInstallation } = await import('./open-installation.ts');
  const signals = watchSignals();
  try {
    const giveUp = signals.requested;
    const { services, close } = await openInstallation(config, 'guest', log, { giveUp });
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

/** Releases the signals. After aborted work, exits even if a statement still hangs in the database. */
function leave({ requested, release }: WatchedSignals): void {
  release();
  if (requested.aborted) {
    setTimeout(() => process.exit(), 500).unref();
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
