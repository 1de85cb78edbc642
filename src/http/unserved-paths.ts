import { ServiceError } from '../kernel/errors.ts';
import type { ExchangeHandler } from './request/exchange.ts';
import type { Guards } from './limits/guards.ts';

const ACCOUNT =
  'users look after their tokens at /app/account, where a policy of the scope selfservice lets them';
const CONSOLE = 'the console is at /console';
const NO_PROVIDERS = 'no texts, calls or e-mails are sent';
/** LinOTP answers a password in place of responses, which nothing here would accept. */
const LOST =
  'there are no tokens with a fixed password. Disable the lost token by /admin/disable, enrol another by /admin/init, and give it the same PIN by /admin/copyTokenPin';

/** The groups of paths that LinOTP has and this server does not, each with the reason. */
const GROUPS: Readonly<Record<string, string>> = {
  '/userservice': ACCOUNT,
  '/selfservice': ACCOUNT,
  '/account': ACCOUNT,
  '/manage': CONSOLE,
  '/gettoken': 'responses are computed by the device of the user alone',
  '/tools': 'tokens are imported by `tankeeper import linotp` and /admin/loadtokens',
  '/openid': 'it is no OpenID provider',
  '/reporting': '/monitoring, /metrics and /audit report',
  '/u2f': 'tokens of that type are not checked',
  '/auth': 'the pages for trying a login are /app and /console',
};

/** Single paths, likewise. */
const PATHS: Readonly<Record<string, string>> = {
  '/admin/losttoken': LOST,
  '/admin/lostToken': LOST,
  '/admin/unpair': 'tokens of that type are not checked',
  '/admin/totp_lookup': 'tokens of that type are not checked',
  '/system/checkPolicy': '/admin/policy/explain tells what policies grant',
  '/system/setupSecurityModule': 'the key file or module is opened at the start of the server',
  '/system/setSupport': 'the setting `monitoring.license` has the fields of a licence',
  '/system/getProvider': NO_PROVIDERS,
  '/system/setProvider': NO_PROVIDERS,
  '/system/delProvider': NO_PROVIDERS,
  '/system/testProvider': NO_PROVIDERS,
  '/system/setDefaultProvider': NO_PROVIDERS,
  '/validate/smspin': NO_PROVIDERS,
  '/validate/pair': 'tokens of that type are not checked',
  '/validate/accept_transaction': 'tokens of that type are not checked',
  '/validate/reject_transaction': 'tokens of that type are not checked',
};

/** @returns the refusal of a path that LinOTP has and this server does not; undefined for every other path */
function unservedPath(path: string): ServiceError | undefined {
  const [, group = ''] = path.split('/');
  const reason = own(PATHS, path) ?? own(GROUPS, `/${group}`);
  const named = path.slice(0, 100);
  return reason === undefined
    ? undefined
    : new ServiceError('path.not-served', `The path ${named} of LinOTP is not served: ${reason}`);
}

const nothingThere = (cause?: unknown): ServiceError =>
  new ServiceError('path.unknown', 'There is nothing at this path', { cause });

/** @returns a handler that fails every request whose path is not percent-encoded UTF-8; no route matches such a path */
export function refuseBrokenPath({ requests }: Pick<Guards, 'requests'>): ExchangeHandler {
  return (request, response, next) => {
    try {
      decodeURIComponent(request.path);
    } catch (cause) {
      requests.admit(response.locals.exchange.limitedAs);
      throw nothingThere(cause);
    }
    next();
  };
}

/** @returns a handler that fails every request that no endpoint took */
export function refuseUnknownPath({ requests }: Pick<Guards, 'requests'>): ExchangeHandler {
  return (request, response) => {
    requests.admit(response.locals.exchange.limitedAs);
    throw unservedPath(request.path) ?? nothingThere();
  };
}

function own(reasons: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(reasons, key) ? reasons[key] : undefined;
}
