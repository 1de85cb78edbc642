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

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen(port, '127.0.0.1', () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}
