import type { EmbeddedConnection } from '../../../src/embedded-postgres/postmaster.ts';

/** @returns the embedded server's connection as a postgres:// URL, for instance for a child process's DATABASE_URL */
export function embeddedUrl({ host, port, user, database }: EmbeddedConnection): string {
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}
