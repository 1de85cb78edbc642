import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { AuditRow } from '../../../src/audit/audit-row.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';
import { runFake } from '../fake-dependencies.ts';

const ROW: AuditRow = {
  id: '4294967297',
  at: '2026-11-20T12:00:00.123000Z',
  actor: 'alice',
  action: 'admin/init',
  subject: 'T1',
  realm: 'north',
  outcome: 'created',
  client: '192.0.2.7',
  requestId: 'r1',
  transaction: 't1',
};
const PAGE = { rows: [ROW], next: '2026-11-20T12:00:00.123000Z,4294967297' };

describe('tankeeper audit search', () => {
  it('asks for what is given, and shows the page to people and to scripts', async () => {
    const given = '--serial T1 --since 2026-11-01 --until 1H --client 192.0.2.7 --request-id r1 --limit 5';
    const { code, out, calls } = await runFake(`audit search ${given}`, { 'auditReading.page': PAGE });
    const period = { since: '2026-11-01', until: '1H' };
    const filter = { subject: 'T1', client: '192.0.2.7', requestId: 'r1', limit: 5, ...period };
    expect([code, calls]).toEqual([0, [['auditReading.page', filter]]]);
    expect(out).toMatch(/Next +2026-11-20T12:00:00.123000Z,4294967297\n/);
    expect(out).toMatch(
      /2026-11-20T12:00:00.123000Z +alice +admin\/init +T1 +north +created +192.0.2.7 +r1 +t1\n/,
    );
    const json = (await runFake('audit search --json', { 'auditReading.page': PAGE })).out;
    const { requestId, transaction, ...row } = ROW;
    const shown = { ...row, request_id: requestId, transaction_id: transaction };
    expect(JSON.parse(json)).toEqual({ ...PAGE, rows: [shown] });
  });

  it.each(['search --limit 0', 'verify --key abc', 'prune', 'export'])('refuses %s', async (line) => {
    expect(await runFake(`audit ${line}`)).toMatchObject({ code: 2, calls: [] });
  });
});

describe('tankeeper audit verify --checkpoint', () => {
  const VERIFIED = { rows: 1, unsealed: 0, checkpoints: 2, newestCheckpoint: '', findings: 0, keys: [] };
  const [first, last] = ['a', 'b'].map((digit) => digit.repeat(64)) as [string, string];
  const folder = temporaryFolder();

  it.each([
    [
      'JSON lines',
      (hash: string) => `{"message":"Audit checkpoint","component":"audit","checkpoint":"${hash}"}`,
    ],
    ['text', (hash: string) => `2026-11-20 info Audit checkpoint component=audit checkpoint=${hash}`],
    ['hashes', (hash: string) => hash],
  ])('takes the last one of a file: %s', async (_, lineOf) => {
    const file = join(folder, 'log');
    await writeFile(file, ['{"message":"other"}', lineOf(first), lineOf(last), 'the end'].join('\n'));
    const { code, calls } = await runFake(`audit verify --checkpoint ${file}`, { 'audit.verify': VERIFIED });
    expect([code, calls]).toEqual([0, [['audit.verify', expect.objectContaining({ checkpoint: last })]]]);
  });

  it.each(['abc', import.meta.filename])('refuses what holds none (%s)', async (file) => {
    expect(await runFake(`audit verify --checkpoint ${file}`)).toMatchObject({ code: 1, calls: [] });
  });
});
