import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FixtureName, fixtureFile } from './linotp-fixture.ts';

/** Runs `work` with a dump that differs from a fixture's. @param edit throws where the dump has no such text */
export async function withEditedDump<T>(
  fixture: FixtureName,
  edit: (sql: string) => string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'tankeeper-dump-'));
  const path = join(folder, 'dump.sql');
  try {
    await writeFile(path, edit(await readFile(fixtureFile(fixture, 'dump.sql'), 'utf8')));
    return await work(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * @returns the text with the first match replaced
 * @throws if there is none
 */
export function replaced(sql: string, from: string | RegExp, to: string): string {
  const changed = sql.replace(from, () => to);
  if (changed === sql) {
    throw new Error(`The dump has nothing like ${String(from)}`);
  }
  return changed;
}

/** @returns the text with SQL appended */
export function appended(sql: string, statement: string): string {
  return `${sql}\n${statement}\n`;
}
