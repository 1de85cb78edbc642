import { appendFile, chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DemoServer, DemoServerOptions, startDemoServer } from '../../compose/server.ts';
import { isServiceError } from '../../kernel/errors.ts';
import { type StopRequest, untilAborted } from '../../kernel/stop-request.ts';
import { safeLines } from '../../kernel/text.ts';
import { type DemoPlan, demoPlan, TOUR_USER, seedDemo } from './demo-content.ts';
import { randomActivationCode } from '../../ocra/key-derivation.ts';
import { type CommandContext, operatorCaller } from '../command-context.ts';
import { formatDeviceState } from '../device/device-file.ts';
import { findFreePort } from './free-port.ts';
import { drivePortal } from './portal.ts';
import { curlLine, shellWord, Tour, tourSteps } from './tour.ts';

/** The options of `tankeeper demo`. */
export interface DemoOptions {
  readonly exit?: true;
  /** Runs the example portal instead of the tour. */
  readonly portal?: true;
  readonly port?: number;
}

/** A demo whose server runs. */
interface RunningDemo {
  readonly server: DemoServer;
  readonly folder: string;
  readonly logFile: string;
  /** Aborted by a signal to end the demo. */
  readonly requested: AbortSignal;
  readonly exit: boolean;
}

const LOG_LINES_SHOWN = 20;
const MAX_STARTS = 5;

