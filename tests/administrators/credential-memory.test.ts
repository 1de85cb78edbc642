import { describe, expect, it } from '@jest/globals';

import { CredentialMemory, PasswordMemory } from '../../src/administrators/confirmed-credentials-store.ts';
import type { ProvenPassword } from '../../src/administrators/administrator.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';

const MINUTE = 60_000;

const provenFor = (administrator: string): ProvenPassword => ({ administrator, version: Buffer.from('v') });

function memoryAt(): { passwords: PasswordMemory; time: { now: number } } {
  const time = { now: 5_000 };
  return { passwords: new PasswordMemory({ random: systemRandom, elapsed: () => time.now }), time };
}

describe('a password that was verified', () => {
  it('is known again for a minute from then, however often it is given', () => {
    const { passwords, time } = memoryAt();
    const proven = provenFor('alice');
    passwords.remember(proven, 'pässword');
    for (let second = 0; second < 60; second += 1) {
      expect(passwords.recall('alice', 'pässword')).toBe(proven);
      time.now += 1_000;
    }
    expect(passwords.recall('alice', 'pässword')).toBeUndefined();
  });

  it('makes every other one wrong, of this administrator only', () => {
    const { passwords } = memoryAt();
    passwords.remember(provenFor('alice'), 'pässword');
    for (const other of ['', 'pässwor', 'pässword ', 'PÄSSWORD', 'pässword\0']) {
      expect(passwords.recall('alice', other)).toBe('other');
    }
    expect(passwords.recall('bob', 'pässword')).toBeUndefined();
    expect(passwords.recall('Alice', 'pässword')).toBeUndefined();
  });

  it('gives way to a new one', () => {
    const { passwords } = memoryAt();
    const after = provenFor('alice');
    passwords.remember(provenFor('alice'), 'before');
    passwords.remember(after, 'after');
    expect(passwords.recall('alice', 'before')).toBe('other');
    expect(passwords.recall('alice', 'after')).toBe(after);
  });

  it('is kept under a key of this memory alone', () => {
    const keys: Buffer[] = [];
    const random = {
      ...systemRandom,
      bytes: (size: number): Buffer => {
        const key = systemRandom.bytes(size);
        keys.push(key);
        return key;
      },
    };
    for (let memory = 0; memory < 3; memory += 1) {
      new PasswordMemory({ random, elapsed: () => 0 }).remember(provenFor('alice'), 'password');
    }
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(3);
    expect(keys.map(({ length }) => length)).toEqual([32, 32, 32]);
  });
});

describe('the memory', () => {
  it('is bounded: the password of the first administrators is forgotten', () => {
    const { passwords } = memoryAt();
    for (let index = 0; index < 1_001; index += 1) {
      passwords.remember(provenFor(`name${index}`), 'password');
    }
    expect(passwords.recall('name0', 'password')).toBeUndefined();
    expect(passwords.recall('name1', 'password')).toBeDefined();
    expect(passwords.recall('name1000', 'password')).toBeDefined();
  });

  it('keeps 10 000 sessions and 10 000 API tokens for a minute', () => {
    let now = 1;
    const memory = new CredentialMemory({ random: systemRandom, elapsed: () => now });
    const expiresAt = new Date(0);
    const token = { name: 'n', administrator: 'alice', rights: ['*'], createdAt: expiresAt, expiresAt: null };
    for (let index = 0; index <= 10_000; index += 1) {
      memory.sessions.set(String(index), { administrator: 'alice', expiresAt });
      memory.apiTokens.set(String(index), token);
    }
    expect([memory.sessions.size, memory.apiTokens.size]).toEqual([10_000, 10_000]);
    now += MINUTE;
    memory.dropAged();
    expect([memory.sessions.size, memory.apiTokens.size]).toEqual([0, 0]);
  });
});
