import { once } from 'node:events';
import { createServer } from 'node:net';
import { CliFailure } from '../cli-failure.ts';

const MAX_ATTEMPTS = 100;
const MAX_PORT = 65_535;

/**
 * @returns the first free port of 127.0.0.1 from `first` on
 * @throws CliFailure if all are taken
 */
export async function findFreePort(first: number): Promise<number> {
  for (let port = first; port < first + MAX_ATTEMPTS && port <= MAX_PORT; port += 1) {
    if (await isFree(port)) {
      return port;
    }
  }
  throw new CliFailure(`there is no free port from ${first} on; give another one with --port`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  await once(server.close(), 'close');
  return true;
}
