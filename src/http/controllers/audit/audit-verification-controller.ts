import { z } from 'zod';
import type { AuditVerification } from '../../../audit/audit-verification.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import { verificationObject, verificationOverview } from '../../dialects/shared/audit-objects.ts';
import { administratorEndpoint, type Endpoint } from '../../endpoint-spec.ts';
import { optional } from '../../request/parameter-schemas.ts';
import { AUDIT_VERIFICATION, AUDIT_VERIFICATION_OVERVIEW } from '../answers/audit-answers.ts';

/** @returns the endpoints that verify the audit trail */
export function auditVerificationEndpoints(
  verification: AuditVerification,
  dialect: AdministrationDialect,
): Endpoint[] {
  return [beginEndpoint(verification, dialect), overviewEndpoint(verification, dialect)];
}

function beginEndpoint(verification: AuditVerification, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/audit/verify',
      methods: ['POST'],
      summary:
        'begins to verify the whole audit trail in the background; the running verification if there is one',
      requires: 'admin:audit',
      answers: AUDIT_VERIFICATION,
      family: 'linotp2',
      usage: 'audit/verify: verify the audit trail.',
      changesState: true,
      parameters: z.object({
        checkpoint: optional('the hash of a checkpoint that must be there, as a server has logged it'),
      }),
    },
    async ({ caller, parameters: { checkpoint }, context }) => {
      const begun = await verification.begin(caller, checkpoint === '' ? undefined : checkpoint);
      return dialect.value(verificationObject(begun), context);
    },
  );
}

function overviewEndpoint(verification: AuditVerification, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/audit/verification',
      methods: ['GET', 'POST'],
      summary: 'the progress or the result of the newest verification of the audit trail',
      requires: 'admin:audit',
      answers: AUDIT_VERIFICATION_OVERVIEW,
      family: 'linotp2',
      usage: 'audit/verification: get the newest verification.',
      changesState: false,
      parameters: z.object({}),
    },
    async ({ caller, context }) =>
      dialect.value(verificationOverview(await verification.overview(caller)), context),
  );
}
