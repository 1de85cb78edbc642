import { expect, it } from '@jest/globals';
import { AuditReading } from '../../src/audit/audit-reading.ts';
import type { AuditRow } from '../../src/audit/audit-row.ts';
import type { AuditFilter } from '../../src/audit/audit-row.ts';
import type { FoundRows } from '../../src/audit/audit-store.ts';
import { AccessControl } from '../../src/policy/access-control.ts';
import { callerNamed } from '../support/values/callers.ts';

const CLOCK = { now: () => new Date('2026-11-20T12:00:00Z') };
const ROW: AuditRow = {
  id: '7',
  at: '2026-11-01T00:00:00.000000Z',
  actor: 'anna',
  action: 'admin/init',
  subject: 'T1',
  realm: '',
  outcome: 'done',
  client: '127.0.0.1',
  requestId: 'r1',
  transaction: '',
};
const PLACES = ['30', '20', '10'].map((id) => ({ id, at: '2026-11-02T00:00:00.000000Z' }));

/** Three parts of the trail have no row, the fourth has one. */
function searchStep({ after }: AuditFilter): Promise<FoundRows> {
  const reached = PLACES[PLACES.findIndex(({ id }) => id === after?.id) + 1] ?? null;
  return Promise.resolve({ rows: reached === null ? [ROW] : [], reached });
}

it.each([
  ['csv', /^id,at,[^\n]*\n7,[^\n]*\n$/],
  ['jsonl', /^\{"form":[^\n]*\n\{"row":\{"id":"7"[^\n]*\n\{"end":\{"rows":1\}\}\n$/],
] as const)(
  'an export of rare rows goes on to the end of the trail, with one head: %s',
  async (format, text) => {
    const exports = new AuditReading({
      store: { searchStep, note: () => Promise.resolve(), trail: () => Promise.reject(new Error()) },
      sealer: { sealAll: () => Promise.reject(new Error()) },
      authority: { keys: () => [{ keyId: '', publicKey: Buffer.alloc(32) }] },
      access: new AccessControl({ clock: CLOCK }),
      configuration: { current: () => Promise.resolve({ policies: [], realms: [], resolvers: [] }) },
      clock: CLOCK,
    });
    const pieces: string[] = [];
    const { write } = await exports.grantExport(callerNamed('anna'), { format, subject: 'T1' });
    const count = await write((piece) => {
      pieces.push(piece);
      return Promise.resolve();
    });
    expect(count).toBe(1);
    expect(pieces.join('').replaceAll('\r', '')).toMatch(text);
  },
);
