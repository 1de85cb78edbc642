import { translate } from '../../messages/catalogue.ts';
import type { RequestContext } from '../../request/exchange.ts';
import type { LoginDialect } from '../dialect.ts';
import { type MonitoringAnswer, monitoringReply } from './linotp-monitoring-envelope.ts';

/** Where LinOTP 3.4.4 kept its administrators. Policies may name them by it, too. */
const OF_ADMINISTRATORS = '@linotp_admins (LinOTP_local_admins)';

/** @returns the outcomes of the login by a token, which came with LinOTP 3 */
export function linotpLogin(version: string): LoginDialect {
  const message = (text: string, { language }: RequestContext): MonitoringAnswer['detail'] => ({
    message: translate(text, language),
  });
  return {
    loggedIn: (name, context) =>
      monitoringReply(
        version,
        { status: true, value: true },
        { detail: message(`Login successful for ${name}`, context) },
      ),
    loginRefused: (context) =>
      monitoringReply(
        version,
        { status: true, value: false },
        { status: 401, detail: message('Bad username or password', context) },
      ),
    loggedOut: (name, context) =>
      monitoringReply(
        version,
        { status: true, value: true },
        { detail: message(`Logout successful for ${name}${OF_ADMINISTRATORS}`, context) },
      ),
  };
}
