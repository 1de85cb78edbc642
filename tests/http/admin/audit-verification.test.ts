import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { valueOf } from '../../support/application/browser.ts';
import {
  BoundedAdministrators,
  OPERATOR,
  TestApplication,
} from '../../support/application/test-application.ts';
import { tamperOnce } from '../../support/database/test-server.ts';
import { until } from '../../support/values/until.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';

interface Verification {
  readonly id: string;
  readonly state: string;
  readonly begun_by: string;
  readonly ended_at: string | null;
  readonly rows: number;
  readonly total_rows: number;
  readonly findings: number;
  readonly newest_checkpoint: string;
  readonly listed_findings: readonly { readonly kind: string; readonly target: string }[];
}

interface Overview {
  readonly verification: Verification | null;
  readonly keys: readonly string[];
}

let application: TestApplication;
beforeEach(async () => {
  application = await TestApplication.open();
  await application.enrolPlain('ONE', SUITE);
  await application.challenge('ONE', '12345678');
});
afterEach(() => application.close());

const sql = (text: string): Promise<Record<string, unknown>[]> => application.rows(text);

/** Seals all rows: also while another test keeps a transaction open for long, behind which nothing is sealed. */
async function sealAll(): Promise<void> {
  await until(async () => {
    await application.services.auditSealer.sealAll();
    const [row] = await sql(
      'SELECT max(id) <= (SELECT max(last_id) FROM audit_checkpoints) AS "isSealed" FROM audit',
    );
    return row?.isSealed === true;
  });
}

/** Seals all rows, and then changes some. */
async function tamper(text: string): Promise<void> {
  await sealAll();
  await tamperOnce(application.databaseUrl, text);
}

const begin = async (): Promise<Verification> =>
  valueOf(await application.asAdmin('/admin/audit/verify', {})) as Verification;
const overview = async (): Promise<Overview> =>
  valueOf(await application.asAdmin('/admin/audit/verification', {})) as Overview;

const ended = (): Promise<void> => until(async () => (await overview()).verification?.state !== 'running');

/** @returns the result of a verification that was begun and has ended */
async function result(): Promise<Verification> {
  await begin();
  await ended();
  const { verification } = await overview();
  if (verification === null) {
    throw new Error('there is no verification');
  }
  return verification;
}

