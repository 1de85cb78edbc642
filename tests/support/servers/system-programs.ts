import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findSystemProgram } from './program-paths.ts';

const DEBIAN_POSTGRES = '/usr/lib/postgresql';
const POSTGRES_PROGRAMS = ['initdb', 'postgres', 'pg_basebackup'];

/** An account of the system, for `spawn`. */
export interface SystemAccount {
  readonly uid: number;
  readonly gid: number;
}

/** Tests that need a program: left out with a message if it is missing; with CI=true that is a failure. */
export function describeWithProgram(
  title: string,
  program: string | undefined,
  debianPackage: string,
  tests: (program: string) => void,
): void {
  if (program !== undefined) {
    describe(title, () => {
      tests(program);
    });
  } else if (process.env.CI === 'true') {
    it(`${title}: needs ${debianPackage}`, () => {
      expect(`missing: ${debianPackage}`).toBe('With CI=true nothing may be missing');
    });
  } else {
    process.stderr.write(`Left out, missing: ${debianPackage} (CONTRIBUTING.md): ${title}\n`);
    it.todo(`${title} (left out: ${debianPackage} missing)`);
  }
}

/** @returns the path of PgBouncer; undefined if it is not installed */
export function findPgBouncer(): string | undefined {
  return findSystemProgram('pgbouncer');
}

/** @returns the folder of the newest PostgreSQL of the system; undefined if there is none of 14 or newer */
export function findPostgres(): string | undefined {
  const majors = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES).map(Number) : [];
  return majors
    .filter((major) => major >= 14)
    .toSorted((one, other) => other - one)
    .map((major) => join(DEBIAN_POSTGRES, String(major), 'bin'))
    .find((folder) => POSTGRES_PROGRAMS.every((name) => existsSync(join(folder, name))));
}

/** @returns an account for programs that refuse to run as root; undefined where the tests do not run as root */
export function unprivilegedAccount(): SystemAccount | undefined {
  if (process.getuid?.() !== 0) {
    return undefined;
  }
  const idOf = (kind: '-u' | '-g'): number =>
    Number(spawnSync('id', [kind, 'nobody'], { encoding: 'utf8' }).stdout);
  return { uid: idOf('-u'), gid: idOf('-g') };
}