/** Runs the demo, and removes its processes and its folder in any case. @param start starts its server */
export async function runDemo(
  context: CommandContext,
  options: DemoOptions,
  start: typeof startDemoServer,
  { requested, urgent }: StopRequest,
): Promise<void> {
  const { io } = context.dependencies;
  const folder = await mkdtemp(join(tmpdir(), 'tankeeper-demo-'));
  const logFile = join(folder, 'server.log');
  try {
    // Root's PostgreSQL runs as another account, which must be able to pass the folder. Its name is random.
    await chmod(folder, 0o711);
    await appendFile(logFile, '', { mode: 0o600 });
    const server = await startServer(context, start, options.port, { folder, logFile, giveUp: requested });
    try {
      const exit = options.exit === true;
      await (options.portal === true
        ? drivePortal(context.dependencies, server, requested, exit)
        : driveTour(context, { server, folder, logFile, requested, exit }));
    } finally {
      await server.stop(urgent);
    }
  } catch (error) {
    if (error !== requested.reason) {
      io.stderr.write(await lastLogLines(logFile));
      throw error;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  io.stdout.write('\nThe demo is over; its server and its database are gone.\n');
  urgent.throwIfAborted();
}

/** Starts the server; tries the next free port if another program takes the port during the start. */
async function startServer(
  context: CommandContext,
  start: typeof startDemoServer,
  first: number | undefined,
  place: Omit<DemoServerOptions, 'port'>,
): Promise<DemoServer> {
  const config = await context.configuration();
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort(first ?? config.port);
    try {
      return await start(config, { port, ...place });
    } catch (error) {
      if (attempt === MAX_STARTS || !isServiceError(error, 'address.unavailable')) {
        throw error;
      }
    }
  }
}

async function driveTour(context: CommandContext, demo: RunningDemo): Promise<void> {
  const deviceFile = join(demo.folder, 'device.json');
  const tour = giveTour(context, demo, deviceFile);
  const outcome = await Promise.race([tour.then(() => 'done' as const), untilAborted(demo.requested)]);
  if (outcome === 'done' && !demo.exit) {
    context.dependencies.io.stdout.write(nextSteps(demo.server, deviceFile));
    await untilAborted(demo.requested);
  }
  // The interrupted tour fails at its next request, which is ignored.
  tour.catch(() => undefined);
}

async function giveTour(context: CommandContext, demo: RunningDemo, deviceFile: string): Promise<void> {
  const { dependencies } = context;
  const { io, random } = dependencies;
  const { databaseUrl } = await context.configuration();
  const plan = demoPlan();
  const started = performance.now();
  await seedDemo(demo.server, operatorCaller(dependencies), plan, random);
  const seconds = (performance.now() - started) / 1000;
  io.stdout.write(introduction(demo, plan, seconds, databaseUrl !== undefined));
  const activationCode = randomActivationCode(random);
  const tour = new Tour(dependencies, demo.server, activationCode);
  const steps = tourSteps(activationCode);
  await tour.take(steps);
  await writeFile(deviceFile, formatDeviceState(tour.app), { mode: 0o600 });
  io.stdout.write(`\nAll ${steps.length} steps gave the answers that they should.\n`);
}

/**
 * @param seconds the time that filling the database took
 * @returns the text before the first step
 */
function introduction(
  { server, folder, logFile }: RunningDemo,
  { realms, tokens }: DemoPlan,
  seconds: number,
  databaseConfigured: boolean,
): string {
  const users = realms.reduce((sum, { logins }) => sum + logins.length, 0);
  const lines = [
    ['server', server.baseUrl],
    ['database', `embedded, fresh, in ${folder}; goes when the demo ends`],
    ...(databaseConfigured ? [['', 'DATABASE_URL is set; the demo leaves that database alone']] : []),
    ['log', logFile],
    ['login', `admin with the throw-away password ${server.adminPassword}`],
    ['filled', `${realms.length} realms, ${users} users, ${tokens.length} tokens in ${seconds.toFixed(1)} s`],
  ];
  return [
    'A tour of tankeeper over real HTTP. Each line that begins with $ can be pasted into a shell while the demo runs.',
    '',
    ...lines.map(([name = '', text = '']) => `  ${name.padEnd(10)}${text}`),
    '',
  ].join('\n');
}

/**
 * @param deviceFile the file of the token of the tour's virtual app
 * @returns the text after the last step
 */
function nextSteps(
  { baseUrl, adminPassword }: Pick<DemoServer, 'baseUrl' | 'adminPassword'>,
  deviceFile: string,
): string {
  const curl = (method: 'GET' | 'POST', path: string, parameters: Readonly<Record<string, string>>): string =>
    curlLine({ method, path, parameters, asAdministrator: true }, baseUrl, adminPassword);
  const user = { user: TOUR_USER.login, realm: TOUR_USER.realm };
  const init = { type: 'ocra', genkey: '1', sharedsecret: '1', user: 'anna', realm: 'office' };
  const suggestions = [
    [
      `a challenge, which the app of ${TOUR_USER.login} reads and answers`,
      `${curl('POST', '/ocra/request', { ...user, data: 'Hello' })} | node -p 'JSON.parse(fs.readFileSync(0)).detail.data' | node bin/tankeeper.js device scan --state ${shellWord(deviceFile)} --url-file - --send`,
    ],
    ['what became of it', curl('GET', '/ocra/checkstatus', user)],
    [
      'tokens of one realm, and how many are switched off',
      curl('GET', '/monitoring/tokens', { realms: 'bank', status: 'inactive' }),
    ],
    ['a roll-out of your own: the app reads app_import', curl('POST', '/admin/init', init)],
  ];
  return [
    '',
    'The server is still running. Open its console in a browser:',
    '',
    `  ${baseUrl}/console/  admin, password ${adminPassword}`,
    '',
    'Try next:',
    '',
    ...suggestions.flatMap(([what = '', line = '']) => [`  # ${what}`, `  ${line}`]),
    '',
    'Ctrl-C ends the demo and removes all that it made.',
    '',
  ].join('\n');
}

async function lastLogLines(logFile: string): Promise<string> {
  const log = await readFile(logFile, 'utf8').catch(() => '');
  const lines = log.trimEnd().split('\n').slice(-LOG_LINES_SHOWN).join('\n');
  return lines === '' ? '' : `The server's log ends with:\n${safeLines(lines)}\n`;
}
