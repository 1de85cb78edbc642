import { expect, it } from '@jest/globals';
import type { CliDependencies } from '../../src/cli/dependencies.ts';
import { runProgram } from '../../src/cli/program.ts';
import { withProgress } from '../../src/cli/progress.ts';
import { fakeCli } from './fake-dependencies.ts';
import { type FakeIo, fakeIo } from './fake-io.ts';

async function shownOn(io: FakeIo): Promise<readonly string[]> {
  const work = withProgress(io, 'verifying bytes', (progress) => {
    progress(0, 0);
    progress(500, 1000);
    progress(7, 7, 'restoring rows');
    return Promise.reject(new Error('no'));
  });
  await expect(work).rejects.toThrow('no');
  return io.err().split('\r\u001b[K');
}

it('names the work on a terminal, and how far it is, on one line, which is gone in the end, also after a failure', async () => {
  expect(await shownOn(fakeIo({ typed: [] }))).toEqual([
    '',
    'verifying bytes …',
    'verifying bytes … 500 of 1000 (50 %)',
    'restoring rows … 7 of 7 (100 %)',
    '',
  ]);
});

it('fits on a narrow terminal', async () => {
  const lines = await shownOn({ ...fakeIo({ typed: [] }), columns: 20 });
  expect(lines.map(({ length }) => length)).toEqual([0, 17, 19, 19, 0]);
});

it('shows nothing without a terminal', async () => {
  expect(await shownOn(fakeIo())).toEqual(['']);
});

it.each([
  ['housekeeping run', 'housekeeping.run', 'removing what is old'],
  ['housekeeping run --dry-run', 'housekeeping.due', 'counting what is due'],
  ['count --verify', 'counts.verify', 'counting tokens'],
  ['count --verify --repair', 'counts.repair', 'counting tokens'],
  ['user list --realm office', 'users.list', 'reading users'],
  ['audit verify', 'audit.verify', 'verifying rows'],
  ['keys rotate --yes', 'keys.rotate', 'sealing secrets'],
  ['migrate', 'migrate', 'bringing the tables up to date'],
])('%s shows it', async (line, call, what) => {
  const io = fakeIo({ typed: [] });
  const fails = (): Promise<never> => Promise.reject(new Error('no'));
  const { dependencies } = fakeCli({}, { io, ...(line === 'migrate' && { loadConfiguration: fails }) });
  const [noun = '', method = ''] = call.split('.');
  const openServices = async (...given: Parameters<CliDependencies['openServices']>) => ({
    ...(await dependencies.openServices(...given)),
    [noun]: { [method]: fails },
  });
  expect(await runProgram(line.split(' '), { ...dependencies, openServices })).toBe(1);
  expect(io.err()).toContain(`\r\u001b[K${what} …`);
});
