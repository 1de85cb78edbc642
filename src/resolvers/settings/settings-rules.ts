import { ServiceError } from '../../kernel/errors.ts';
import type { ResolverKind } from '../../configuration/configuration.ts';
import { checkLdapSettings, LDAP_SETTING_NAMES } from './ldap-settings.ts';
import { canonicalSettings, type Settings } from './setting-values.ts';
import { checkSqlSettings, SQL_SETTING_NAMES } from './sql-settings.ts';

/** The settings of a kind of resolver. */
export interface SettingsRule {
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
