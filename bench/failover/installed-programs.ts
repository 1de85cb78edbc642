import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const DEBIAN_POSTGRES = '/usr/lib/postgresql';
const FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
const PACKAGES = 'patroni etcd-server haproxy postgresql';

/** The programs of a failover cluster, each by its path. */
export interface InstalledPrograms {
  readonly patroni: string;
  readonly etcd: string;
  readonly haproxy: string;
  /** The folder of initdb, postgres and pg_rewind. */
  readonly postgresFolder: string;
  /** `PostgreSQL 15.18, Patroni 3.0.2, etcd 3.4.23, HAProxy 2.6.12` */
  readonly versions: string;
}

/** @throws naming what is missing, and the packages that bring it */
export function findPrograms(): InstalledPrograms {
  const postgresFolder = newestPostgres();
  const [patroni, etcd, haproxy] = ['patroni', 'etcd', 'haproxy'].map((name) =>
    FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path)),
  );
  if (!patroni || !etcd || !haproxy || postgresFolder === undefined) {
    const found = { patroni, etcd, haproxy, postgresql: postgresFolder };
    const missing = Object.entries(found).flatMap(([name, path]) => (path === undefined ? [name] : []));
    throw new Error(
      `Missing: ${missing.join(', ')}. Debian's packages: ${PACKAGES} (see bench/failover/README.md)`,
    );
  }
  const versions = [
    `PostgreSQL ${versionOf(join(postgresFolder, 'postgres'), '--version')}`,
    `Patroni ${versionOf(patroni, '--version')}`,
    `etcd ${versionOf(etcd, '--version')}`,
    `HAProxy ${versionOf(haproxy, '-v')}`,
  ].join(', ');
  return { patroni, etcd, haproxy, postgresFolder, versions };
}

function newestPostgres(): string | undefined {
  const majors = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES).map(Number) : [];
  return majors
    .filter((major) => major >= 14)
    .toSorted((one, other) => other - one)
    .map((major) => join(DEBIAN_POSTGRES, String(major), 'bin'))
    .find((folder) => ['initdb', 'postgres', 'pg_rewind'].every((name) => existsSync(join(folder, name))));
}

function versionOf(program: string, option: string): string {
  const { stdout } = spawnSync(program, [option], { encoding: 'utf8', timeout: 10_000 });
  return /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? 'of unknown version';
}
