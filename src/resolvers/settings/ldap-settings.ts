import {
  assertCertificates,
  assertOneLine,
  canonicalSettings,
  invalidSetting,
  readFlag,
  readMap,
  readWhole,
  requireSetting,
  type Settings,
} from './setting-values.ts';

export const LDAP_SETTING_NAMES = [
  'LDAPURI',
  'LDAPBASE',
  'BINDDN',
  'BINDPW',
  'TIMEOUT',
  'SIZELIMIT',
  'LOGINNAMEATTRIBUTE',
  'LDAPSEARCHFILTER',
  'LDAPFILTER',
  'USERINFO',
  'UIDTYPE',
  'NOREFERRALS',
  'EnforceTLS',
  'only_trusted_certs',
  'CACERTIFICATE',
] as const;

/** Flags with the values that LinOTP assumes. */
const FLAGS = { NOREFERRALS: false, EnforceTLS: false, only_trusted_certs: true } as const;
const MAP_KEYS = ['username', 'phone', 'mobile', 'email', 'surname', 'givenname'];
const MAP_KEYS_WITHOUT_MEANING = ['userid', 'description', 'gender', 'groups', 'password'];
/** descr or numericoid (RFC 4512 §1.4). */
const ATTRIBUTE = /^(?:[A-Za-z][A-Za-z0-9-]{0,127}|\d+(?:\.\d+){1,20})$/;
/** Seconds, as `5`, or `5;10`: to connect, and to search. */
const TIMEOUT = /^\d{1,4}(?:\.\d{1,3})?(?:\s*[;,]\s*\d{1,4}(?:\.\d{1,3})?)?$/;

/**
 * @param values names in any case
 * @returns the settings as they are stored, flags as `True` and `False`
 * @throws ServiceError 'resolver.invalid' that names the setting
 */
export function checkLdapSettings(values: Settings): Settings {
  const settings = canonicalSettings('ldap', LDAP_SETTING_NAMES, values);
  assertOneLine(
    settings,
    LDAP_SETTING_NAMES.filter((name) => name !== 'CACERTIFICATE' && name !== 'USERINFO'),
  );
  assertUris(requireSetting(settings, 'LDAPURI'));
  requireSetting(settings, 'LDAPBASE');
  assertFilters(settings);
  assertAttribute('LOGINNAMEATTRIBUTE', requireSetting(settings, 'LOGINNAMEATTRIBUTE'));
  assertAttribute('UIDTYPE', settings.UIDTYPE ?? 'dn');
  for (const [key, attribute] of attributeMap(settings)) {
    assertAttribute('USERINFO', attribute, ` for ${key}`);
  }
  if (!TIMEOUT.test(settings.TIMEOUT ?? '5')) {
    throw invalidSetting('TIMEOUT', 'is a number of seconds such as 5, or two such as 5;10');
  }
  readWhole(settings, 'SIZELIMIT', { min: 0, max: 100_000_000 });
  assertCertificates(settings, 'CACERTIFICATE');
  return { ...settings, ...flagsOf(settings) };
}

function flagsOf(settings: Settings): Settings {
  const flags = Object.entries(FLAGS).filter(([name]) => settings[name] !== undefined);
  return Object.fromEntries(
    flags.map(([name, fallback]) => [name, readFlag(settings, name, fallback) ? 'True' : 'False']),
  );
}

function attributeMap(settings: Settings): ReadonlyMap<string, string> {
  return settings.USERINFO === undefined
    ? new Map()
    : readMap(settings, 'USERINFO', { known: MAP_KEYS, ignored: MAP_KEYS_WITHOUT_MEANING });
}

function assertUris(text: string): void {
  const uris = text.split(',').map((uri) => uri.trim());
  const isFit = uris.every((uri) => /^ldaps?:\/\/[^/?#@\s]+\/?$/i.test(uri) && URL.canParse(uri));
  if (!isFit) {
    throw invalidSetting('LDAPURI', 'is a comma list of ldap://host:port and ldaps://host:port');
  }
}

function assertFilters(settings: Settings): void {
  for (const name of ['LDAPSEARCHFILTER', 'LDAPFILTER']) {
    const filter = requireSetting(settings, name);
    if (!/^\(.*\)$/.test(filter) || !isBalanced(filter)) {
      throw invalidSetting(name, 'is not a filter in parentheses that close');
    }
  }
  if (settings.LDAPFILTER?.includes('%s') !== true) {
    throw invalidSetting('LDAPFILTER', 'lacks %s, which stands for the login');
  }
}

/** Parentheses in values are written `\28` and `\29` (RFC 4515 §3), so every literal one is counted. */
function isBalanced(filter: string): boolean {
  let depth = 0;
  for (const character of filter) {
    if (character === '(') {
      depth += 1;
    } else if (character === ')') {
      depth -= 1;
    }
    if (depth < 0) {
      return false;
    }
  }
  return depth === 0;
}

function assertAttribute(name: string, attribute: string, where = ''): void {
  if (!ATTRIBUTE.test(attribute)) {
    throw invalidSetting(
      name,
      `has${where} what is not the name of an attribute: '${attribute.slice(0, 100)}'`,
    );
  }
}
