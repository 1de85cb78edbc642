import { describe, expect, it } from '@jest/globals';
import type { DirectoryUser, UserSource } from '../../src/resolvers/user-source.ts';
import { UserDirectory } from '../../src/users/user-directory.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { eventualRefusal } from '../support/values/refusal.ts';
import { configurationOf } from '../support/values/configuration-value.ts';
import { sourcesHolding } from '../support/application/user-sources.ts';

const configuration = configurationOf({
  realms: [
    { name: 'main', resolvers: ['first', 'second'] },
    { name: 'other', resolvers: ['second'] },
  ],
  resolvers: [
    { id: '1', name: 'first' },
    { id: '2', name: 'second' },
  ],
});
const sources = sourcesHolding({
  1: [{ login: 'anna', password: 'geheim' }, 'fritz@intern', 'eve@other', 'CORP\\fritz'],
  2: ['anna', 'bernd'],
});
const directory = new UserDirectory({ sources });

async function found(user: string, realm?: string): Promise<string | undefined> {
  const one = await directory.find(configuration, { user, realm });
  return one && `${one.login} of ${one.resolver.name} in ${one.realm.name}`;
}

describe('a user', () => {
  it.each([
    ['anna', undefined, 'anna of first in main'],
    ['anna', '', 'anna of first in main'],
    ['bernd', undefined, 'bernd of second in main'],
    ['anna', 'other', 'anna of second in other'],
    ['anna', ' OTHER ', 'anna of second in other'],
    ['anna@other', undefined, 'anna of second in other'],
    ['anna@Other', '', 'anna of second in other'],
    ['fritz@intern', undefined, 'fritz@intern of first in main'],
    ['fritz@intern', 'main', 'fritz@intern of first in main'],
    ['fritz@intern@main', undefined, 'fritz@intern of first in main'],
    ['eve@other', 'main', 'eve@other of first in main'],
    ['eve@other', undefined, undefined],
    ['ANNA', undefined, undefined],
    ['anna', 'nosuch', undefined],
    ['anna@nosuch', undefined, undefined],
    ['anna@', undefined, undefined],
    ['@other', undefined, undefined],
    ['anna ', undefined, 'anna of first in main'],
    ['\t anna\u00a0\n', 'main', 'anna of first in main'],
    [' bernd @ other ', undefined, 'bernd of second in other'],
    ['other\\bernd', undefined, 'bernd of second in other'],
    ['OTHER\\ bernd', '', 'bernd of second in other'],
    ['CORP\\fritz', undefined, 'CORP\\fritz of first in main'],
    ['main\\CORP\\fritz', undefined, 'CORP\\fritz of first in main'],
    ['main\\fritz@intern', undefined, 'fritz@intern of first in main'],
    ['main\\bernd@other', undefined, undefined],
    ['main\\anna', 'main', undefined],
    ['nosuch\\anna', undefined, undefined],
    ['\\anna', undefined, undefined],
  ])('%j in the realm %j is %j', async (user, realm, expected) => {
    expect(await found(user, realm)).toBe(expected);
  });

  it.each(['Zo\u00eb', 'Zoe\u0308'])('%j is found however the resolver spells it', async (user) => {
    for (const held of ['Zo\u00eb', 'Zoe\u0308']) {
      const among = new UserDirectory({ sources: sourcesHolding({ 1: [held], 2: [user] }) });
      const one = await among.find(configuration, { user });
      expect([one?.login, one?.resolver.name]).toEqual([held, 'first']);
    }
  });

  it('is the one of exactly the given spelling where a resolver has two that look alike', async () => {
    const twins = sourcesHolding({ 1: ['Zo\u00eb', 'Zoe\u0308'], 2: ['Zo\u00eb'] });
    const among = new UserDirectory({ sources: twins });
    for (const user of ['Zo\u00eb', 'Zoe\u0308']) {
      expect((await among.find(configuration, { user }))?.login).toBe(user);
    }
  });

  it.each([
    '',
    ' ',
    '*',
    '%',
    'an*',
    'anna\0',
    'anna\u202e',
    '\u200eanna',
    '\ud800',
    'x'.repeat(10_000),
    '@',
  ])('is nobody as %j, whatever is in the resolvers', async (user) => {
    expect(await found(user)).toBeUndefined();
    expect(await found(user, 'main')).toBeUndefined();
  });

  it('who is not found is named in the error as the client named them, but not endlessly', async () => {
    const refusal = await eventualRefusal(directory.resolve(configuration, { user: 'nosuch@other' }));
    expect(refusal).toMatchObject({
      code: 'user.unknown',
      message: "There is no user 'nosuch@other'",
      payload: { user: 'nosuch@other', login: 'nosuch' },
    });
    expect((await eventualRefusal(directory.resolve(configuration, { user: '' }))).payload).toEqual({
      user: '',
      login: '',
    });
    const long = await eventualRefusal(directory.resolve(configuration, { user: 'x'.repeat(10_000) }));
    expect(long.message.length).toBeLessThan(400);
    expect(JSON.stringify(long.payload).length).toBeLessThan(800);
  });

  it('in no default realm is nobody', async () => {
    const realms = configuration.realms.map((realm) => ({ ...realm, isDefault: false }));
    expect(await directory.find({ ...configuration, realms }, { user: 'anna' })).toBeUndefined();
  });

  it('with blanks around the login in the resolver is found by that login', async () => {
    const among = new UserDirectory({ sources: sourcesHolding({ 1: ['otto '], 2: ['otto'] }) });
    expect((await among.find(configuration, { user: 'otto ' }))?.login).toBe('otto ');
    expect((await among.find(configuration, { user: 'otto' }))?.login).toBe('otto');
  });
});

