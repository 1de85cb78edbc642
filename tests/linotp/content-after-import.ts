import { openDatabase } from '../../src/database/database.ts';
import { TestApplication } from '../support/application/test-application.ts';
import { type FixtureName, importFixture } from './linotp-fixture.ts';
import { wholeContent } from './stored-installation.ts';

/**
 * The content that an import of the fixture leaves in an empty database.
 * @param place another source of the same fixture; default: its dump, whose result fixtures.test.ts compares with
 *   expected.json
 */
export async function contentAfterImport(fixture: FixtureName, place?: string): Promise<object> {
  const app = await TestApplication.open();
  try {
    await importFixture(app.services, fixture, place === undefined ? {} : { place });
    const database = openDatabase({ connection: app.databaseUrl, applicationName: 'test' });
    const content = await wholeContent(database.knex);
    await database.close();
    return content;
  } finally {
    await app.close();
  }
}
