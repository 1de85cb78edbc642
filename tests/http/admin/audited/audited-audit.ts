import type { TestApplication } from '../../../support/application/test-application.ts';
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
        await application().services.auditVerification.whenSettled();
        return { values: {} };
      },
      action: 'audit/verify',
      outcomes: ['begun'],
      isIdle: true,
    },
  };
}
