import { untilAborted } from '../../kernel/stop-request.ts';
import { operatorCaller } from '../command-context.ts';
import type { CliDependencies } from '../dependencies.ts';
import { seedPortal } from './portal-plan.ts';
import { startPortal } from './portal-process.ts';
import type { RunningDemo } from './running-demo.ts';

/** Runs the example portal beside the demo's server until a signal ends both. */
export async function drivePortal(
  dependencies: CliDependencies,
  { server, requested, exit }: RunningDemo,
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
    io.stdout.write(portalText({ portal: portal.url, app: `${publicUrl}/app/`, passwords }));
    if (!exit) {
      await Promise.race([untilAborted(requested), portal.failed]);
    }
  } finally {
    await portal.stop();
  }
}

interface PortalText {
  readonly portal: string;
  readonly app: string;
  readonly passwords: ReadonlyMap<string, string>;
}

function portalText({ portal, app, passwords }: PortalText): string {
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
