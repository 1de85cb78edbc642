import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CliFailure } from '../cli-failure.ts';
import { operatorCaller } from '../command-context.ts';
import { findFreePort } from './free-port.ts';
import type { DemoServer } from '../../compose/server.ts';
import type { CliDependencies } from '../dependencies.ts';
import type { Random } from '../../kernel/clock.ts';
import { untilAborted } from '../../kernel/stop-request.ts';
import { safeLines } from '../../kernel/text.ts';
import type { Caller } from '../../policy/caller.ts';
import type { Services } from '../../services.ts';

/** Runs the example portal beside the demo's server until a signal ends both. */
export async function drivePortal(
  dependencies: CliDependencies,
  server: DemoServer,
  requested: AbortSignal,
  exit: boolean,
): Promise<void> {
  const { io, random } = dependencies;
  const port = Number(new URL(server.baseUrl).port);
  // Passkeys work on names of hosts only, not on addresses.
  const publicUrl = `http://localhost:${port}`;
  const { apiToken, passwords } = await seedPortal(server.services, operatorCaller(dependencies), {
    publicUrl,
    random,
  });
  const portal = await startPortal(
    {
      TANKEEPER_URL: server.baseUrl,
      TANKEEPER_TOKEN: apiToken,
      APP_URL: `${publicUrl}/app/`,
      PORTAL_USERS: [...passwords].map((entry) => entry.join(':')).join(','),
    },
    port + 1,
    requested,
  );
  try {
    io.stdout.write(portalText(portal.url, `${publicUrl}/app/`, passwords));
    if (!exit) {
      await Promise.race([untilAborted(requested), portal.ended]);
      if (!requested.aborted) {
        throw new CliFailure(`the portal ended:\n${safeLines(portal.output())}`);
      }
    }
  } finally {
    portal.child.kill('SIGTERM');
    await portal.ended;
  }
}

function portalText(portal: string, app: string, passwords: PortalAccess['passwords']): string {
  const logins = [...passwords].map(([login, password]) => `${login}, password ${password}`);
  return `An example portal, and the QR-TAN app. Open both in a browser:

  portal  ${portal}
  log in  ${logins.join('\n          ')}
  app     ${app}

The portal rolls the app out, then pays 120 EUR to Bert. The code can be scanned, or opened by the link below it.
Phones need https: docs/guides/qr-app.md

Ctrl-C ends the demo and removes all that it made.
`;
}

const PROGRAM = fileURLToPath(new URL('../../../examples/portal/server.js', import.meta.url));
const COMPONENT = fileURLToPath(
  new URL('../../../dist/app/component/tankeeper-challenge.js', import.meta.url),
);
const MAX_STARTS = 5;

/** The example portal as a process of its own, as an integrator would run it. */
interface PortalProcess {
  readonly child: ChildProcess;
  /** With a slash at its end; undefined: it has ended before it served. */
  readonly url: string | undefined;
  readonly ended: Promise<undefined>;
  readonly output: () => string;
}

/**
 * Starts the example portal.
 * @param environment the variables of examples/portal/server.js, without PORT
 * @param firstPort the port at which the search for a free one begins
 * @param giveUp its reason is thrown if it is aborted before the portal has started
 * @throws CliFailure if its files are missing, or with its output if it does not start
 */
async function startPortal(
  environment: Readonly<Record<string, string>>,
  firstPort: number,
  giveUp: AbortSignal,
): Promise<PortalProcess & { readonly url: string }> {
  for (const file of [PROGRAM, COMPONENT]) {
    if (!existsSync(file)) {
      throw new CliFailure(`${file} is missing: the portal needs a checkout, built by npm run build`);
    }
  }
  for (let start = 1; ; start += 1) {
    const port = await findFreePort(firstPort);
    const { url, ...started } = await launch({ ...environment, PORT: String(port) });
    if (url !== undefined) {
      return { url, ...started };
    }
    // A terminal sends Ctrl-C to the portal, too.
    giveUp.throwIfAborted();
    // Another program may have taken the port during the start.
    if (start === MAX_STARTS || (await findFreePort(port)) === port) {
      throw new CliFailure(`the portal did not start:\n${safeLines(started.output())}`);
    }
  }
}

async function launch(environment: Readonly<Record<string, string>>): Promise<PortalProcess> {
  const child = spawn(process.execPath, [PROGRAM], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const pieces: string[] = [];
  child.stderr.on('data', (piece: Buffer) => {
    pieces.push(piece.toString('utf8'));
  });
  const ended = once(child, 'close').then(() => undefined);
  const url = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      pieces.push(`${line}\n`);
      const [, found] = /^portal: (http\S+)$/.exec(line) ?? [];
      if (found !== undefined) {
        resolve(found);
      }
    });
  });
  return { child, ended, url: await Promise.race([url, ended]), output: () => pieces.join('') };
}

const REALM = { name: 'bank', resolver: 'customers' };
/** The customers of the portal. */
const LOGINS = ['ada', 'emma'] as const;
/** The rights of the portal: roll-out, challenges and their state, and no more. */
const RIGHTS = ['admin:init', 'admin:show', 'ocra:request', 'ocra:status', 'ocra:activationcode'];
const PASSWORD_BYTES = 6;

type SeededServices = Pick<Services, 'administrators' | 'policies' | 'realms' | 'resolvers' | 'users'>;

/** The settings of the portal. */
interface PortalAccess {
  readonly apiToken: string;
  /** Throw-away passwords by login; the first is the one that the demo shows. */
  readonly passwords: ReadonlyMap<string, string>;
}

/**
 * Creates what an installation with a portal has: users in a realm, the policy with the destination of responses, and
 * an administrator for the portal with an API token.
 * @param publicUrl the address at which browsers find the server, without a slash at its end
 */
export async function seedPortal(
  { administrators, policies, realms, resolvers, users }: SeededServices,
  caller: Caller,
  { publicUrl, random }: { readonly publicUrl: string; readonly random: Random },
): Promise<PortalAccess> {
  const secret = (): string => random.bytes(PASSWORD_BYTES).toString('hex');
  await resolvers.set(caller, { name: REALM.resolver, kind: 'managed', settings: {} });
  await realms.set(caller, { name: REALM.name, resolvers: [REALM.resolver] });
  for (const login of LOGINS) {
    await users.add(caller, {
      resolver: REALM.resolver,
      login,
      givenName: login,
      surname: 'Demo',
      email: `${login}@example.org`,
      phone: '',
    });
  }
  await policies.set(caller, {
    name: 'demo-qrtanurl',
    scope: 'authentication',
    action: `qrtanurl=${publicUrl}/ocra/check_t`,
    realm: '*',
    user: '*',
  });
  await administrators.add(caller, 'portal', secret() + secret());
  const { token } = await administrators.addApiToken(caller, 'portal', { name: 'demo', rights: RIGHTS });
  return { apiToken: token, passwords: new Map(LOGINS.map((login) => [login, secret()])) };
}
