import { describe, expect, it } from '@jest/globals';
import type { Configuration, Resolver } from '../../src/configuration/configuration.ts';
import { PeopleSearch } from '../../src/helpdesk/search-service.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import {
  type DirectoryUser,
  type UserSearch,
  type UserSource,
  matchesUser,
} from '../../src/resolvers/user-source.ts';

const NEVER = new Promise<never>(() => undefined);

function user(login: string, names: Partial<DirectoryUser> = {}): DirectoryUser {
  return { userId: login, login, givenName: '', surname: '', email: '', phone: '', ...names };
}

function source(users: readonly DirectoryUser[], changes: Partial<UserSource> = {}): UserSource {
  return {
    findByLogin: (login) => Promise.resolve(users.find((one) => one.login === login)),
    findById: () => Promise.resolve(undefined),
    list: (search?: UserSearch) =>
      Promise.resolve(
        users.filter((one) => matchesUser(one, search?.conditions ?? [])).slice(0, search?.limit),
      ),
    count: () => Promise.resolve(users.length),
    examine: () => Promise.reject(new Error('People are only searched')),
    checkPassword: () => Promise.resolve(false),
    ...changes,
  };
}

function searchIn(sources: Readonly<Record<string, UserSource>>) {
  const names = Object.keys(sources);
  const resolvers = names.map((name) => ({ id: name, name, kind: 'ldap' }) as Resolver);
  const realms = [
    { id: '1', name: 'all', isDefault: false, resolvers: names },
    { id: '2', name: 'usual', isDefault: true, resolvers: names.slice(0, 1) },
    { id: '3', name: 'zone', isDefault: false, resolvers: names.slice(1) },
  ];
  const configuration = { realms, resolvers } as unknown as Configuration;
  const people = new PeopleSearch({ sources: ({ name }) => sources[name] ?? source([]) });
  return {
    people,
    find: (text: string, realmNames: 'all' | readonly string[] = 'all') =>
      people.find(configuration, { realms: realmNames }, text, 10),
  };
}

const ANNA = user('anna', { givenName: 'Anna', surname: 'Musk', email: 'anna@example.org' });

