import { ServiceError } from '../../kernel/errors.ts';
import type { ResolverKind } from '../../configuration/configuration.ts';
import { checkLdapSettings, LDAP_SETTING_NAMES } from './ldap-settings.ts';
import { canonicalSettings, type Settings } from './setting-values.ts';
import { checkSqlSettings, SQL_SETTING_NAMES } from './sql-settings.ts';

/** The settings of a kind of resolver. */
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

/** Rules by the kind of resolver. */
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

/** A setting with its name. */
export interface DescribedResolverSetting extends SettingFacts {
  readonly name: string;
  /** True if it is a password: it is written, and never shown. */
  readonly isSecret: boolean;
  /** True if the stored password must be given again where it changes. */
  readonly isSecretBound: boolean;
}

/** A kind of resolver. */
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
