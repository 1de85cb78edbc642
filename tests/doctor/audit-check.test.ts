import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { checkAudit } from '../../src/doctor/database-check.ts';
import { AuditStore } from '../../src/audit/audit-store.ts';
import { AuditedDatabase } from '../support/database/audited-database.ts';
import { ACT } from '../support/values/token-values.ts';

let audited: AuditedDatabase;

beforeAll(async () => {
  audited = await AuditedDatabase.create();
  const server = audited.server();
  await server.audit.autocommit.write(ACT, 'T1', 'done');
  await audited.seal();
});
afterAll(() => audited.drop());

/**
 * @param rows the number of rows as the database estimates it
 * @param elapsed milliseconds that each look takes
 */
function check(rows: number, elapsed = 0): ReturnType<typeof checkAudit> {
  let time = 0;
  return checkAudit({
    store: new AuditStore({ database: audited.test.database }),
    authority: audited.authority,
    trail: () => Promise.resolve({ lastCheckpoint: new Date(), oldestUncovered: undefined, rows }),
    clock: audited.clock,
    elapsed: () => (time += elapsed),
    timeoutMs: 1_000,
  });
}

it('a trail that cannot be verified in time is a note', async () => {
  expect(await check(1)).toEqual([]);
  expect((await check(1, 2_000)).map(({ code, severity }) => [code, severity])).toEqual([
    ['audit.unverified', 'note'],
  ]);
});

it('of a large trail, the last day is verified', async () => {
  const now = audited.clock.time;
  audited.clock.time = new Date(now.getTime() - 2 * 86_400_000);
  await audited.server().audit.autocommit.write(ACT, 'old', 'done');
  await audited.seal();
  audited.clock.time = now;
  await audited.tamper("UPDATE audit SET outcome = 'other' WHERE subject = 'old'");
  expect((await check(1)).map(({ code }) => code)).toEqual(['audit.altered']);
  expect(await check(1_000_000)).toEqual([]);
  await audited.tamper("UPDATE audit SET outcome = 'other' WHERE subject = 'T1'");
  expect((await check(1_000_000)).map(({ code }) => code)).toEqual(['audit.altered']);
});
