import { describe, expect, it } from '@jest/globals';
import type { Configuration, Revision } from '../../src/configuration/configuration.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import {
  NO_REALM,
  chooseRealms,
  parseStatuses,
  visibleRealms,
} from '../../src/monitoring/monitoring-query.ts';
import { type ConfigurationReport, compareConfiguration } from '../../src/monitoring/reports.ts';
import { ServiceMetrics } from '../../src/observability/metrics.ts';
import { observed } from '../../src/resolvers/sources/user-sources.ts';
import type { UserSource } from '../../src/resolvers/user-source.ts';
import { configurationOf } from '../support/values/configuration-value.ts';

const names = (text?: string): string[] => parseStatuses(text).map(({ name }) => name);

describe('the parameter status', () => {
  it('selects nothing when it is missing or empty', () => {
    expect(names()).toEqual([]);
    expect(names('')).toEqual([]);
    expect(names(' , ,')).toEqual([]);
  });

  it('keeps the given order, drops blanks around commas and counts a repeated status once', () => {
    expect(names(' unassigned , assigned,active,,unassigned')).toEqual(['unassigned', 'assigned', 'active']);
  });

  it('adds nothing for the two that are always counted', () => {
    expect(names('total,active,total users')).toEqual(['active']);
  });

  it.each([
    ['foo', 'foo'],
    ['assigned,foo', 'foo'],
    ['Assigned', 'Assigned'],
    ['unassigned & inactive', 'unassigned '],
    ['total&active', 'total'],
    ['assigned&', ''],
    ['&', ''],
    ['*', '*'],
    ['__proto__', '__proto__'],
    ['\'"\\ä', '\'"\\ä'],
  ])('refuses %j and names the part that is unknown', (text, status) => {
    expect(() => parseStatuses(text)).toThrow(
      expect.objectContaining({ code: 'token-status.unknown', payload: { status } }),
    );
  });

  it('refuses more statuses than there are meaningful ones', () => {
    const joined = (count: number): string => Array.from({ length: count }, () => 'active').join('&');
    const many = (count: number): string =>
      Array.from({ length: count }, (_, index) => joined(index + 1)).join();
    expect(names(many(64))).toHaveLength(64);
    expect(() => parseStatuses(many(65))).toThrow(expect.objectContaining({ code: 'parameter.invalid' }));
  });
});

const configuration = configurationOf({
  realms: ['limrealm', 'mydefrealm', 'sqlrealm'].map((name) => ({ name, resolvers: [] })),
});

const all = visibleRealms(configuration, { realms: 'all' });

const some = visibleRealms(configuration, { realms: ['sqlrealm', 'mydefrealm', 'nosuchrealm'] });

const none = visibleRealms(configuration, { realms: ['nosuchrealm'] });

describe('the parameter realms', () => {
  it('means all visible realms, sorted by name, when it is missing or empty', () => {
    for (const text of [undefined, '']) {
      expect(chooseRealms(all, text)).toEqual(['limrealm', 'mydefrealm', 'sqlrealm']);
      expect(chooseRealms(some, text)).toEqual(['mydefrealm', 'sqlrealm']);
      expect(chooseRealms(none, text)).toEqual([]);
    }
  });

  it('with * anywhere includes tokens in no realm, for administrators who may see those', () => {
    for (const text of ['*', '*,mydefrealm', 'mydefrealm,*']) {
      expect(chooseRealms(all, text)).toEqual(['limrealm', 'mydefrealm', 'sqlrealm', NO_REALM]);
      expect(chooseRealms(some, text)).toEqual(['mydefrealm', 'sqlrealm']);
      expect(chooseRealms(none, text)).toEqual([]);
    }
  });

  it('keeps the order of an explicit list, in any case, blanks around names dropped, each realm once', () => {
    expect(chooseRealms(all, ' sqlrealm , MyDefRealm,SQLREALM')).toEqual(['sqlrealm', 'mydefrealm']);
    expect(chooseRealms(all, '/:No Realm:/,limrealm')).toEqual([NO_REALM, 'limrealm']);
  });

  it('leaves out names that do not exist and names that are not visible, without a difference', () => {
    expect(chooseRealms(some, 'unknown,mydefrealm,limrealm,,/:no realm:/')).toEqual(['mydefrealm']);
  });

  it.each([
    ['unknown', ['unknown']],
    ['limrealm', ['limrealm']],
    ['/:no realm:/', ['/:no realm:/']],
    ['Unknown1, unknown2,unknown2', ['unknown1', 'unknown2', 'unknown2']],
    [',', ['', '']],
    [' ', ['']],
    [' * ', ['*']],
    ['myd*', ['myd*']],
    ['my%', ['my%']],
    ['no realm', ['no realm']],
    ['toString', ['tostring']],
    ["äö'", ["äö'"]],
  ])('%j is refused when nothing of it is left', (text, realms) => {
    expect(() => chooseRealms(some, text)).toThrow(
      expect.objectContaining({
        code: 'right.missing',
        payload: { realms },
      }),
    );
  });
});

const NOW = new Date('2026-11-20T10:29:03.142Z');

const LATER = new Date('2026-11-20T10:29:00Z');