describe('/admin/audit/verify', () => {
  it('begins in the background; the result is kept, with its time and the keys', async () => {
    expect(await overview()).toMatchObject({ verification: null });
    await sealAll();
    const begun = await begin();
    expect(begun).toMatchObject({ state: 'running', begun_by: 'admin', ended_at: null, listed_findings: [] });
    await ended();
    const { verification, keys } = await overview();
    expect(verification).toMatchObject({ id: begun.id, state: 'finished', findings: 0 });
    expect(verification?.rows).toBeGreaterThan(3);
    // Of all that it has checked at least, whatever the database estimated before.
    expect(verification?.total_rows).toBeGreaterThanOrEqual(verification?.rows ?? Infinity);
    expect(verification?.newest_checkpoint).toMatch(/^[0-9a-f]{64}$/);
    expect(keys).toHaveLength(1);
  });

  it('finds what was changed, and lists it', async () => {
    await tamper("UPDATE audit SET outcome = 'accepted' WHERE outcome = 'issued'");
    expect(await result()).toMatchObject({
      state: 'finished',
      findings: 1,
      listed_findings: [
        { kind: 'changed', target: 'row', reason: 'checkpoint 1 knows another one of this id' },
      ],
    });
  });

  it('lists a hundred findings at most, and counts all', async () => {
    await application.services.settings.set(
      OPERATOR,
      new Map(Array.from({ length: 150 }, (_, number) => [`many.${number}`, 'x'])),
    );
    await tamper("UPDATE audit SET outcome = 'removed' WHERE action = 'configuration/set'");
    const { findings, listed_findings: listed } = await result();
    expect(findings).toBe(150);
    expect(listed).toHaveLength(100);
  });

  it('requires a checkpoint that was given', async () => {
    const wrong = await application.asAdmin('/admin/audit/verify', { checkpoint: 'ab'.repeat(32) });
    expect(valueOf(wrong)).toMatchObject({ state: 'running' });
    await ended();
    expect((await overview()).verification).toMatchObject({
      findings: 1,
      listed_findings: [
        { kind: 'removed', target: 'checkpoint', reason: `the trail does not contain ${'ab'.repeat(32)}` },
      ],
    });
    const refused = await application.asAdmin('/admin/audit/verify', { checkpoint: 'x' });
    expect(JSON.stringify(refused.body)).toContain('A checkpoint has 64 hexadecimal digits');
  });

  it('is recorded in the audit: its begin, and its result', async () => {
    const { rows } = await result();
    const found = await sql(
      "SELECT actor, outcome, request_id FROM audit WHERE action = 'audit/verify' ORDER BY at, id",
    );
    expect(found).toMatchObject([
      { actor: 'admin', outcome: 'begun' },
      { actor: 'admin', outcome: `verified ${rows} rows`, request_id: 'verification-1' },
    ]);
  });

  it('runs once in an installation: two servers that begin at once join one verification', async () => {
    const other = application.beside();
    const servers = Array.from({ length: 8 }, (_, number) => (number % 2 === 0 ? application : other));
    try {
      const begun = await Promise.all(
        servers.map((server) => server.services.auditVerification.begin(OPERATOR)),
      );
      const rows = await sql("SELECT count(*)::int AS n FROM audit WHERE outcome = 'begun'");
      expect(new Set(begun.map(({ id }) => id)).size).toBe(rows[0]?.n);
      const [running] = await sql(
        "SELECT max(n)::int AS n FROM (SELECT count(*) AS n FROM audit_verifications WHERE state = 'running') AS r",
      );
      expect(running?.n).toBeLessThanOrEqual(1);
    } finally {
      await ended();
      await other.close();
    }
  });

  it('is taken over from a server that has been silent for a minute', async () => {
    await sql(`INSERT INTO audit_verifications (begun_at, begun_by, checkpoint, advanced_at)
      VALUES (now(), 'ghost', '', now() - interval '50 seconds')`);
    expect(await begin()).toMatchObject({ state: 'running', begun_by: 'ghost' });
    await sql("UPDATE audit_verifications SET advanced_at = now() - interval '61 seconds'");
    expect((await overview()).verification).toMatchObject({ state: 'interrupted', begun_by: 'ghost' });
    expect(await result()).toMatchObject({ state: 'finished', begun_by: 'admin' });
    expect(await sql('SELECT state FROM audit_verifications ORDER BY id')).toEqual([
      { state: 'interrupted' },
      { state: 'finished' },
    ]);
  });

  it('is interrupted when its server stops, and no further one begins there', async () => {
    const other = application.beside();
    const { id } = await other.services.auditVerification.begin(OPERATOR);
    await other.services.auditVerification.stop();
    expect((await overview()).verification).toMatchObject({ id, state: 'interrupted' });
    await expect(other.services.auditVerification.begin(OPERATOR)).rejects.toThrow('The server stops');
    expect((await result()).state).toBe('finished');
  });

  it('fails where the checkpoints cannot be read', async () => {
    await sql('ALTER TABLE audit_checkpoints RENAME COLUMN month TO other');
    expect(await result()).toMatchObject({ state: 'failed', reason: 'internal error', findings: 0 });
    const [row] = await sql(
      "SELECT outcome FROM audit WHERE action = 'audit/verify' ORDER BY at DESC, id DESC LIMIT 1",
    );
    expect(row).toEqual({ outcome: 'failed after 0 rows' });
  });

  it('keeps the last ten verifications', async () => {
    for (let number = 0; number < 12; number += 1) {
      await result();
    }
    const [row] = await sql('SELECT count(*)::int AS n, min(id)::int AS first FROM audit_verifications');
    expect(row).toEqual({ n: 10, first: 3 });
  });

  it('takes the right audit in all realms', async () => {
    await application.addRealm('north', ['ann']);
    const bounded = await BoundedAdministrators.of(application);
    await bounded.add('north-desk', 'audit', 'north');
    await bounded.add('clerk', 'show', '*');
    for (const path of ['/admin/audit/verify', '/admin/audit/verification']) {
      const desk = JSON.stringify((await bounded.post('north-desk', path, {})).body);
      expect(desk).toContain('can be verified as a whole only');
      expect(JSON.stringify((await bounded.post('clerk', path, {})).body)).toContain('action=audit');
    }
    expect((await application.asAdmin('/admin/audit/verify', {}, 'get')).status).toBe(405);
    expect(await sql('SELECT id FROM audit_verifications')).toEqual([]);
  });
});
