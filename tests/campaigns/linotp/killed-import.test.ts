import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runCli, startCli } from '../../cli/cli-process.ts';
import { startServerProcess } from '../../support/servers/server-process.ts';
import { createTestDatabase } from '../../support/database/test-database.ts';
import { fixtureFile, withDump } from '../../linotp/linotp-fixture.ts';
import { openContent } from '../../linotp/stored-installation.ts';

const FIXTURE = '2.12.6-postgresql';
const KILLS = 5;
const NOTHING = { taken: 0, changed: 0, updated: 0, left: 0, removed: 0 };

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tankeeper-import-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const KEY = fixtureFile(FIXTURE, 'encKey');
const OPTIONS = ['--enckey', KEY, '--time-zone', 'Europe/Berlin', '--passwd-dir', dirname(KEY)];

async function withInstallation(
  work: (environment: Readonly<Record<string, string>>, content: () => Promise<object>) => Promise<void>,
): Promise<void> {
  const test = await createTestDatabase();
  const dataDir = await mkdtemp(join(folder, 'data-'));
  const environment = { DATABASE_URL: test.url, DATA_DIR: dataDir, RESOLVER_TIMEOUT: '3' };
  try {
    // Makes the key that seals secrets, and the first administrator.
    await (await startServerProcess(environment)).stop();
    await test.database.knex('administrators').delete();
    await work(environment, () => openContent(test.database.knex));
  } finally {
    await test.drop();
  }
}

it('ends the same where it is killed at five moments and repeated', () =>
  withDump(FIXTURE, async (database) => {
    const importing = ['import', 'linotp', '--database', database, ...OPTIONS];
    let whole: object = {};
    let took = 0;
    await withInstallation(async (environment, content) => {
      const start = performance.now();
      expect(await runCli(importing, environment)).toMatchObject({ code: 0 });
      took = performance.now() - start;
      whole = await content();
    });
    await withInstallation(async (environment, content) => {
      const moments: number[] = [];
      for (let kill = 0; kill < KILLS; kill += 1) {
        const running = startCli(importing, environment);
        const moment = took * (0.3 + 0.7 * Math.random());
        moments.push(Math.round(moment));
        setTimeout(() => {
          running.kill();
        }, moment).unref();
        await running.ended;
      }
      const last = await runCli(importing, environment);
      expect({ moments, ...last }).toMatchObject({ moments, code: 0 });
      expect(await content()).toEqual(whole);
      const again = await runCli(['--json', ...importing, '--dry-run'], environment);
      expect(JSON.parse(again.out)).toMatchObject({
        summary: {
          groups: {
            tokens: { ...NOTHING, unchanged: 54 },
            challenges: { ...NOTHING, unchanged: 76 },
          },
        },
      });
    });
  }));
