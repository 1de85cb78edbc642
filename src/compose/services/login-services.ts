import type { AdministratorService } from '../../administrators/administrator-service.ts';
import { LoginService } from '../../administrators/login-service.ts';
import { JwtLoginTokens } from '../../security/jwt-login-tokens.ts';
import type { SharedParts } from '../shared-parts.ts';

/** The logins of administrators. */
export interface LoginServices {
  readonly logins: LoginService;
}

export function loginServices(
  shared: SharedParts,
  { administrators }: { readonly administrators: AdministratorService },
): LoginServices {
  const tokens = new JwtLoginTokens({ keys: shared.vault });
  return { logins: new LoginService({ ...shared, administrators, tokens }) };
}
