import { describe, expect, it } from '@jest/globals';

import { runProgram } from '../../../../src/cli/program.ts';
import { fakeCli } from '../../fake-dependencies.ts';

const TALLIES = [
  { chore: 'challenges', rows: 1200 },
  { chore: 'sessions', rows: 3 },
];

const rowsOf = (text: string): string[][] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split(/\s{2,}/));

describe('tankeeper housekeeping run', () => {
  it('takes the time for right where the operator says so', async () => {
    const { dependencies, calls } = fakeCli({ 'housekeeping.run': TALLIES });
    expect(await runProgram(['housekeeping', 'run', '--confirm-time'], dependencies)).toBe(0);
    expect(calls).toEqual([['housekeeping.run', true]]);
  });

  it('removes what is old and says how much it was', async () => {
    const { dependencies, io, calls } = fakeCli({ 'housekeeping.run': TALLIES });
    expect(await runProgram(['housekeeping', 'run'], dependencies)).toBe(0);
    expect(calls).toEqual([['housekeeping.run', false]]);
    expect(rowsOf(io.out())).toEqual([
      ['WHAT', 'REMOVED'],
      ['challenges', '1200'],
      ['sessions', '3'],
    ]);
  });

  it('removes nothing with --dry-run', async () => {
    const { dependencies, io, calls } = fakeCli({ 'housekeeping.due': TALLIES });
    expect(await runProgram(['housekeeping', 'run', '--dry-run'], dependencies)).toBe(0);
    expect(calls).toEqual([['housekeeping.due']]);
    expect(rowsOf(io.out())[0]).toEqual(['WHAT', 'DUE']);
  });

  it('gives scripts the same', async () => {
    const { dependencies, io } = fakeCli({ 'housekeeping.due': TALLIES });
    expect(await runProgram(['housekeeping', 'run', '--dry-run', '--json'], dependencies)).toBe(0);
    expect(JSON.parse(io.out())).toEqual([
      { what: 'challenges', due: 1200 },
      { what: 'sessions', due: 3 },
    ]);
  });

  it('leaves it to the server that is at it, and ends well', async () => {
    const { dependencies, io } = fakeCli({ 'housekeeping.run': undefined });
    expect(await runProgram(['housekeeping', 'run'], dependencies)).toBe(0);
    expect(io.out()).toBe('a server is at it just now; nothing was done here\n');
  });
});
