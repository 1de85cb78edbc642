import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';

/** @returns a new folder, which is removed after the tests of the file or the `describe` that calls this */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tankeeper-'));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}