/** The configuration that a request reads. */
const READ = configurationOf({
  resolvers: [{ name: 'people' }, { name: 'Staff', kind: 'passwd', settings: { fileName: '/x' } }],
  realms: [
    { name: 'north', resolvers: ['people'] },
    { name: 'south', resolvers: ['Staff', 'people'] },
    { name: 'west', resolvers: [] },
  ],
  settings: new Map([['OcraMaxChallenges', '4']]),
});

/**
 * @param assumed the configurations in the server's memory at successive looks, the last one from then on
 * @param stored the last changes in the database at successive reads, the last one from then on
 */
async function compared(
  assumed: readonly (Configuration | undefined)[] = [READ],
  stored: readonly Revision[] = [READ],
): Promise<ConfigurationReport> {
  const [looks, reads] = [[...assumed], [...stored]];
  const state = {
    get assumed() {
      return looks.length > 1 ? looks.shift() : looks[0];
    },
    lastChangeInDatabase: () => Promise.resolve((reads.length > 1 ? reads.shift() : reads[0]) ?? READ),
  };
  const { report } = await compareConfiguration(state, { now: () => NOW }, () => Promise.resolve(READ));
  return report;
}

describe('the configuration check', () => {
  it('says that it is not, when the database was put back and has changed as often since', async () => {
    const stored = { revision: READ.revision, changedAt: LATER };
    expect(await compared([READ], [stored])).toMatchObject({ sync: false });
  });

  it('reports the configuration that it reads for this request where it had none before', async () => {
    expect(await compared([undefined])).toMatchObject({ sync: true, total: 6 });
  });

  it('is up to date where it has read a change made after its read of the database', async () => {
    const older = { revision: READ.revision - 1n, changedAt: new Date('2026-11-20T10:00:00Z') };
    const overtaken = await compared([undefined], [older, READ]);
    expect(overtaken).toMatchObject({ sync: true, changedAt: READ.changedAt });
    const putBack = await compared([READ], [older]);
    expect(putBack).toMatchObject({ sync: false, changedAt: older.changedAt });
  });

  it.each(['before', 'after'])(
    'treats a change %s its read, which was noticed meanwhile, as noticed',
    async (when) => {
      const newer = configurationOf({ revision: READ.revision + 1n });
      const stored = when === 'before' ? newer : READ;
      expect(await compared([READ, newer], [stored])).toMatchObject({ sync: true });
    },
  );
});

const CLOCK = { now: () => new Date(42_000) };

const USER = { userId: '1', login: 'ann', givenName: '', surname: '', email: '', phone: '' };

const answering: UserSource = {
  findByLogin: () => Promise.resolve(USER),
  findById: () => Promise.resolve(undefined),
  list: () => Promise.resolve([USER]),
  count: () => Promise.resolve(7),
  examine: () => Promise.resolve({ entries: 7, users: 7, withoutId: 0, withoutLogin: 0, sharingId: 0 }),
  checkPassword: () => Promise.resolve(false),
};

describe('the health of resolvers', () => {
  it.each<[string, (source: UserSource) => Promise<unknown>]>([
    ['findByLogin', (source) => source.findByLogin('ann')],
    ['findById', (source) => source.findById('1')],
    ['examine', (source) => source.examine()],
    ['list', (source) => source.list()],
    ['count', (source) => source.count()],
    ['checkPassword', (source) => source.checkPassword('1', 'x')],
  ])('is that of their last use: %s', async (method, use) => {
    const metrics = new ServiceMetrics({ clock: CLOCK });
    let error: Error | undefined = new ServiceError('resolver.unavailable', 'no');
    const source = observed(
      {
        ...answering,
        [method]: (...given: never[]) =>
          error === undefined
            ? (answering[method as keyof UserSource] as (...given: never[]) => Promise<unknown>)(...given)
            : Promise.reject(error),
      },
      (isAnswered) => {
        metrics.resolvers.resolverUsed('people', isAnswered);
      },
    );
    expect(await metrics.text()).not.toContain('tankeeper_resolver_up{');
    await expect(use(source)).rejects.toThrow('no');
    expect(await metrics.text()).toMatch(/^tankeeper_resolver_up\{resolver="people"\} 0$/m);
    error = undefined;
    await use(source);
    // A fault of ours says nothing about the resolver.
    error = new ServiceError('database.unavailable', 'away');
    await expect(use(source)).rejects.toThrow('away');
    const text = await metrics.text();
    expect(text).toMatch(/^tankeeper_resolver_up\{resolver="people"\} 1$/m);
    expect(text).toMatch(/^tankeeper_resolver_last_success_timestamp_seconds\{resolver="people"\} 42$/m);
    expect(text).toMatch(/^tankeeper_resolver_requests_total\{resolver="people",outcome="unavailable"\} 1$/m);
    expect(text).toMatch(/^tankeeper_resolver_requests_total\{resolver="people",outcome="answered"\} 1$/m);
  });

  it('has a hundred resolvers with names, and all others together', async () => {
    const metrics = new ServiceMetrics({ clock: CLOCK });
    for (let index = 0; index < 105; index += 1) {
      metrics.resolvers.resolverUsed(`r${index}`, true);
    }
    const text = await metrics.text();
    expect(text.match(/^tankeeper_resolver_up\{/gm)).toHaveLength(101);
    expect(text).toMatch(/^tankeeper_resolver_requests_total\{resolver="\(other\)",outcome="answered"\} 5$/m);
  });
});
