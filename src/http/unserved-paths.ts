import { ServiceError } from '../kernel/errors.ts';

const NO_PORTAL = 'users have no portal of their own here: /app is the QR-TAN app, /admin changes tokens';
const CONSOLE = 'the console is at /console';
const NO_PROVIDERS = 'no texts, calls or e-mails are sent';

/** The groups of paths that LinOTP has and this server does not, each with the reason. */
const GROUPS: Readonly<Record<string, string>> = {
  '/userservice': NO_PORTAL,
  '/selfservice': NO_PORTAL,
  '/account': NO_PORTAL,
  '/manage': CONSOLE,
  '/gettoken': 'responses are computed by the device of the user alone',
  '/tools': 'tokens are imported by `tankeeper linotp import` and /admin/loadtokens',
  '/openid': 'it is no OpenID provider',
  '/reporting': '/monitoring, /metrics and /audit report',
  '/u2f': 'tokens of that type are not checked',
  '/auth': 'the pages for trying a login are /app and /console',
};

/** Single paths, likewise. */
const PATHS: Readonly<Record<string, string>> = {
  '/admin/copyTokenPin': 'a PIN belongs to one token: set it by /admin/set',
  '/admin/losttoken': 'enrol another token by /admin/init and disable the lost one by /admin/disable',
  '/admin/lostToken': 'enrol another token by /admin/init and disable the lost one by /admin/disable',
  '/admin/testresolver': 'resolvers are tried by /system/testResolver',
  '/admin/getSerialByOtp': 'a response belongs to a challenge, which names its token',
  '/admin/unpair': 'tokens of that type are not checked',
  '/admin/totp_lookup': 'tokens of that type are not checked',
  '/system/importPolicy': 'policies are set by /system/setPolicy, or imported by `tankeeper linotp import`',
  '/system/checkPolicy': '/system/explainPolicy tells what policies grant',
  '/system/setupSecurityModule': 'the key file or module is opened at the start of the server',
  '/system/setSupport': 'a licence is installed by /system/licence/install',
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
export function unservedPath(path: string): ServiceError | undefined {
  const [, group = ''] = path.split('/');
  const reason = own(PATHS, path) ?? own(GROUPS, `/${group}`) ?? policyFile(path);
  const named = path.slice(0, 100);
  return reason === undefined
    ? undefined
    : new ServiceError('path.not-served', `The path ${named} of LinOTP is not served: ${reason}`);
}

function own(reasons: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(reasons, key) ? reasons[key] : undefined;
}

function policyFile(path: string): string | undefined {
  return path.startsWith('/system/getPolicy/')
    ? 'policies are listed by /system/getPolicy, as JSON'
    : undefined;
}
