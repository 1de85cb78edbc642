import { describe, expect, it } from '@jest/globals';
import type { ListedKey, Rotation } from '../../../../src/keys/key-service.ts';
import { type Answers, type Call, runFake } from '../../fake-dependencies.ts';

const [ONE, TWO] = ['1'.repeat(16), '2'.repeat(16)];
const AT = new Date('2026-11-21T12:00:00Z');
const ADDED: ListedKey = {
  keyId: TWO,
  state: 'added',
  createdAt: AT,
  isCurrent: false,
  currentSince: undefined,
  retiredAt: undefined,
};
const KEYS: readonly ListedKey[] = [
  { ...ADDED, keyId: ONE, state: 'current', isCurrent: true, currentSince: AT, secrets: 12 },
  ADDED,
];
const ROTATION: Rotation = {
  keyId: TWO,
  isNew: true,
  resealed: 12,
  left: 0,
  unreadable: [],
  unreadableCount: 0,
};
const TALLIES = [
  { chore: 'challenges', rows: 1200 },
  { chore: 'sessions', rows: 3 },
];

describe('tankeeper key', () => {
  it.each<[string, Answers, RegExp]>([
    ['key list --count', { 'keys.list': KEYS }, /1{16} +current .* 12\n2{16} +added /],
    [
      'key add',
      { 'keys.add': { keyId: TWO, isMade: true, place: 'the key file /k' } },
      /2{16} is registered; it was made and is in the key file \/k[^]*Send SIGHUP to every server/,
    ],
    [
      'key rotate --yes',
      { 'keys.rotate': ROTATION },
      /is the current one now; 12 secrets sealed anew, 0 left[^]*Send SIGHUP to every server once more/,
    ],
    // While servers seal with the key before: the second rotation takes what they seal.
    [
      'key rotate --yes',
      { 'keys.rotate': { ...ROTATION, left: 2 } },
      /12 secrets sealed anew, 2 left[^]*for what it sealed meanwhile/,
    ],
    // It goes on without a question where no key is new.
    ['key rotate', { 'keys.list': [], 'keys.rotate': ROTATION }, /is the current one now/],
    [
      `key retire ${ONE} --yes`,
      { 'keys.retire': true },
      /is retired: no server needs it any more[^]*Keep a copy/,
    ],
  ])('%s says what was done, and what comes next: %j', async (line, answers, said) => {
    expect(await runFake(line, answers)).toMatchObject({ code: 0, out: expect.stringMatching(said) });
  });

  it('rotate asks whether all servers have read a key that has never sealed', async () => {
    const { code, err, calls } = await runFake('key rotate', { 'keys.list': KEYS });
    expect([code, calls]).toEqual([2, [['keys.list', false]]]);
    expect(err).toContain('a server that has not read the newest key');
  });

  it.each([
    [{ unreadable: ['tokens T1, pin'], unreadableCount: 1 }, '1 secrets cannot be opened'],
    [{ left: 3, isNew: false }, '3 secrets were held by others'],
  ])('rotate fails with what is left: %j', async (more, text) => {
    const { code, err } = await runFake('key rotate --yes', { 'keys.rotate': { ...ROTATION, ...more } });
    expect([code, err]).toEqual([1, expect.stringContaining(text)]);
  });

  it('retire never shows what was given in the place of an id: it may be a key', async () => {
    const key = Buffer.alloc(32, 5).toString('base64');
    const { code, out, err, calls } = await runFake(`key retire ${key}`);
    expect([code, calls]).toEqual([2, []]);
    expect(out + err).not.toContain(key);
  });
});

describe('tankeeper housekeeping run', () => {
  it.each<[string, Answers, Call, RegExp]>([
    ['--confirm-time', { run: TALLIES }, ['housekeeping.run', true], /REMOVED/],
    ['', { run: TALLIES }, ['housekeeping.run', false], /^WHAT +REMOVED\nchallenges +1200\nsessions +3\n$/],
    ['--dry-run', { due: TALLIES }, ['housekeeping.due'], /^WHAT +DUE\n/],
    [
      '',
      { run: undefined },
      ['housekeeping.run', false],
      /^a server is at it just now; nothing was done here\n$/,
    ],
  ])('%s does so and says how much it was: %j', async (options, answers, call, said) => {
    const named = Object.fromEntries(
      Object.entries(answers).map(([name, it]) => [`housekeeping.${name}`, it]),
    );
    const { code, out, calls } = await runFake(`housekeeping run ${options}`.trim(), named);
    expect({ code, calls }).toEqual({ code: 0, calls: [call] });
    expect(out).toMatch(said);
  });
});
