import type { VerificationRecord } from '../../../src/audit/verification-record.ts';
import type { Answer, FakeServices } from './answer.ts';

const VERIFICATION: VerificationRecord = {
  id: '1',
  state: 'finished',
  begunBy: 'admin',
  checkpoint: '',
  begunAt: new Date('2026-11-20T12:00:00Z'),
  endedAt: new Date('2026-11-20T12:00:01Z'),
  rows: 10,
  of: 10,
  records: 2,
  newest: 'ab'.repeat(32),
  findings: 1,
  reason: '',
  listed: [
    {
      kind: 'removed',
      of: 'row',
      id: null,
      writer: 1,
      lane: 1,
      seq: '3-4',
      at: null,
      reason: 'before row 4294967301',
    },
  ],
};

/** @returns the audit with constant answers */
export function fakeAudit(answer: Answer): FakeServices {
  return {
    auditSearch: {
      page: answer('auditPage', {
        rows: [
          {
            id: '4294967297',
            at: '2026-11-20T12:00:00.000000Z',
            actor: 'admin',
            action: 'admin/init',
            subject: 'OCRA1',
            realm: 'a',
            outcome: 'created',
            client: '192.0.2.7',
            requestId: 'request-1',
            transaction: '',
            writer: 1,
            lane: 1,
            seq: 1,
            prevHash: Buffer.alloc(32),
            hash: Buffer.alloc(32),
            signature: Buffer.alloc(64),
          },
        ],
        next: null,
      }),
      values: () => ({ actions: ['admin/init'], outcomes: ['created'] }),
    },
    auditExport: {
      grant: answer('auditExport', {
        format: 'jsonl',
        isVerifiable: true,
        write: async (write: (text: string) => Promise<void>) => {
          await write('{}\n');
          return 1;
        },
      }),
    },
    auditVerification: {
      begin: answer('beginVerification', VERIFICATION),
      overview: answer('verificationOverview', { newest: VERIFICATION, publicKeys: [Buffer.alloc(32)] }),
    },
  };
}
