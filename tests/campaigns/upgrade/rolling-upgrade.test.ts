import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { databaseOfTests } from '../../support/database/test-database.ts';
import { ServerClient } from '../../support/servers/server-client.ts';
import {
  runTankeeper,
  type ServerProcess,
  startServerProcess,
} from '../../support/servers/server-process.ts';
import { until } from '../../support/values/until.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';

const ROOT = join(import.meta.dirname, '../../..');
const NEXT = '999-next';
/** As a migration of the next version may be: a column, an index and new contents, in tables that are in use. */
const MIGRATION = `
export async function up(knex) {
  await knex.raw(\`ALTER TABLE tokens ADD COLUMN note text NOT NULL DEFAULT '';
    ALTER TABLE challenges ADD COLUMN note text NOT NULL DEFAULT '';
    CREATE INDEX tokens_note_idx ON tokens (note);
    UPDATE tokens SET note = serial\`);
}
`;
const PORTALS = 6;

let environment: Readonly<Record<string, string>>;
let server: ServerProcess;
let client: ServerClient;

afterAll(async () => {
  expect((await server.stop()).code).toBe(0);
});
const folder = temporaryFolder();
const database = databaseOfTests({ schema: 'empty' });

beforeAll(async () => {
  makeNextVersion(join(folder, 'next'));
  environment = { DATABASE_URL: database.url, DATA_DIR: join(folder, 'data') };
  server = await startServerProcess(environment);
  client = await ServerClient.open(server);
});

/** A copy of this program with a higher version and one migration more. */
function makeNextVersion(place: string): void {
  for (const name of ['src', 'bin']) {
    cpSync(join(ROOT, name), join(place, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(place, 'node_modules'));
  const description = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as object;
  writeFileSync(join(place, 'package.json'), JSON.stringify({ ...description, version: '9.9.9' }));
  const database = join(place, 'src/database');
  const insert = (name: string, end: string, line: string, before = ''): void => {
    const text = readFileSync(join(database, name), 'utf8');
    expect(text.split(end)).toHaveLength(2);
    writeFileSync(join(database, name), `${before}${text.replace(end, `\n${line}${end}`)}`);
  };
  writeFileSync(join(database, `migrations/${NEXT}.ts`), MIGRATION);
  insert(
    'migration-source.ts',
    '\n];\n',
    `['${NEXT}', next],`,
    `import * as next from './migrations/${NEXT}.ts';\n`,
  );
  insert('migration-checksums.ts', '\n};\n', `'${NEXT}': 'f00d',`);
}

async function migrateByNextVersion(): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [join(folder, 'next/bin/tankeeper.js'), 'migrate'], {
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece: Buffer) => {
      output += piece.toString('utf8');
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

it('an old server answers all requests while the next version migrates its tables under load, each response once', async () => {
  const over = new AbortController();
  let rounds = 0;
  const portal = async (place: number): Promise<void> => {
    for (let round = 0; !over.signal.aborted; round += 1) {
      const transaction = await client.openTransaction(`P${place}R${round}`);
      const answers = await Promise.all([client.check(transaction), client.check(transaction)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      const results = answers.map(({ body }) => (body.result?.value as { result: boolean }).result);
      expect(results.toSorted()).toEqual([false, true]);
      rounds += 1;
    }
  };
  const load = Promise.all(Array.from({ length: PORTALS }, (_, place) => portal(place))).finally(() => {
    over.abort();
  });
  await until(() => rounds > PORTALS || over.signal.aborted);
  const migrated = await migrateByNextVersion();
  // And for a while on the new tables.
  const before = rounds;
  await until(() => rounds > before + 3 * PORTALS || over.signal.aborted);
  over.abort();
  await load;
  expect(migrated).toMatchObject({ code: 0 });
  expect(await database.database.knex.schema.hasColumn('tokens', 'note')).toBe(true);
});

it('an old server or command does not start on the new tables, and names both versions', async () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  for (const parameters of [['serve'], ['migrate'], ['count']]) {
    const { code, output } = await runTankeeper(parameters, { ...environment, PORT: '0' });
    expect(code).toBe(1);
    expect(output).toContain(`tankeeper 9.9.9 has applied ${NEXT}, and this is tankeeper ${version}`);
  }
});
