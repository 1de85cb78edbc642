import { OPERATOR, type TestApplication } from '../../../support/application/test-application.ts';
import { until } from '../../../support/values/until.ts';
import type { Act } from './audited-act.ts';

/** @returns the acts that read the whole audit */
export function auditedAudit(application: () => TestApplication): Readonly<Record<string, Act>> {
  return {
    '/admin/audit/export': {
      prepare: () => Promise.resolve({ values: {} }),
      action: 'audit/export',
      outcomes: ['handed out as jsonl'],
      isIdle: true,
    },
    '/admin/audit/verify': {
      prepare: async () => {
        // One at a time runs.
        const { auditVerification } = application().services;
        await until(async () => (await auditVerification.newest(OPERATOR)).verification?.state !== 'running');
        return { values: {} };
      },
      action: 'audit/verify',
      outcomes: ['begun'],
      isIdle: true,
    },
  };
}
