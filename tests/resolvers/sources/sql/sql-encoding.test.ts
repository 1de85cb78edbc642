import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { UserDirectory } from '../../../../src/users/user-directory.ts';
import { createTestDatabase } from '../../../support/database/test-database.ts';
import { reachOf, sqlSettings, sqlUsers } from '../../../support/servers/sql-resolver.ts';
import { configurationOf } from '../../../support/values/configuration-value.ts';

describe('a table of a database that is not UTF-8', () => {
  it('has its users found by logins with umlauts, in either Unicode form, and nobody by letters that it lacks', async () => {
    const database = await createTestDatabase({ schema: 'empty' });
    const name = `${new URL(database.url).pathname.slice(1)}_latin1`;
    const { knex } = database.database;
    await knex.raw(`CREATE DATABASE "${name}" ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    const url = new URL(database.url);
    url.pathname = `/${name}`;
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    await client.query(`CREATE TABLE people (id integer, "user" text)`);
    await client.query(`INSERT INTO people VALUES (1, 'Zo\u00eb'), (2, 'anna')`);
    await client.end();
    const { reach, password } = reachOf(url.href);
    const settings = sqlSettings(reach, { Map: '{"userid": "id", "username": "user"}' });
    const source = sqlUsers({ settings, password });
    try {
      const configuration = configurationOf({
        realms: [{ name: 'office', resolvers: ['staff'] }],
        resolvers: [{ id: '1', name: 'staff' }],
      });
      const directory = new UserDirectory({ sources: () => source });
      const find = async (user: string): Promise<string | undefined> =>
        (await directory.find(configuration, { user }))?.userId;
      expect(await find('Zo\u00eb')).toBe('1');
      expect(await find('Zoe\u0308')).toBe('1');
      expect(await find('anna')).toBe('2');
      expect(await find('\u674e')).toBeUndefined();
    } finally {
      await source.close();
      await knex.raw(`DROP DATABASE "${name}" WITH (FORCE)`);
      await database.drop();
    }
  });
});
