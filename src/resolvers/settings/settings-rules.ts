import { ServiceError } from '../../kernel/errors.ts';
import type { ResolverKind } from '../../configuration/configuration.ts';
import {
  canonicalSettings,
  type Settings,
  assertCertificates,
  assertOneLine,
  invalidSetting,
  readFlag,
  readMap,
  readWhole,
  requireSetting,
} from './setting-values.ts';
import { checkSqlSettings, SQL_SETTING_NAMES } from './sql-settings.ts';

const LDAP_SETTING_NAMES = [
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
function checkLdapSettings(values: Settings): Settings {
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

interface SettingsRule {
  /** The names of its settings, the secret's included; they are given in any case. */
  readonly names: readonly string[];
  /** The name of the secret; undefined: it has none. */
  readonly secret: string | undefined;
  /** Settings that determine the receiver of the secret. */
  readonly secretBoundTo: readonly string[];
  /**
   * @returns the settings in the form to be stored, with the secret
   * @throws ServiceError 'resolver.invalid'
   */
  readonly check: (values: Settings) => Settings;
}

export const SETTINGS_RULES: Readonly<Record<ResolverKind, SettingsRule>> = {
  managed: {
    names: [],
    secret: undefined,
    secretBoundTo: [],
    check: (values) => canonicalSettings('managed', [], values),
  },
  passwd: { names: ['fileName'], secret: undefined, secretBoundTo: [], check: checkPasswdSettings },
  sql: {
    names: SQL_SETTING_NAMES,
    secret: 'Password',
    secretBoundTo: ['Driver', 'Server', 'Port', 'User', 'conParams', 'CACERTIFICATE'],
    check: checkSqlSettings,
  },
  ldap: {
    names: LDAP_SETTING_NAMES,
    secret: 'BINDPW',
    secretBoundTo: ['LDAPURI', 'BINDDN', 'EnforceTLS', 'only_trusted_certs', 'CACERTIFICATE'],
    check: checkLdapSettings,
  },
};

function checkPasswdSettings(values: Settings): Settings {
  const { fileName = '' } = canonicalSettings('passwd', ['fileName'], values);
  const isAbsolute = /^(?:\/|[A-Za-z]:[\\/])/.test(fileName);
  if (!isAbsolute || fileName.length > 4096 || /\p{Cc}/u.test(fileName)) {
    throw new ServiceError(
      'resolver.invalid',
      'A passwd resolver needs the absolute path of its file as fileName',
    );
  }
  return { fileName };
}

/** The description of a setting, for people. */
interface SettingFacts {
  /** A sentence, with its full stop. */
  readonly meaning: string;
  /** True if there is no resolver of the kind without it. */
  readonly isRequired?: true;
  /** The value that applies without one. */
  readonly fallback?: string;
  /** The only values. */
  readonly values?: readonly string[];
  /** A value of a usual installation. */
  readonly example?: string;
  /** `lines`: several lines; `json`: a JSON object of texts. Default: one line. */
  readonly form?: 'lines' | 'json';
}

export interface DescribedResolverSetting extends SettingFacts {
  readonly name: string;
  /** True if it is a password: it is written, and never shown. */
  readonly isSecret: boolean;
  /** True if the stored password must be given again where it changes. */
  readonly isSecretBound: boolean;
}

interface DescribedKind {
  readonly kind: ResolverKind;
  /** A sentence, with its full stop. */
  readonly meaning: string;
  readonly settings: readonly DescribedResolverSetting[];
}

const MEANINGS: Readonly<Record<ResolverKind, string>> = {
  managed: "Users in tankeeper's own database.",
  passwd: 'Users in a file such as /etc/passwd, read as it changes.',
  sql: 'Users in a table of PostgreSQL, MySQL or MariaDB.',
  ldap: 'Users in an LDAP directory.',
};

const YES_NO = ['True', 'False'] as const;
const PEM = 'Trusted authorities in PEM form; without them, those of Node.js.';

const PASSWD: Readonly<Record<string, SettingFacts>> = {
  fileName: {
    meaning: 'Absolute path of the file; over HTTP below a folder of RESOLVER_FILE_DIRS.',
    isRequired: true,
    example: '/srv/tankeeper/users/passwd',
  },
};

const SQL: Readonly<Record<string, SettingFacts>> = {
  Driver: { meaning: 'The kind of database.', isRequired: true, example: 'postgresql' },
  Server: { meaning: 'Host name or address.', isRequired: true, example: 'db.example.com' },
  Port: { meaning: 'Port of the server.', fallback: '5432; MySQL and MariaDB: 3306' },
  Database: { meaning: 'Name of the database.', isRequired: true, example: 'crm' },
  User: {
    meaning: 'Account of the database; let it read the table of users only.',
    isRequired: true,
    example: 'tan_reader',
  },
  Password: { meaning: 'Password of this account.' },
  Table: { meaning: 'The table, as `table` or `schema.table`.', isRequired: true, example: 'customers' },
  Map: {
    meaning:
      'The columns of userid and username (required), password, givenname, surname, email, phone and mobile.',
    isRequired: true,
    form: 'json',
    example: '{"userid": "id", "username": "login"}',
  },
  Where: {
    meaning: 'A condition in SQL that selects the rows of users; without it, all.',
    example: 'active = 1',
  },
  Limit: { meaning: 'The most users that are counted and listed; every user is found.' },
  Encoding: { meaning: 'The encoding: utf-8, to which the database itself converts.', fallback: 'utf-8' },
  conParams: {
    meaning: 'The encryption: `sslmode=disable`, `require`, `verify-ca` or `verify-full`.',
    fallback: 'sslmode=disable',
    example: 'sslmode=verify-full',
  },
  CACERTIFICATE: { meaning: PEM, form: 'lines' },
  Connect: {
    meaning: 'A URL in place of driver, server, port, database, user and password.',
    example: 'postgresql://user@db.example.com:5432/crm?sslmode=verify-full',
  },
};

const LDAP: Readonly<Record<string, SettingFacts>> = {
  LDAPURI: {
    meaning:
      'The addresses, as ldap://host:port or ldaps://host:port; several separated by commas, as alternatives.',
    isRequired: true,
    example: 'ldaps://ldap.example.com',
  },
  LDAPBASE: { meaning: 'The DN above all users.', isRequired: true, example: 'ou=people,dc=example,dc=com' },
  BINDDN: { meaning: 'The account for searches; without it, searches are anonymous.' },
  BINDPW: { meaning: 'Password of this account.' },
  TIMEOUT: {
    meaning: 'Seconds to connect and for each answer; `2;10` for the two.',
    fallback: '5',
  },
  SIZELIMIT: {
    meaning:
      'The most users in a list, which ends there and says so; every user is found and counted. 0: no limit.',
    fallback: '0',
  },
  LOGINNAMEATTRIBUTE: { meaning: 'The attribute with the login.', isRequired: true, example: 'uid' },
  LDAPSEARCHFILTER: {
    meaning: 'The filter of all users; several in a row must all hold.',
    isRequired: true,
    example: '(objectClass=inetOrgPerson)',
  },
  LDAPFILTER: {
    meaning: 'The filter of the user with the login %s.',
    isRequired: true,
    example: '(&(uid=%s)(objectClass=inetOrgPerson))',
  },
  USERINFO: {
    meaning: 'The attributes of givenname, surname, email, phone and mobile.',
    form: 'json',
    example: '{"givenname": "givenName", "surname": "sn", "email": "mail"}',
  },
  UIDTYPE: {
    meaning:
      'The id of a user, which binds tokens: `dn`, `entryUUID`, `objectGUID`, `GUID`, `objectSid`, or any attribute of texts.',
    fallback: 'dn',
    example: 'entryUUID',
  },
  NOREFERRALS: {
    meaning: 'Has no effect: referrals are never followed.',
    fallback: 'False',
    values: YES_NO,
  },
  EnforceTLS: { meaning: 'True requires StartTLS on ldap://.', fallback: 'False', values: YES_NO },
  only_trusted_certs: {
    meaning: 'False accepts any certificate, also that of a man in the middle.',
    fallback: 'True',
    values: YES_NO,
  },
  CACERTIFICATE: { meaning: PEM, form: 'lines' },
};

const FACTS: Readonly<Record<ResolverKind, Readonly<Record<string, SettingFacts>>>> = {
  managed: {},
  passwd: PASSWD,
  sql: SQL,
  ldap: LDAP,
};

/** @returns the kinds of resolvers, each with its settings in the order of its rule */
export function describedKinds(): readonly DescribedKind[] {
  return (Object.keys(FACTS) as ResolverKind[]).map((kind) => {
    const { names, secret, secretBoundTo } = SETTINGS_RULES[kind];
    const settings = names.map((name) => ({
      name,
      ...(FACTS[kind][name] ?? { meaning: '' }),
      isSecret: name === secret,
      isSecretBound: secretBoundTo.includes(name),
    }));
    return { kind, meaning: MEANINGS[kind], settings };
  });
}
