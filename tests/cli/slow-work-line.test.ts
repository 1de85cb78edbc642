import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { withSlowWorkLine } from '../../src/cli/progress.ts';
import { runProgram } from '../../src/cli/program.ts';
import type { CliDependencies } from '../../src/cli/dependencies.ts';
import { fakeCli } from './fake-dependencies.ts';
import { type FakeIo, fakeIo } from './fake-io.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Work that takes the given time. */
function lasting(milliseconds: number): () => Promise<string> {
  return () =>
    new Promise((resolve) => {
      setTimeout(() => {
        resolve('done');
      }, milliseconds);
    });
}

async function shownDuring(io: FakeIo, milliseconds: number): Promise<readonly string[]> {
  const work = withSlowWorkLine(io, 'reading users', lasting(milliseconds));
  await jest.advanceTimersByTimeAsync(milliseconds);
  expect(await work).toBe('done');
  return [...new Set(io.err().split('\r'))].filter((line) => line.trim() !== '');
}

it('names work that takes longer than two seconds, with its time, and is removed in the end', async () => {
  const io = fakeIo({ typed: [] });
  expect(await shownDuring(io, 4_200)).toEqual([
    'reading users … 2 s',
    'reading users … 3 s',
    'reading users … 4 s',
  ]);
  expect(io.err()).toMatch(/\r +\r$/);
});

it('shows nothing for short work, or without a terminal', async () => {
  expect(await shownDuring(fakeIo({ typed: [] }), 1_900)).toEqual([]);
  expect(await shownDuring(fakeIo(), 10_000)).toEqual([]);
});

it('fits on a narrow terminal, and is removed after a failure', async () => {
  const io = { ...fakeIo({ typed: [] }), columns: 12 };
  const work = withSlowWorkLine(io, 'reading users', async () => {
    await lasting(3_000)();
    throw new Error('no');
  });
  const refusal = expect(work).rejects.toThrow('no');
  await jest.advanceTimersByTimeAsync(3_000);
  await refusal;
  expect(io.err()).toMatch(/^\rreading use\r/);
  expect(io.err()).toMatch(/\r {11}\r$/);
});

it.each([
  ['housekeeping run', 'housekeeping.run', 'removing what is old'],
  ['housekeeping run --dry-run', 'housekeeping.due', 'counting what is due'],
  ['count --verify', 'counts.verify', 'counting tokens'],
  ['count --verify --mend', 'counts.mend', 'counting tokens'],
  ['user list --realm office', 'users.list', 'reading users'],
  ['migrate', 'migrate', 'bringing the tables up to date'],
])('%s shows it', async (line, call, what) => {
  const io = fakeIo({ typed: [] });
  const slowly = async (): Promise<never> => {
    await lasting(3_000)();
    throw new Error('late');
  };
  const { dependencies } = fakeCli({}, { io, ...(line === 'migrate' && { loadConfiguration: slowly }) });
  const [noun = '', method = ''] = call.split('.');
  const openServices = async (...given: Parameters<CliDependencies['openServices']>) => ({
    ...(await dependencies.openServices(...given)),
    [noun]: { [method]: slowly },
  });
  const run = runProgram(line.split(' '), { ...dependencies, openServices });
  // The configuration is read again for the message.
  await jest.advanceTimersByTimeAsync(6_200);
  expect(await run).toBe(1);
  expect(io.err()).toContain(`\r${what} … 2 s`);
});
