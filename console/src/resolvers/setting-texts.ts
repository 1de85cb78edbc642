import type { Texts } from '../language/language.ts';

interface SettingTexts {
  /** Short names of settings, by the setting. */
  readonly labels: Readonly<Record<string, string>>;
  /** Meanings as sentences with their full stops, by `kind setting`; left out: the server's words. */
  readonly meanings: Readonly<Record<string, string>>;
  readonly kinds: Readonly<Record<string, string>>;
}

const PEM = 'Vertrauenswürdige Zertifizierungsstellen im PEM-Format; ohne Angabe die von Node.js.';

/**
 * The names of the settings of resolvers for people. The names of the settings themselves are those of the interface.
 */
export const settingTexts: Texts<SettingTexts> = {
  en: {
    labels: {
      fileName: 'File',
      Driver: 'Kind of database',
      Server: 'Server',
      Port: 'Port',
      Database: 'Database',
      User: 'Account',
      Password: 'Password',
      Table: 'Table',
      Map: 'Columns',
      Where: 'Condition',
      Limit: 'Limit',
      Encoding: 'Encoding',
      conParams: 'Encryption',
      CACERTIFICATE: 'Authorities',
      LDAPURI: 'Addresses',
      LDAPBASE: 'Base',
      BINDDN: 'Account',
      BINDPW: 'Password',
      TIMEOUT: 'Time limit',
      SIZELIMIT: 'Limit',
      LOGINNAMEATTRIBUTE: 'Attribute of the login',
      LDAPSEARCHFILTER: 'Filter of all users',
      LDAPFILTER: 'Filter of one user',
      USERINFO: 'Attributes',
      UIDTYPE: 'Id of a user',
      NOREFERRALS: 'No referrals',
      EnforceTLS: 'Require StartTLS',
      only_trusted_certs: 'Trusted certificates only',
    },
    meanings: {},
    kinds: { managed: 'Managed here', passwd: 'File', sql: 'SQL database', ldap: 'LDAP directory' },
  },
  de: {
    labels: {
      fileName: 'Datei',
      Driver: 'Art der Datenbank',
      Server: 'Server',
      Port: 'Port',
      Database: 'Datenbank',
      User: 'Konto',
      Password: 'Passwort',
      Table: 'Tabelle',
      Map: 'Spalten',
      Where: 'Bedingung',
      Limit: 'Höchstzahl',
      Encoding: 'Kodierung',
      conParams: 'Verschlüsselung',
      CACERTIFICATE: 'Zertifizierungsstellen',
      LDAPURI: 'Adressen',
      LDAPBASE: 'Basis',
      BINDDN: 'Konto',
      BINDPW: 'Passwort',
      TIMEOUT: 'Zeitgrenze',
      SIZELIMIT: 'Höchstzahl',
      LOGINNAMEATTRIBUTE: 'Attribut des Benutzernamens',
      LDAPSEARCHFILTER: 'Filter aller Benutzer',
      LDAPFILTER: 'Filter eines Benutzers',
      USERINFO: 'Attribute',
      UIDTYPE: 'Kennung eines Benutzers',
      NOREFERRALS: 'Keine Verweise',
      EnforceTLS: 'StartTLS verlangen',
      only_trusted_certs: 'Nur vertrauenswürdige Zertifikate',
    },
    meanings: {
      managed: 'Benutzer in der eigenen Datenbank von tankeeper.',
      passwd: 'Benutzer in einer Datei wie /etc/passwd, die bei Änderungen neu gelesen wird.',
      sql: 'Benutzer in einer Tabelle von PostgreSQL, MySQL oder MariaDB.',
      ldap: 'Benutzer in einem LDAP-Verzeichnis.',
      'passwd fileName': 'Absoluter Pfad der Datei, in einem Ordner von RESOLVER_FILE_DIRS.',
      'sql Driver': 'Die Art: postgresql, mysql oder mariadb.',
      'sql Server': 'Name oder Adresse des Rechners.',
      'sql Port': 'Port des Servers.',
      'sql Database': 'Name der Datenbank.',
      'sql User': 'Konto der Datenbank; es sollte nur die Tabelle der Benutzer lesen dürfen.',
      'sql Password': 'Passwort dieses Kontos.',
      'sql Table': 'Die Tabelle als `tabelle` oder `schema.tabelle`.',
      'sql Map':
        'Die Spalten für userid und username (nötig), password, givenname, surname, email, phone und mobile.',
      'sql Where': 'SQL-Bedingung, die die Zeilen der Benutzer auswählt; ohne Angabe alle.',
      'sql Limit': 'Höchstzahl beim Zählen und Auflisten; gefunden wird jeder Benutzer.',
      'sql Encoding': 'Die Kodierung: utf-8; die Datenbank wandelt selbst um.',
      'sql conParams': 'Die Verschlüsselung: `sslmode=disable`, `require`, `verify-ca` oder `verify-full`.',
      'sql CACERTIFICATE': PEM,
      'ldap LDAPURI':
        'Die Adressen als ldap://rechner:port oder ldaps://rechner:port; mehrere mit Komma, als Alternativen.',
      'ldap LDAPBASE': 'Der DN über allen Benutzern.',
      'ldap BINDDN': 'Konto für Suchen; ohne Angabe wird anonym gesucht.',
      'ldap BINDPW': 'Passwort dieses Kontos.',
      'ldap TIMEOUT': 'Sekunden für die Verbindung und jede Antwort; `2;10` für beides einzeln.',
      'ldap SIZELIMIT': 'Höchstzahl einer Liste, die dort endet; 0: keine Grenze.',
      'ldap LOGINNAMEATTRIBUTE': 'Das Attribut mit dem Benutzernamen.',
      'ldap LDAPSEARCHFILTER': 'Der Filter aller Benutzer; mehrere hintereinander müssen alle zutreffen.',
      'ldap LDAPFILTER': 'Der Filter für den Benutzer mit dem Namen %s.',
      'ldap USERINFO': 'Die Attribute für givenname, surname, email, phone und mobile.',
      'ldap UIDTYPE':
        'Die Kennung eines Benutzers, an die Token gebunden sind: `dn`, `entryUUID`, `objectGUID` oder ein Attribut.',
      'ldap NOREFERRALS': 'Ohne Wirkung: Verweisen wird nie gefolgt.',
      'ldap EnforceTLS': 'True verlangt StartTLS bei ldap://.',
      'ldap only_trusted_certs': 'False nimmt jedes Zertifikat an, auch das eines Angreifers dazwischen.',
      'ldap CACERTIFICATE': PEM,
    },
    kinds: { managed: 'Hier verwaltet', passwd: 'Datei', sql: 'SQL-Datenbank', ldap: 'LDAP-Verzeichnis' },
  },
};
