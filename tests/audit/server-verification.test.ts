import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ServerVerification } from '../../src/audit/server-verification.ts';
import type { AuditStore } from '../../src/audit/ports.ts';
import type { VerificationRecord } from '../../src/audit/verification-record.ts';
import { SqlAuditStore } from '../../src/storage/audit/audit-store.ts';
import { SqlVerificationStore } from '../../src/storage/audit/verification-store.ts';
import { AccessControl } from '../../src/policy/access-control.ts';
import { AuditedDatabase } from '../support/database/audited-database.ts';
import { OPERATOR } from '../support/values/callers.ts';
import { ACT } from '../support/values/token-values.ts';

let audited: AuditedDatabase;
beforeEach(async () => {
  audited = await AuditedDatabase.create();
  for (const [month, subjects] of [
    ['2026-08', ['a', 'b', 'c']],
    ['2026-10', ['d']],
  ] as const) {
    audited.clock.time = new Date(`${month}-10T12:00:00Z`);
    const server = audited.server();
    for (const subject of subjects) {
      await server.autocommit.audit.write(ACT, subject, 'done');
    }
    await server.close();
  }
});
afterEach(() => audited.drop());

/**
 * @param after called after each step, by its number: the end of the trail, its journal, its lanes
 * @returns the result of a verification
 */
async function verified(after: (step: number) => Promise<unknown>): Promise<VerificationRecord | undefined> {
  const { clock, authority } = audited;
  const database = audited.server();
  const trail = new SqlAuditStore({ database });
  let steps = 0;
  const store: Pick<AuditStore, 'readInSteps' | 'estimate'> = {
    estimate: () => trail.estimate(),
    readInSteps: (work, run) =>
      trail.readInSteps(work, async (step) => {
        const result = await run(step);
        steps += 1;
        await after(steps);
        return result;
      }),
  };
  const verification = new ServerVerification({
    clock,
    authority,
    store,
    elapsed: () => performance.now(),
    rest: () => Promise.resolve(),
    verifications: new SqlVerificationStore({ database }),
    access: new AccessControl({ clock }),
    configuration: { current: () => Promise.resolve({ policies: [], realms: [], resolvers: [] }) },
    log: { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined },
  });
  await verification.begin(OPERATOR);
  await verification.whenSettled();
  return (await verification.overview(OPERATOR)).newest;
}

async function prune(month: string): Promise<void> {
  await audited.service(audited.server()).prune(OPERATOR, { before: new Date(`${month}-01`), force: false });
}

describe('a verification by a server', () => {
  it('begins again when months are removed meanwhile, and finds nothing missing', async () => {
    const record = await verified((step) => (step === 2 ? prune('2026-09') : Promise.resolve()));
    expect(record).toMatchObject({ state: 'finished', findings: 0, listed: [] });
    expect(record?.rows).toBeGreaterThan(0);
  });

  it('lists nothing of a trail that changes each time', async () => {
    await audited.tamper("UPDATE audit SET outcome = 'other' WHERE subject = 'd'");
    const record = await verified(async () => {
      await audited.tamper(`INSERT INTO audit_journal
        SELECT max(number) + 1, now(), 'prune', 0, '', '{}', '', '', '' FROM audit_journal`);
    });
    expect(record).toMatchObject({ state: 'failed', findings: 0, rows: 0, listed: [] });
    expect(record?.reason).toMatch(/begin again/);
  });

  it('knows each administrator who is added while it begins', async () => {
    const { knex } = audited.test.database;
    const add = async (name: string): Promise<void> => {
      await knex('administrators').insert({ name, password_hash: 'x' });
      await audited.server().autocommit.audit.write({ ...ACT, action: 'administrator/add' }, name, 'created');
    };
    await add('ann');
    const record = await verified((step) => (step === 1 ? add('bob') : Promise.resolve()));
    expect(record).toMatchObject({ state: 'finished', findings: 0, listed: [] });
  });
});
