import type { TestApplication } from '../../../support/application/test-application.ts';
import type { Act } from './audited-act.ts';

/** @returns the acts that read the whole audit */
export function auditedAudit(application: () => TestApplication): Readonly<Record<string, Act>> {
  return {
    '/audit/export': {
      prepare: () => Promise.resolve({ values: {} }),
      outcomes: ['handed out as jsonl'],
      isIdle: true,
    },
    '/audit/verify': {
      prepare: async () => {
        // One at a time runs.
        await application().services.auditVerification.whenSettled();
        return { values: {} };
      },
      outcomes: ['begun'],
      isIdle: true,
    },
  };
}
