import type { SocketConnection } from '../../../src/database/pool.ts';

/** @returns the embedded server's connection as a postgres:// URL, for instance for a child process's DATABASE_URL */
export function embeddedUrl({ host, port, user, database }: SocketConnection): string {
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}
