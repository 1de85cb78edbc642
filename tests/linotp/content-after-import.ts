import { openDatabase } from '../../src/database/database.ts';
import { TestApplication } from '../support/application/test-application.ts';
import { type FixtureName, importFixture } from './linotp-fixture.ts';
import { wholeContent } from './stored-installation.ts';

const ofFixtures = new Map<FixtureName, Promise<object>>();

/** The content that a fixture leaves in an empty database; fixtures.test.ts compares it with expected.json. */
export function contentOfFixture(fixture: FixtureName): Promise<object> {
  const content = ofFixtures.get(fixture) ?? contentAfterImport(fixture);
  ofFixtures.set(fixture, content);
  return content;
}

/** The content that an import leaves. @param place a source of the same fixture; default: a scratch database with its dump */
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
