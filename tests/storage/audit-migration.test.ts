import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';

import { writeAudit } from '../../src/storage/audit-rows.ts';
import * as auditChain from '../../src/storage/migrations/20261121-10-audit-chain.ts';
import { AuditedDatabase } from '../support/audited-database.ts';
import { ACT } from '../support/token-values.ts';

jest.setTimeout(60_000);

let audited: AuditedDatabase;
beforeEach(async () => {
  audited = await AuditedDatabase.create();
});
afterEach(() => audited.drop());

it('rows from before there were signatures stay, each in its month, and back again', async () => {
  const { knex } = audited.test.database;
  await auditChain.down(knex);
  await audited.tamper(`INSERT INTO audit (at, actor, action, subject, outcome, client, request_id)
    VALUES ('2026-03-31T23:30:00Z', 'a', 'b', 'old 1', 'c', 'd', 'e'), ('2026-04-01T00:30:00Z', 'a', 'b', 'old 2', 'c', 'd', 'e')`);
  await auditChain.up(knex);
  expect(await knex('audit_2026_03').pluck('subject')).toEqual(['old 1']);
  expect(await knex('audit_2026_04').pluck('subject')).toEqual(['old 2']);
  await writeAudit(audited.server().knex, ACT, 'new', 'done');
  expect(await audited.verify()).toMatchObject({ rows: 3, unsigned: 2, findings: 0 });

  await auditChain.down(knex);
  expect(await knex('audit').orderBy('id').pluck('subject')).toEqual(['old 1', 'old 2', 'new']);
});
