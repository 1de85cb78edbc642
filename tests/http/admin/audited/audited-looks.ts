/** Endpoints of /system and /monitoring that only look, with parameters that succeed. */
export const LOOKS_AT_CONFIGURATION = {
  '/system/resolverKinds': {},
  '/system/getPolicyDef': {},
  '/system/getSupportInfo': {},
  '/system/isSupportValid': {},
  '/system/realmConsequences': { act: 'remove', realm: 'north' },
  '/system/resolverConsequences': { resolver: 'spare' },
  '/system/userConsequences': { resolver: 'north', username: 'ann' },
  '/system/keys': { count: '1' },
  '/system/licence': {},
  '/system/webhooks': {},
  '/system/webhooks/deliveries': { name: 'kept' },
  '/system/getConfig': {},
  '/system/getPolicy': {},
  '/system/getPolicy/policy.cfg': {},
  '/system/policyNames': {},
  '/system/explainPolicy': {},
  '/system/policyConsequences': { name: 'p' },
  '/system/settings': {},
  '/system/settingConsequences': { key: 'OcraMaxChallenges' },
  '/system/getResolvers': {},
  '/system/getResolver': { resolver: 'north' },
  '/system/getRealms': {},
  '/system/getDefaultRealm': {},
  '/monitoring/tokens': {},
  '/monitoring/userinfo': {},
  '/monitoring/activeUsers': {},
  '/monitoring/config': {},
  '/monitoring/license': {},
  '/monitoring/storageEncryption': {},
  '/metrics': {},
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Endpoints of /admin, /audit and /ocra that only look, likewise. */
export const LOOKS_AT_TOKENS = {
  '/admin/show': {},
  '/admin/getTokenOwner': { serial: 'X' },
  '/admin/check_serial': { serial: 'X' },
  '/admin/transaction': { transactionid: 'X' },
  '/admin/search': { text: 'X' },
  '/admin/token': { serial: 'X' },
  '/admin/tokens': {},
  '/admin/passkeys': {},
  '/admin/administrators': {},
  '/admin/sessions': {},
  '/audit/search': {},
  '/audit/values': {},
  '/audit/verification': {},
  '/ocra/checkstatus': { serial: 'X' },
  '/admin/checkstatus': { serial: 'X' },
  '/ocra': { serial: 'X' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Endpoints that only look, and answer any administrator as far as the rights go. */
export const LOOKS_FOR_ALL = {
  '/admin/rights': {},
  '/admin/overview': {},
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;
