import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type PortalProcess, startPortal } from '../../../src/cli/demo/portal-process.ts';
import { processesOf } from '../../support/servers/processes-of.ts';

const PORT = 46_001;

let started: PortalProcess | undefined;

/** @returns what the portal needs, and a mark to find its process by */
function environment(): Record<string, string> {
  return {
    TANKEEPER_URL: 'http://127.0.0.1:1',
    TANKEEPER_TOKEN: `token-${randomUUID()}`,
    APP_URL: 'http://localhost:5001/app/',
    PORTAL_USERS: 'ada:password',
  };
}

afterEach(async () => {
  await started?.stop();
  started = undefined;
});

describe('the process of the example portal', () => {
  it('answers once it is started, and no more once it is stopped', async () => {
    const given = environment();
    const portal = await startPortal(given, PORT);
    expect((await fetch(portal.url)).status).toBe(200);
    expect(processesOf(given.TANKEEPER_TOKEN ?? '')).toHaveLength(1);
    await portal.stop();
    expect(processesOf(given.TANKEEPER_TOKEN ?? '')).toEqual([]);
    await expect(fetch(portal.url)).rejects.toThrow('fetch failed');
  });

  it('takes the next free port', async () => {
    const neighbour = createServer();
    await new Promise<void>((resolve) => neighbour.listen(0, '127.0.0.1', resolve));
    const { port } = neighbour.address() as AddressInfo;
    started = await startPortal(environment(), port);
    expect(Number(new URL(started.url).port)).toBeGreaterThan(port);
    neighbour.close();
  });

  it('says why it does not start', async () => {
    await expect(startPortal({ ...environment(), TANKEEPER_TOKEN: '' }, PORT)).rejects.toThrow(
      'the portal did not start:\nportal: TANKEEPER_TOKEN is missing',
    );
  });

  it('is missed when it ends by itself', async () => {
    const given = environment();
    const portal = await startPortal(given, PORT);
    const [{ pid } = { pid: 0 }] = processesOf(given.TANKEEPER_TOKEN ?? '');
    process.kill(pid, 'SIGKILL');
    await expect(portal.failed).rejects.toThrow('the portal ended:\nportal: http://localhost:');
    await portal.stop();
  });
});
