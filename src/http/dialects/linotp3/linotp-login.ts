import type { LoginDialect } from '../dialect.ts';
import { monitoringReply } from './linotp-monitoring-envelope.ts';

/** The suffix of LinOTP 3.4.4's administrators: their realm and resolver. Policies may use it, too. */
const OF_ADMINISTRATORS = '@linotp_admins (LinOTP_local_admins)';

/** @returns the outcomes of the login by a token, which LinOTP 3 introduced */
export function linotpLogin(version: string): LoginDialect {
  return {
    loggedIn: (name) =>
      monitoringReply(
        version,
        { status: true, value: true },
        { detail: { message: `Login successful for ${name}` } },
      ),
    loginRefused: () =>
      monitoringReply(
        version,
        { status: true, value: false },
        { status: 401, detail: { message: 'Bad username or password' } },
      ),
    loggedOut: (name) =>
      monitoringReply(
        version,
        { status: true, value: true },
        { detail: { message: `Logout successful for ${name}${OF_ADMINISTRATORS}` } },
      ),
  };
}
