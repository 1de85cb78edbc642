import { z } from 'zod';
import type { AuditVerification } from '../../../audit/audit-verification.ts';
import type { VerificationRecord } from '../../../audit/verification.ts';
import { count } from '../../answers.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import type { Endpoint } from '../../endpoint-spec.ts';
import { optional } from '../../request/parameter-schemas.ts';
import { type Shown, valueChange, valueReading } from '../../value-endpoint.ts';

const FINDING = z.strictObject({
  kind: z.enum(['changed', 'removed', 'inserted', 'reordered']),
  of: z.enum(['row', 'journal']),
  id: z.string().nullable().describe('of the row, or number of the record; null for a removed one'),
  writer: count.nullable(),
  lane: count.nullable(),
  seq: z.string().nullable().describe('place in its lane; first and last place of removed rows'),
  at: z.string().nullable().describe('UTC, to the microsecond'),
  reason: z.string(),
});

const VERIFICATION = z.strictObject({
  id: z.string().describe('decimal digits'),
  state: z.enum(['running', 'finished', 'failed', 'interrupted']),
  begun: z.iso.datetime(),
  begun_by: z.string(),
  ended: z.iso.datetime().nullable(),
  rows: count.describe('checked so far'),
  of: count.describe('the approximate number of all'),
  records: count.describe('of the journal; 0 before the end'),
  newest: z.string().describe('the newest checkpoint, hexadecimal; empty before the end'),
  checkpoint: z.string().describe('the checkpoint that must be there; empty where none was given'),
  findings: count,
  listed: z.array(FINDING).describe('the first hundred findings; empty before the end'),
  reason: z.string().describe('why it failed; empty where it did not'),
});

const OVERVIEW = z.strictObject({
  verification: VERIFICATION.nullable().describe('the newest one; null: there was none yet'),
  keys: z.array(z.string()).describe('public keys of the installation, Base64, the current one first'),
});

/** @returns the endpoints that verify the audit trail */
export function auditVerificationEndpoints(
  verification: AuditVerification,
  dialect: AdministrationDialect,
): Endpoint[] {
  return [beginEndpoint(verification, dialect), overviewEndpoint(verification, dialect)];
}

function beginEndpoint(verification: AuditVerification, dialect: AdministrationDialect): Endpoint {
  return valueChange(
    dialect,
    {
      path: '/audit/verify',
      summary:
        'begins to verify the whole audit trail in the background; the running verification if there is one',
      requires: 'admin:audit',
      value: VERIFICATION,
      parameters: {
        checkpoint: optional('the hash of a checkpoint that must be there, as a server has logged it'),
      },
    },
    async ({ caller, parameters: { checkpoint } }) => {
      const begun = await verification.begin(caller, checkpoint === '' ? undefined : checkpoint);
      return shownVerification(begun);
    },
  );
}

function overviewEndpoint(verification: AuditVerification, dialect: AdministrationDialect): Endpoint {
  return valueReading(
    dialect,
    {
      path: '/audit/verification',
      summary: 'the progress or the result of the newest verification of the audit trail',
      requires: 'admin:audit',
      value: OVERVIEW,
      parameters: {},
    },
    async ({ caller }) => {
      const { newest, publicKeys } = await verification.overview(caller);
      return {
        verification: newest === undefined ? null : shownVerification(newest),
        keys: publicKeys.map((key) => key.toString('base64')),
      };
    },
  );
}

function shownVerification(record: VerificationRecord): Shown<typeof VERIFICATION> {
  return {
    id: record.id,
    state: record.state,
    begun: record.begunAt.toISOString(),
    begun_by: record.begunBy,
    ended: record.endedAt?.toISOString() ?? null,
    rows: record.rows,
    of: Math.max(record.rows, record.of),
    records: record.records,
    newest: record.newest,
    checkpoint: record.checkpoint,
    findings: record.findings,
    listed: record.listed,
    reason: record.reason,
  };
}
