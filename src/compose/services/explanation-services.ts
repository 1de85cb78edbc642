import { RefusedRightSearch } from '../../audit/refused-right-search.ts';
import type { AuditSearch } from '../../audit/audit-search.ts';
import { ExplanationService } from '../../policy/explanation-service.ts';
import type { SharedParts } from '../shared-parts.ts';

/** The reasons of decisions. */
export interface ExplanationServices {
  readonly explanations: ExplanationService;
}

export function explanationServices(
  shared: SharedParts,
  { auditSearch }: { readonly auditSearch: AuditSearch },
): ExplanationServices {
  return {
    explanations: new ExplanationService({
      ...shared,
      administrators: shared.administratorStore,
      refusedRights: new RefusedRightSearch({ ...shared, audit: auditSearch }),
    }),
  };
}
