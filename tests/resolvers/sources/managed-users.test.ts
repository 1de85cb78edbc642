import { describe, expect, it } from '@jest/globals';
import { ManagedUsers } from '../../../src/resolvers/sources/managed-users.ts';
import { InMemoryUserStore, ReadableHasher } from '../../support/fakes/in-memory-user-store.ts';

describe('a managed resolver', () => {
  const users = new InMemoryUserStore()
    .with('1', 'anna', { email: 'anna@example.com', passwordHash: 'hash of geheim' })
    .with('1', 'bernd')
    .with('2', 'clara');
  const hasher = new ReadableHasher();
  const source = new ManagedUsers({ resolverId: '1', users, hasher });
  const anna = {
    userId: 'anna-id',
    login: 'anna',
    givenName: '',
    surname: '',
    email: 'anna@example.com',
    phone: '',
  };

  it('tells of its own users, and never of their passwords', async () => {
    expect(await source.findByLogin('anna')).toEqual(anna);
    expect(await source.findById('anna-id')).toEqual(anna);
    expect(await source.findByLogin('clara')).toBeUndefined();
    expect(await source.findById('clara-id')).toBeUndefined();
    expect((await source.list()).map(({ login }) => login)).toEqual(['anna', 'bernd']);
    expect(JSON.stringify(await source.list())).not.toContain('hash of');
    expect(await source.count()).toBe(2);
  });

  it('verifies passwords, with the same work for those who have none', async () => {
    expect(await source.checkPassword('anna-id', 'geheim')).toBe(true);
    expect(await source.checkPassword('anna-id', 'falsch')).toBe(false);
    expect(await source.checkPassword('bernd-id', '')).toBe(false);
    expect(await source.checkPassword('nobody', 'geheim')).toBe(false);
    expect([hasher.verified, hasher.verifiedNothing]).toEqual([2, 2]);
  });
});
