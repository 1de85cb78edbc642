import { once } from 'node:events';
import { createServer } from 'node:net';

// Below those that the system gives to outgoing connections: a node that is down must find its ports free again.
const MIN_PORT = 17_000;
const MAX_PORT = 31_000;

/** @returns that many ports of 127.0.0.1 on which nobody listens */
export async function findPorts(count: number): Promise<readonly number[]> {
  const found: number[] = [];
  let candidate = MIN_PORT + Math.floor(Math.random() * (MAX_PORT - MIN_PORT));
  while (found.length < count) {
    candidate = candidate >= MAX_PORT ? MIN_PORT : candidate + 1;
    if (await isFree(candidate)) {
      found.push(candidate);
    }
  }
  return found;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
