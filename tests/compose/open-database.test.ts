import { expect, it } from '@jest/globals';
import { prepareSchema } from '../../src/compose/open-database.ts';
import { loadConfig } from '../../src/config/config.ts';
import { migrationNames } from '../../src/database/migration-source.ts';
import { databaseOfTests } from '../support/database/test-database.ts';

const test = databaseOfTests({ schema: 'empty' });

it('of servers that start together, the one that brings the schema up to date says so', async () => {
  const logged: string[] = [];
  const line = (message: string): void => void logged.push(message);
  const log = { error: line, warn: line, info: line, debug: line };
  const waiting = { giveUp: undefined, delayed: undefined };
  const config = loadConfig({ DATABASE_URL: 'postgres://localhost/unused' });
  const applied = await Promise.all(
    ['one', 'another'].map(() => prepareSchema(config, test.database, 'server', log, waiting)),
  );
  expect(applied.toSorted((left, right) => left.length - right.length)).toEqual([[], migrationNames]);
  expect(logged).toEqual([`Brought the database schema up to date: ${migrationNames.join(', ')}`]);
});
