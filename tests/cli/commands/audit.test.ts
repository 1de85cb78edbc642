import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { AuditRow } from '../../../src/audit/audit-row.ts';
import { runProgram } from '../../../src/cli/program.ts';
import { fakeCli } from '../fake-dependencies.ts';

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
  it('asks for what is given', async () => {
    const { dependencies, io, calls } = fakeCli({ 'auditReading.page': PAGE });
    const given = '--serial T1 --since 2026-11-01 --until 1H --client 192.0.2.7 --request-id r1 --limit 5';
    expect(await runProgram(['audit', 'search', ...given.split(' ')], dependencies)).toBe(0);
    const period = { since: '2026-11-01', until: '1H' };
    const filter = { subject: 'T1', client: '192.0.2.7', requestId: 'r1', limit: 5, ...period };
    expect(calls).toEqual([['auditReading.page', filter]]);
    expect(io.out()).toMatch(/Next +2026-11-20T12:00:00.123000Z,4294967297\n/);
    expect(io.out()).toMatch(
      /2026-11-20T12:00:00.123000Z +alice +admin\/init +T1 +north +created +192.0.2.7 +r1 +t1\n/,
    );
  });

  it('gives scripts the page', async () => {
    const { dependencies, io } = fakeCli({ 'auditReading.page': PAGE });
    expect(await runProgram(['audit', 'search', '--json'], dependencies)).toBe(0);
    const { requestId, transaction, ...row } = ROW;
    const shown = { ...row, request_id: requestId, transaction_id: transaction };
    expect(JSON.parse(io.out())).toEqual({ ...PAGE, rows: [shown] });
  });

  it.each([[['search', '--limit', '0']], [['verify', '--key', 'abc']], [['prune']], [['export']]])(
    'refuses %j',
    async (parameters) => {
      const { dependencies, calls } = fakeCli();
      expect(await runProgram(['audit', ...parameters], dependencies)).toBe(2);
      expect(calls).toEqual([]);
    },
  );
});

describe('tankeeper audit verify --checkpoint', () => {
  const VERIFIED = { rows: 1, unsealed: 0, checkpoints: 2, newestCheckpoint: '', findings: 0, keys: [] };
  const [first, last] = ['a', 'b'].map((digit) => digit.repeat(64)) as [string, string];

  it.each([
    [
      'JSON lines',
      (hash: string) => `{"message":"Audit checkpoint","component":"audit","checkpoint":"${hash}"}`,
    ],
    ['text', (hash: string) => `2026-11-20 info Audit checkpoint component=audit checkpoint=${hash}`],
    ['hashes', (hash: string) => hash],
  ])('takes the last one of a file: %s', async (_, lineOf) => {
    const folder = await mkdtemp(join(tmpdir(), 'tankeeper-audit-'));
    const file = join(folder, 'log');
    await writeFile(file, ['{"message":"other"}', lineOf(first), lineOf(last), 'the end'].join('\n'));
    const { dependencies, calls } = fakeCli({ 'audit.verify': VERIFIED });
    expect(await runProgram(['audit', 'verify', '--checkpoint', file], dependencies)).toBe(0);
    expect(calls).toEqual([['audit.verify', expect.objectContaining({ checkpoint: last })]]);
    await rm(folder, { recursive: true });
  });

  it.each(['abc', import.meta.filename])('refuses what holds none (%s)', async (file) => {
    const { dependencies, calls } = fakeCli();
    expect(await runProgram(['audit', 'verify', '--checkpoint', file], dependencies)).toBe(1);
    expect(calls).toEqual([]);
  });
});
