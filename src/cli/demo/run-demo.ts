import { appendFile, chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operatorCaller } from '../command-context.ts';
import type { CliDependencies } from '../dependencies.ts';
import { formatDeviceState } from '../device/device-file.ts';
import { isServiceError } from '../../kernel/errors.ts';
import { untilAborted } from '../../kernel/stop-request.ts';
import { safeLines } from '../../kernel/terminal-text.ts';
import { tourChallenge } from './challenge-tour.ts';
import { DemoGuide } from './demo-guide.ts';
import { type DemoPlan, demoPlan, TOUR_USER } from './demo-plan.ts';
import { seedDemo } from './demo-seed.ts';
import type { DemoServer, DemoServerOptions } from './demo-server.ts';
import { findFreePort } from './free-port.ts';
import { tourMonitoring } from './monitoring-tour.ts';
import { tourRollOut } from './roll-out-tour.ts';
import { drivePortal } from './portal-demo.ts';
import type { RunningDemo } from './running-demo.ts';
import { introduction, nextSteps } from './demo-text.ts';

/** The options of `tankeeper demo`. */
export interface DemoOptions {
  readonly exit?: true;
  /** Runs the example portal instead of the tour. */
  readonly portal?: true;
  readonly port?: number;
}

const LOG_LINES_SHOWN = 20;
const MAX_STARTS = 5;

/** Runs the demo, and removes its processes and its folder in any case. */
export async function runDemo(dependencies: CliDependencies, options: DemoOptions): Promise<void> {
  const { requested, urgent } = dependencies.watchSignals();
  const folder = await mkdtemp(join(tmpdir(), 'tankeeper-demo-'));
  const logFile = join(folder, 'server.log');
  try {
    // Root's PostgreSQL runs as another account, which must be able to pass the folder. Its name is random.
    await chmod(folder, 0o711);
    await appendFile(logFile, '', { mode: 0o600 });
    const place = { folder, logFile, giveUp: requested };
    const server = await startServer(
      dependencies,
      options.port ?? (await dependencies.settings()).port,
      place,
    );
    try {
      const deviceFile = join(folder, 'device.json');
      const exit = options.exit === true;
      const drive = options.portal === true ? drivePortal : driveDemo;
      await drive(dependencies, { server, folder, logFile, deviceFile, requested, exit });
    } finally {
      await server.stop(urgent);
    }
  } catch (error) {
    if (error !== requested.reason) {
      dependencies.io.stderr.write(await lastLogLines(logFile));
      throw error;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  dependencies.io.stdout.write('\nThe demo is over; its server and its database are gone.\n');
  urgent.throwIfAborted();
}

/** Starts the server; tries the next free port if another program takes the port during the start. */
async function startServer(
  dependencies: CliDependencies,
  first: number,
  place: Omit<DemoServerOptions, 'port'>,
): Promise<DemoServer> {
  for (let start = 1; ; start += 1) {
    const port = await findFreePort(first);
    try {
      return await dependencies.startDemoServer({ port, ...place });
    } catch (error) {
      if (start === MAX_STARTS || !isServiceError(error, 'address.unavailable')) {
        throw error;
      }
    }
  }
}

async function driveDemo(dependencies: CliDependencies, demo: RunningDemo): Promise<void> {
  const { io } = dependencies;
  const tour = giveTour(dependencies, demo);
  const outcome = await Promise.race([tour.then(() => 'done' as const), untilAborted(demo.requested)]);
  if (outcome === 'done' && !demo.exit) {
    io.stdout.write(nextSteps(demo.server, demo.deviceFile));
    await untilAborted(demo.requested);
  }
  // The interrupted tour fails at its next request, which is ignored.
  tour.catch(() => undefined);
}

async function giveTour(dependencies: CliDependencies, demo: RunningDemo): Promise<void> {
  const { io, fetch, clock, random } = dependencies;
  const { databaseConfigured } = await dependencies.settings();
  const { server } = demo;
  const plan = demoPlan();
  const started = performance.now();
  await seedDemo(server, operatorCaller(dependencies), plan, random);
  const seconds = (performance.now() - started) / 1000;
  io.stdout.write(introduction({ ...demo, plan, seconds, databaseConfigured }));
  const guide = new DemoGuide(io, fetch, server);
  const rolledOut = await tourRollOut(guide, { clock, random });
  await tourChallenge(guide, rolledOut, io);
  await tourMonitoring(guide, withTourToken(plan, rolledOut.serial));
  await writeFile(demo.deviceFile, formatDeviceState(rolledOut.phone.state), { mode: 0o600 });
  io.stdout.write(`\nAll ${guide.steps} steps gave the answers that they should.\n`);
}

/** The tour rolls out one token more. */
function withTourToken(plan: DemoPlan, serial: string): DemoPlan {
  const token = { serial, owner: TOUR_USER, realms: [TOUR_USER.realm], active: true };
  return { ...plan, tokens: [...plan.tokens, token] };
}

async function lastLogLines(logFile: string): Promise<string> {
  const log = await readFile(logFile, 'utf8').catch(() => '');
  const lines = log.trimEnd().split('\n').slice(-LOG_LINES_SHOWN).join('\n');
  return lines === '' ? '' : `The server's log ends with:\n${safeLines(lines)}\n`;
}