describe('a login that resolvers find in several ways', () => {
  const bound = (login: string): DirectoryUser => ({
    userId: `${login}-id`,
    login,
    givenName: '',
    surname: '',
    email: '',
    phone: '',
  });
  const ambiguous = new ServiceError('user.ambiguous', 'It is that of several users', { login: 'bob' });
  const away = new ServiceError('resolver.unavailable', 'The resolver is away');
  /** What each of the two resolvers does for a login. */
  type Outcome = string | undefined | ServiceError;
  const outcomeOf = async (user: string, first: Outcome, second: Outcome): Promise<string | undefined> => {
    const among = new UserDirectory({
      sources: ({ id }) =>
        ({
          findByLogin: () => {
            const outcome = id === '1' ? first : second;
            return outcome instanceof ServiceError
              ? Promise.reject(outcome)
              : Promise.resolve(outcome === undefined ? undefined : bound(outcome));
          },
        }) as Partial<UserSource> as UserSource,
    });
    try {
      const one = await among.find(configuration, { user, realm: 'main' });
      return one && `${one.login} of ${one.resolver.name}`;
    } catch (error) {
      return (error as ServiceError).code;
    }
  };

  it.each<[string, string, Outcome, Outcome, string | undefined]>([
    [
      'is that of its exact owner, not of another case in an earlier one',
      'bob',
      'Bob',
      'bob',
      'bob of second',
    ],
    ['is never that of somebody with another login', 'victim', 'mallory', 'victim', 'victim of second'],
    ['is not hidden by several of another case', 'bob', ambiguous, 'bob', 'bob of second'],
    ['is exact in either Unicode form', 'Zo\u00eb', 'zo\u00eb', 'Zoe\u0308', 'Zoe\u0308 of second'],
    ['is that of the first where both are exact', 'bob', 'bob', 'bob', 'bob of first'],
    ['needs no later one where it is exact', 'bob', 'bob', away, 'bob of first'],
    ['is that of the first inexact one where none is exact', 'BOB', 'Bob', 'bob', 'Bob of first'],
    ['is the inexact one where the others have nobody', 'BOB', undefined, 'bob', 'bob of second'],
    ['is refused where several are meant and none is exact', 'BOB', ambiguous, 'bob', 'user.ambiguous'],
    ['is the first inexact one before several others', 'BOB', 'Bob', ambiguous, 'Bob of first'],
    [
      'is unknown where a later one fails that might have the exact one',
      'BOB',
      'Bob',
      away,
      'resolver.unavailable',
    ],
    ['is unknown where one fails behind several', 'BOB', ambiguous, away, 'resolver.unavailable'],
    ['is unknown where an earlier one fails', 'bob', away, 'bob', 'resolver.unavailable'],
  ])('%s: %j', async (_what, user, first, second, expected) => {
    expect(await outcomeOf(user, first, second)).toBe(expected);
  });
});

describe('the password of an owner', () => {
  it('is checked in the resolver by its id', async () => {
    const owner = { resolverId: '1', userId: 'anna-id' };
    expect(await directory.checkPassword(configuration, owner, 'geheim')).toBe(true);
    expect(await directory.checkPassword(configuration, owner, 'falsch')).toBe(false);
    expect(await directory.checkPassword(configuration, { ...owner, resolverId: '2' }, 'geheim')).toBe(false);
  });

  it('matches nothing where the resolver or the user is gone', async () => {
    expect(
      await directory.checkPassword(configuration, { resolverId: '9', userId: 'anna-id' }, 'geheim'),
    ).toBe(false);
    expect(await directory.checkPassword(configuration, { resolverId: '1', userId: 'gone' }, '')).toBe(false);
  });
});

describe('a user of one resolver alone', () => {
  const only = async (resolver: string, user: string, realm?: string): Promise<string | undefined> => {
    const one = await directory.find(configuration, { user, realm, resolver });
    return one && `${one.resolver.name} in ${one.realm.name}`;
  };

  it.each([
    ['second', 'anna', undefined, 'second in main'],
    ['useridresolver.SQLIdResolver.IdResolver.second', 'anna', undefined, 'second in main'],
    ['second', 'anna@other', undefined, 'second in other'],
    ['second', 'bernd', 'other', 'second in other'],
    ['first', 'bernd', undefined, undefined],
    ['first', 'anna', 'other', undefined],
    ['Second', 'anna', undefined, undefined],
    ['*', 'anna', undefined, undefined],
    ['', 'anna', undefined, undefined],
  ])('%s is %s in %s: %s', async (resolver, user, realm, expected) => {
    expect(await only(resolver, user, realm)).toBe(expected);
  });

  it('is looked for in the first realm that has it, where the default realm has not', async () => {
    const elsewhere = configurationOf({
      realms: [
        { name: 'usual', resolvers: ['first'] },
        { name: 'apart', resolvers: ['second'] },
      ],
      resolvers: [
        { id: '1', name: 'first' },
        { id: '2', name: 'second' },
      ],
    });
    const one = await directory.find(elsewhere, { user: 'bernd', resolver: 'second' });
    expect(one?.realm.name).toBe('apart');
    expect(await directory.find(elsewhere, { user: 'bernd' })).toBeUndefined();
  });
});
