import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runProgram } from '../../../../src/cli/program.ts';
import { ServiceError } from '../../../../src/kernel/errors.ts';
import type { Licence } from '../../../../src/monitoring/licence.ts';
import type { LicenceReport } from '../../../../src/monitoring/reports.ts';
import { CLAIMS, licenceVendor } from '../../../support/values/signed-licence.ts';
import { startServerProcess } from '../../../support/servers/server-process.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database/test-database.ts';
import { insertTokens } from '../../../support/database/token-rows.ts';
import { type Ended, runCli } from '../../cli-process.ts';
import { fakeCli } from '../../fake-dependencies.ts';
import { fakeIo } from '../../fake-io.ts';
import { temporaryFolder } from '../../../support/values/temporary-folder.ts';

const LICENCE: Licence = {
  fields: { licensee: 'Bank \u001b[31m', 'token-num': 5 },
  unit: 'token',
  licensed: 5,
  startsAt: undefined,
  endsAt: new Date('2028-01-01T00:00:00Z'),
};
const VALID: LicenceReport = { kind: 'valid', licence: LICENCE, active: 7 };
const EXPIRED: LicenceReport = {
  kind: 'invalid',
  reason: 'expired',
  explanation: 'it was valid till 2027-12-31',
  licence: LICENCE,
};

describe('tankeeper licence, in words and for scripts', () => {
  it.each([
    [
      VALID,
      'VALID     yes\nCOUNTS    active tokens\nLICENSED  5\nACTIVE    7\nLEFT      -2\n',
      {
        installed: true,
        valid: true,
        unit: 'token',
        licensed: 5,
        active: 7,
        left: -2,
        licence: LICENCE.fields,
      },
    ],
    [
      EXPIRED,
      'VALID   no\nREASON  it was valid till 2027-12-31\n',
      {
        installed: true,
        valid: false,
        reason: 'it was valid till 2027-12-31',
        licence: LICENCE.fields,
      },
    ],
    [{ kind: 'none' }, 'no licence is installed: support comes from the community\n', { installed: false }],
  ] as const)('show tells of %j', async (report, text, json) => {
    const words = fakeCli({ 'licences.show': report });
    expect(await runProgram(['licence', 'show'], words.dependencies)).toBe(0);
    const fields = report.kind === 'none' ? '' : '  licensee: Bank \\u001b[31m\n  token-num: 5\n';
    expect(words.io.out()).toBe(text + fields);
    const script = fakeCli({ 'licences.show': report });
    expect(await runProgram(['licence', 'show', '--json'], script.dependencies)).toBe(0);
    expect(JSON.parse(script.io.out())).toEqual(json);
  });

  it('install reads standard input, and says why it refuses', async () => {
    const refused = new ServiceError('licence.invalid', 'The licence is refused: because');
    const { dependencies, io, calls } = fakeCli(
      { 'licences.install': refused },
      { io: fakeIo({ stdin: ['a.b.c\n'] }) },
    );
    expect(await runProgram(['licence', 'install', '-'], dependencies)).toBe(1);
    expect(calls).toEqual([['licences.install', 'a.b.c']]);
    expect(io.err()).toBe('tankeeper: The licence is refused: because\n');
  });

  it('remove says so, or that there is none', async () => {
    const { dependencies, io } = fakeCli();
    expect(await runProgram(['licence', 'remove', '--yes'], dependencies)).toBe(0);
    expect(io.out()).toBe('the licence is removed\n');
    const none = fakeCli({
      'licences.remove': new ServiceError('licence.unknown', 'There is no licence to remove'),
    });
    expect(await runProgram(['licence', 'remove', '--yes'], none.dependencies)).toBe(1);
    expect(none.io.err()).toBe('tankeeper: There is no licence to remove\n');
  });

  it('install of a file that is not there opens nothing', async () => {
    const { dependencies, io, opened } = fakeCli();
    expect(await runProgram(['licence', 'install', '/nonexistent/licence'], dependencies)).toBe(1);
    expect(io.err()).toBe('tankeeper: cannot read /nonexistent/licence: there is no such file\n');
    expect(opened.count).toBe(0);
  });
});

describe('tankeeper licence on a database', () => {
  const vendor = licenceVendor('RS256');
  /** The command goes by the clock of the machine. */
  const claims = { ...CLAIMS, expire: '9999-12-31' };
  const folder = temporaryFolder();
  let test: TestDatabase;
  let environment: Record<string, string>;

  beforeAll(async () => {
    test = await createTestDatabase();
    await writeFile(join(folder, 'vendor.pem'), vendor.publicKey);
    environment = {
      HOME: folder,
      DATA_DIR: folder,
      DATABASE_URL: test.url,
      LICENCE_PUBLIC_KEY_FILE: join(folder, 'vendor.pem'),
    };
    // A server, not a command, makes the key.
    await (await startServerProcess(environment)).stop();
  });

  afterAll(async () => {
    await test.drop();
  });

  const run = (parameters: readonly string[], input = ''): Promise<Ended> =>
    runCli(['licence', ...parameters], environment, input);

  it('installs one, keeps it when the next one is refused, and shows it', async () => {
    await writeFile(join(folder, 'licence.jws'), `${await vendor.sign(claims)}\n`);
    const installed = await run(['install', join(folder, 'licence.jws'), '--json']);
    expect(installed).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(installed.out)).toMatchObject({ valid: true, licensed: 5, licence: claims });
    await insertTokens(
      test.database,
      [1, 2, 3, 4].map((number) => ({ serial: `T${number}`, realms: [] })),
    );
    const refused = await run(['install', '-'], await vendor.sign({ ...claims, 'token-num': 1 }));
    expect(refused).toEqual({
      code: 1,
      out: '',
      err: 'tankeeper: The licence is refused: it is for 1 token, but 4 tokens are active. Nothing was changed\n',
    });
    const shown = await run(['show', '--json']);
    expect(JSON.parse(shown.out)).toMatchObject({ valid: true, active: 4, left: 1, licence: claims });
  });

  it('is refused like every command where the key for licences is none', async () => {
    await writeFile(join(folder, 'wrong.pem'), 'rubbish');
    const file = join(folder, 'wrong.pem');
    expect(await runCli(['licence', 'show'], { ...environment, LICENCE_PUBLIC_KEY_FILE: file })).toEqual({
      code: 1,
      out: '',
      err: 'tankeeper: The file of LICENCE_PUBLIC_KEY_FILE is neither PEM with BEGIN PUBLIC KEY nor a JWK.\n',
    });
  });
});
