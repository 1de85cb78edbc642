import { dirname } from 'node:path';
import { runProgram } from '../../../src/cli/program.ts';
import { type FixtureName, fixtureFile } from '../../linotp/linotp-fixture.ts';
import type { TestApplication } from '../../support/application/test-application.ts';
import { fakeCli, recordingServices } from '../fake-dependencies.ts';
import { fakeIo } from '../fake-io.ts';

/** The end of a command. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface LinotpCommand {
  readonly fixture: FixtureName;
  /** The URL of a database with the dump of the fixture. */
  readonly database: string;
}

/** Runs `import linotp` over the services of an application. */
export async function importLinotp(
  app: TestApplication,
  { fixture, database }: LinotpCommand,
  ...more: readonly string[]
): Promise<Ran> {
  const io = fakeIo();
  const { dependencies } = fakeCli(
    {},
    {
      io,
      openServices: () =>
        Promise.resolve(
          Object.assign(recordingServices({}, [], []), app.services, { close: () => Promise.resolve() }),
        ),
    },
  );
  const key = fixtureFile(fixture, 'encKey');
  const code = await runProgram(
    [
      'import',
      'linotp',
      '--database',
      database,
      '--enckey',
      key,
      '--time-zone',
      'Europe/Berlin',
      '--passwd-dir',
      dirname(key),
      ...more,
    ],
    dependencies,
  );
  return { code, out: io.out(), err: io.err() };
}
