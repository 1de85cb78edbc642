import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** An account of this machine. */
interface SystemAccount {
  readonly uid: number;
  readonly gid: number;
}

/** An ordinary user, whom root can become. */
export const NOBODY: SystemAccount = { uid: 65534, gid: 65534 };

/**
 * Tests in which root becomes other users, on Linux: left out loudly where that is not possible, but with CI=true that is a
 * failure.
 * @param needs an account that must be there
 */
export async function describeAsRoot(title: string, tests: () => void, needs = 'root'): Promise<void> {
  const missing = await whatIsMissing(needs);
  if (missing === undefined) {
    describe(title, tests);
  } else if (process.env.CI === 'true') {
    it(`${title}: needs ${missing}`, () => {
      expect(`missing: ${missing}`).toBe('With CI=true nothing may be missing');
    });
  } else {
    process.stderr.write(`Left out, missing: ${missing}: ${title}\n`);
    it.todo(`${title} (left out: ${missing} missing)`);
  }
}

async function whatIsMissing(account: string): Promise<string | undefined> {
  if (process.getuid?.() !== 0 || process.platform !== 'linux') {
    return 'root on Linux';
  }
  if (!(await othersReach(dirname(process.execPath)))) {
    return 'a Node that other users may run';
  }
  return accountNamed(account) === undefined ? `the account ${account}` : undefined;
}

/** @returns an account of this machine; undefined where there is none of that name */
export function accountNamed(name: string): SystemAccount | undefined {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const [, , uid, gid] = lines.map((line) => line.split(':')).find(([candidate]) => candidate === name) ?? [];
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

/** @returns true if others may pass each folder on the way to that path */
export async function othersReach(path: string): Promise<boolean> {
  const { mode } = await stat(path);
  const parent = dirname(path);
  return (mode & 0o001) !== 0 && (parent === path || othersReach(parent));
}
