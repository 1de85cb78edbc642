import { homedir, userInfo } from 'node:os';
import { actOf } from '../policy/caller.ts';
import type { CliDependencies } from '../cli/dependencies.ts';
import { terminalIo } from '../cli/terminal-io.ts';
import { loadConfig } from '../config/config.ts';
import { describeConfig } from '../config/describe-config.ts';
import { systemClock, systemRandom } from '../kernel/clock.ts';
import { createLogger } from '../observability/logger.ts';
import { packageVersion } from './package-version.ts';
import { type WatchedSignals, watchSignals } from './signals.ts';

/**
 * What a command does not use is not even loaded: HTTP and database libraries take longer than most commands do.
 * @returns all that the command line needs
 * @throws ServiceError 'configuration.invalid' when the environment is wrong
 */
export function commandLineDependencies(): CliDependencies {
  const config = loadConfig();
  const io = terminalIo();
  // Commands are quiet: what is worth knowing beside their output goes to standard error.
  const commandLog = createLogger({
    level: config.logLevel === 'info' ? 'warn' : config.logLevel,
    format: config.logFormat,
    stream: process.stderr,
    clock: systemClock,
  });
  return {
    openServices: async () => {
      const { openInstallation } = await import('./open-installation.ts');
      const signals = watchSignals();
      try {
        const giveUp = signals.requested;
        const { services, close } = await openInstallation(config, 'guest', commandLog, { giveUp });
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
    },
    serve: async () => {
      const { serve } = await import('./serve.ts');
      await serve(config);
    },
    describeConfig: () => describeConfig(),
    migrate: async (caller) => {
      const { migrate } = await import('./open-installation.ts');
      const signals = watchSignals();
      try {
        return { applied: await migrate(config, commandLog, actOf(caller, 'migrate'), signals.requested) };
      } finally {
        leave(signals);
      }
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
    fetch,
    clock: systemClock,
    random: systemRandom,
    version: packageVersion(),
    osUser: osUser(),
    homeFolder: homedir(),
  };
}

/** The end of what signals had to wait for. Where work was given up, what still hangs in the database keeps the process. */
function leave({ requested, release }: WatchedSignals): void {
  release();
  if (requested.aborted) {
    setTimeout(() => process.exit(), 500).unref();
  }
}

/** Some containers run under an id that has no name. */
function osUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
