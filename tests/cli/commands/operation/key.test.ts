import { describe, expect, it } from '@jest/globals';
import type { ListedKey, Rotation } from '../../../../src/keys/key-service.ts';
import { runProgram } from '../../../../src/cli/program.ts';
import { fakeCli } from '../../fake-dependencies.ts';

const [ONE, TWO] = ['1'.repeat(16), '2'.repeat(16)];

const AT = new Date('2026-11-21T12:00:00Z');

const KEYS: readonly ListedKey[] = [
  {
    keyId: ONE,
    state: 'current',
    createdAt: AT,
    isCurrent: true,
    currentSince: AT,
    retiredAt: undefined,
    secrets: 12,
  },
  {
    keyId: TWO,
    state: 'added',
    createdAt: AT,
    isCurrent: false,
    currentSince: undefined,
    retiredAt: undefined,
  },
];

const ROTATION: Rotation = {
  keyId: TWO,
  isNew: true,
  resealed: 12,
  left: 0,
  unreadable: [],
  unreadableCount: 0,
};

describe('tankeeper key list', () => {
  it('shows the keys, with the number of their secrets where it is asked', async () => {
    const { dependencies, io, calls } = fakeCli({ 'keys.list': KEYS });
    expect(await runProgram(['key', 'list', '--count'], dependencies)).toBe(0);
    expect(calls).toEqual([['keys.list', true]]);
    expect(io.out()).toMatch(/1{16} +current .* 12\n/);
    expect(io.out()).toMatch(/2{16} +added /);
  });
});

describe('tankeeper key add', () => {
  it('names the new key and where it is, and what comes next', async () => {
    const { dependencies, io } = fakeCli({
      'keys.add': { keyId: TWO, isMade: true, place: 'the key file /k' },
    });
    expect(await runProgram(['key', 'add'], dependencies)).toBe(0);
    expect(io.out()).toContain(`the key ${TWO} is registered; it was made and is in the key file /k`);
    expect(io.out()).toContain('Send SIGHUP to every server');
  });
});

describe('tankeeper key rotate', () => {
  it('says what was done, and what comes next', async () => {
    const { dependencies, io, calls } = fakeCli({ 'keys.rotate': ROTATION });
    expect(await runProgram(['key', 'rotate', '--yes'], dependencies)).toBe(0);
    expect(calls[0]?.[0]).toBe('keys.rotate');
    expect(io.out()).toContain('is the current one now; 12 secrets sealed anew, 0 left');
    expect(io.out()).toContain('Send SIGHUP to every server once more');
  });

  it('asks whether all servers have read a key that has never sealed, and not when it goes on', async () => {
    const { dependencies, io, calls } = fakeCli({ 'keys.list': KEYS });
    expect(await runProgram(['key', 'rotate'], dependencies)).toBe(2);
    expect(io.err()).toContain('a server that has not read the newest key');
    expect(calls).toEqual([['keys.list', false]]);
    const again = fakeCli({ 'keys.list': [], 'keys.rotate': ROTATION });
    expect(await runProgram(['key', 'rotate'], again.dependencies)).toBe(0);
  });

  it.each([
    [{ unreadable: ['tokens T1, pin'], unreadableCount: 1 }, '1 secrets cannot be opened'],
    [{ left: 3, isNew: false }, '3 secrets were held by others'],
  ])('fails with what is left: %j', async (more, text) => {
    const { dependencies, io } = fakeCli({ 'keys.rotate': { ...ROTATION, ...more } });
    expect(await runProgram(['key', 'rotate', '--yes'], dependencies)).toBe(1);
    expect(io.err()).toContain(text);
  });
});

describe('tankeeper key rotate, while servers seal with the key before', () => {
  it('is done for now: what they seal is taken by the second rotation', async () => {
    const { dependencies, io } = fakeCli({ 'keys.rotate': { ...ROTATION, left: 2 } });
    expect(await runProgram(['key', 'rotate', '--yes'], dependencies)).toBe(0);
    expect(io.out()).toContain('12 secrets sealed anew, 2 left');
    expect(io.out()).toContain('for what it sealed meanwhile');
  });
});

describe('tankeeper key retire', () => {
  it('says that backups need the key', async () => {
    const { dependencies, io, calls } = fakeCli({ 'keys.retire': true });
    expect(await runProgram(['key', 'retire', ONE, '--yes'], dependencies)).toBe(0);
    expect(calls).toEqual([['keys.retire', ONE]]);
    expect(io.out()).toContain('is retired: no server needs it any more');
    expect(io.out()).toContain('Keep a copy');
  });

  it('never shows what was given in the place of an id: it may be a key', async () => {
    const { dependencies, io, calls } = fakeCli();
    const key = Buffer.alloc(32, 5).toString('base64');
    expect(await runProgram(['key', 'retire', key], dependencies)).toBe(2);
    expect(calls).toEqual([]);
    expect(io.out() + io.err()).not.toContain(key);
  });
});

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
