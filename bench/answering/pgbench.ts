import { execFile } from 'node:child_process';
import { access, readdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import { readStatement, settleStatement } from './bare-statements.ts';

export const PGBENCH_CLIENTS = 10;

const DEBIAN = '/usr/lib/postgresql';

/** @returns the path of pgbench: from PATH, else the newest of Debian's; undefined if there is none */
export async function findPgbench(): Promise<string | undefined> {
  const versions = (await readdir(DEBIAN).catch(() => [])).sort(
    (left, right) => Number(right) - Number(left),
  );
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...versions.map((version) => join(DEBIAN, version, 'bin')),
  ];
  for (const folder of folders) {
    const path = join(folder, 'pgbench');
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) {
      return path;
    }
  }
  return undefined;
}

/**
 * Runs the two statements of a check_t, prepared, each on a challenge of its own.
 * @param challenges the number of open ones, with the ids from 1
 * @param folder for the script
 * @returns transactions a second
 */
export async function runPgbench(
  program: string,
  databaseUrl: string,
  { challenges, seconds, folder }: { challenges: number; seconds: number; folder: string },
): Promise<number> {
  const script = join(folder, 'check.pgbench');
  const oneLine = (sql: string): string => sql.replace(/\s+/g, ' ');
  await writeFile(
    script,
    `\\set taken :taken + 1
\\set wanted :client_id * ${Math.floor(challenges / PGBENCH_CLIENTS)} + :taken
${oneLine(readStatement('(:wanted)::text'))} \\gset
${oneLine(settleStatement(':challenge_id'))};
`,
  );
  const { stdout } = await promisify(execFile)(program, [
    '--no-vacuum',
    '--protocol=prepared',
    `--client=${PGBENCH_CLIENTS}`,
    '--jobs=2',
    `--time=${Math.max(1, Math.round(seconds))}`,
    '--define=taken=0',
    `--file=${script}`,
    databaseUrl,
  ]);
  const found = /^tps = ([\d.]+)/m.exec(stdout)?.[1];
  if (found === undefined) {
    throw new Error(`pgbench told no rate:\n${stdout}`);
  }
  return Number(found);
}
