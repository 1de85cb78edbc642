import { describe, expect, it } from '@jest/globals';
import type { Configuration, Revision } from '../../src/configuration/configuration.ts';
import { compareConfiguration, type ConfigurationReport } from '../../src/monitoring/reports.ts';
import { configurationOf } from '../support/values/configuration-value.ts';

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
  it('counts the parts of the configuration and reports that the server is up to date', async () => {
    expect(await compared()).toEqual({
      sync: true,
      readAt: READ.readAt,
      changedAt: READ.changedAt,
      now: NOW,
      total: 6,
      values: 1,
      resolvers: { managed: 1, passwd: 1, sql: 0, ldap: 0 },
      policies: 0,
      realms: 3,
    });
  });

  it('says that it is not, when the database has moved on', async () => {
    const stored = { revision: READ.revision + 1n, changedAt: LATER };
    expect(await compared([READ], [stored])).toMatchObject({
      sync: false,
      readAt: READ.readAt,
      changedAt: LATER,
    });
  });

  it('says that it is not, when the database was put back and has changed as often since', async () => {
    const stored = { revision: READ.revision, changedAt: LATER };
    expect(await compared([READ], [stored])).toMatchObject({ sync: false });
  });

  it('reports the configuration before this request, not the one that it reads for the request', async () => {
    const older = configurationOf({ revision: READ.revision - 1n });
    expect(await compared([older])).toMatchObject({ sync: false, total: 0 });
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
