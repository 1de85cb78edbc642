import { LinotpImportService } from '../../linotp/import-service.ts';
import { LinotpVerificationService } from '../../linotp/verification-service.ts';
import { SqlImportTarget } from '../../storage/linotp/linotp-import-target.ts';
import { SqlVerificationTarget } from '../../storage/linotp/verification-target.ts';
import type { SharedParts } from '../shared-parts.ts';

/** The import of a LinOTP installation, and the comparison with it. */
export interface ImportServices {
  readonly linotpImport: LinotpImportService;
  readonly linotpVerification: LinotpVerificationService;
}

export function importServices(shared: SharedParts): ImportServices {
  return {
    linotpImport: new LinotpImportService({ ...shared, target: new SqlImportTarget(shared) }),
    linotpVerification: new LinotpVerificationService({
      ...shared,
      target: new SqlVerificationTarget(shared),
    }),
  };
}
