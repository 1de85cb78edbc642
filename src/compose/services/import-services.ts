import { LinotpImportService } from '../../linotp/import-service.ts';
import { ImportStore } from '../../linotp/import-store.ts';
import { LinotpVerificationService } from '../../linotp/verification-service.ts';
import { VerificationStore } from '../../linotp/verification-store.ts';
import type { SharedParts } from '../shared-parts.ts';

/** The import of a LinOTP installation, and the comparison with it. */
export interface ImportServices {
  readonly linotpImport: LinotpImportService;
  readonly linotpVerification: LinotpVerificationService;
}

export function importServices(shared: SharedParts): ImportServices {
  return {
    linotpImport: new LinotpImportService({ ...shared, target: new ImportStore(shared) }),
    linotpVerification: new LinotpVerificationService({
      ...shared,
      target: new VerificationStore(shared),
    }),
  };
}