describe('the search for people', () => {
  it.each(['ANN', 'mus', 'anna@ex', 'anna musk', 'Musk  A', 'ann*'])('finds by %j', async (text) => {
    const { hits, incomplete } = await searchIn({ a: source([ANNA, user('bob')]) }).find(text);
    expect(hits.map(({ login }) => login)).toEqual(['anna']);
    expect(incomplete).toEqual([]);
  });

  it.each([
    ['Schroeder', 'Schröder'],
    ['SCHRÖD', 'Schroeder'],
    ['schro\u0308d', 'Schroeder'],
    ['Strasser', 'Straßer'],
    ['bauer schroe', 'Schröder'],
  ])('finds by %j who is spelled %s', async (text, surname) => {
    const found = user('x', { givenName: 'Bauer', surname });
    const { hits } = await searchIn({ a: source([found, user('bob')]) }).find(text);
    expect(hits.map(({ login }) => login)).toEqual(['x']);
  });

  it.each([
    ['lockheim', { surname: 'Schröder-Lockheim' }],
    ['Juergen lock', { givenName: 'Karl Jürgen', surname: 'Schröder-Lockheim' }],
    ['neill', { surname: "O'Neill" }],
    ['Neill', { surname: 'O\u2019Neill' }],
    ['mark', { givenName: 'J.Mark' }],
    ['paul-peter', { givenName: 'Hans Paul-Peter' }],
    ['Karl-Heinz Schmi', { givenName: 'Karl Heinz', surname: 'Schmidt' }],
    ['mueller-lüd', { surname: 'Müller Lüdenscheidt' }],
    ['mueller-lüd', { surname: 'Müller-Lüdenscheidt' }],
  ])('finds by %j, words of a name', async (text, names) => {
    const { hits } = await searchIn({ a: source([user('x', names), ANNA]) }).find(text);
    expect(hits.map(({ login }) => login)).toEqual(['x']);
  });

  it.each([
    ['0170 555 12 34', '+49 (170) 5551234'],
    ['+49 170 5551234', '0170/555-1234'],
    ['0049-170-5551234', '+49 (0)170 5551234'],
    ['5551234', '0170.555.1234'],
    ['51234', '+491705551234'],
    ['0170 5551234', 'Tel. 0170 555-1234 (mobile)'],
    ['+49 30 1234', '030 1234'],
    ['0049 (0)30 1234', '(030) 12-34'],
  ])('finds by the number %s whose telephone is written %s', async (text, phone) => {
    const others = [
      user('alike', { phone: '+49 170 5551 9234' }),
      user('foreign', { phone: '+43 660 15551235' }),
      user('short', { phone: '234' }),
      user('extension', { phone: '+49 171 5551234-5' }),
      user('none'),
    ];
    const { hits } = await searchIn({ a: source([...others, user('x', { phone })]) }).find(text);
    expect(hits.map(({ login }) => login)).toEqual(['x']);
  });

  it.each([
    ['049 301235', '030 1234'],
    ['0170 555', '+49 170 5551234'],
    ['30 90182', '+49 40 3090182-17'],
  ])('does not take %s for the number %s', async (text, phone) => {
    const { hits } = await searchIn({ a: source([user('x', { phone })]) }).find(text);
    expect(hits).toEqual([]);
  });

  it('says that somebody may be missing where more numbers are alike than are read', async () => {
    const alike = Array.from({ length: 250 }, (_, number) =>
      user(`alike${number}`, { phone: '+49 170 5192934' }),
    );
    const { find } = searchIn({ a: source([...alike, user('x', { phone: '0170 5551234' })]) });
    expect(await find('51234')).toMatchObject({
      hits: [],
      incomplete: [{ resolver: 'a', reason: expect.stringMatching(/type more digits/) }],
    });
    expect(await find('0170 5551234')).toMatchObject({ hits: [{ login: 'x' }], incomplete: [] });
  });

  it.each(['1234', '+49', 'a51234', '(0) 00', '0170 555 12 35', '١٢٣٤٥'])(
    'takes %j for no telephone number that ends otherwise or is too short',
    async (text) => {
      const { hits } = await searchIn({ a: source([user('x', { phone: '+49 170 5551234' })]) }).find(text);
      expect(hits).toEqual([]);
    },
  );

  it('finds a login in whatever Unicode form it is typed and kept', async () => {
    for (const kept of ['Zo\u00eb', 'Zoe\u0308']) {
      for (const typed of ['Zo\u00eb', 'Zoe\u0308']) {
        const { hits } = await searchIn({ a: source([user('Zoella'), user(kept)]) }).find(typed);
        expect(hits[0]?.login).toBe(kept);
      }
    }
  });

  it.each(['nna', 'anna bob', '*', 'an*a'])('does not find by %j', async (text) => {
    const found = await searchIn({ a: source([ANNA]) }).find(text);
    expect(found.hits.map(({ login }) => login)).toEqual(text === '*' ? ['anna'] : []);
  });

  it('names the realms of the caller, the default one first, and asks no other resolver', async () => {
    const asked: string[] = [];
    const noting = (name: string): UserSource =>
      source([ANNA], {
        findByLogin: () => {
          asked.push(name);
          return Promise.resolve(undefined);
        },
      });
    const { find } = searchIn({ a: noting('a'), b: noting('b') });
    expect((await find('anna')).hits.map(({ resolver, realms }) => ({ resolver, realms }))).toEqual([
      { resolver: 'a', realms: ['usual', 'all'] },
      { resolver: 'b', realms: ['all', 'zone'] },
    ]);
    asked.length = 0;
    expect((await find('anna', ['zone'])).hits).toMatchObject([{ resolver: 'b', realms: ['zone'] }]);
    expect(asked).toEqual(['b']);
    expect((await find('anna', [])).hits).toEqual([]);
  });

  it('shows an exact login first, however many begin alike in another resolver', async () => {
    const many = Array.from({ length: 12 }, (_, number) => user(`anna${number}`));
    const found = await searchIn({ a: source(many), b: source([ANNA]) }).find('Anna');
    expect(found.hits[0]).toMatchObject({ login: 'anna', resolver: 'b' });
    expect(found).toMatchObject({ hits: { length: 10 }, hasMore: true });
  });

  it('names a resolver that is away, and one that is slow, and finds exact logins there', async () => {
    const fault = new ServiceError('resolver.unavailable', "The resolver 'gone' is unavailable: no");
    const { find } = searchIn({
      gone: source([], { findByLogin: () => Promise.reject(fault), list: () => Promise.reject(fault) }),
      slow: source([ANNA], { list: () => NEVER }),
      good: source([user('annabel')]),
    });
    const begun = performance.now();
    const { hits, incomplete } = await find('anna');
    expect(performance.now() - begun).toBeLessThan(1_500);
    expect(hits.map(({ login, resolver }) => [login, resolver])).toEqual([
      ['anna', 'slow'],
      ['annabel', 'good'],
    ]);
    expect(incomplete).toEqual([
      { resolver: 'gone', reason: fault.message },
      { resolver: 'slow', reason: "The resolver 'slow' is unavailable: it does not answer in time" },
    ]);
  });

  it('does not ask a resolver again and again that does not answer', async () => {
    let asked = 0;
    const { find } = searchIn({
      slow: source([], {
        list: () => {
          asked += 1;
          return NEVER;
        },
      }),
    });
    const found = await Promise.all(Array.from({ length: 20 }, () => find('anna')));
    expect(asked).toBeLessThanOrEqual(8);
    expect(found.at(-1)?.incomplete[0]?.reason).toMatch(/works at other searches/);
  });
});
