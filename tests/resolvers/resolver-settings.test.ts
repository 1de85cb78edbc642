import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { checkResolver } from '../../src/resolvers/resolver-draft.ts';
import { readSqlSettings } from '../../src/resolvers/settings/sql-settings.ts';
import { CERTIFICATE_2030 } from '../support/values/certificate.ts';
import { readLdapSettings } from '../../src/resolvers/sources/ldap/ldap-configuration.ts';
import { refusalOf } from '../support/values/refusal.ts';
import { describedKinds } from '../../src/resolvers/settings/settings-rules.ts';
import { LDAP_PRESETS } from '../../console/src/resolvers/ldap-presets.ts';

type Settings = Readonly<Record<string, string>>;

const SQL: Settings = {
  Driver: 'postgresql',
  Server: 'db.example.com',
  Database: 'crm',
  User: 'reader',
  Table: 'people',
  Map: '{"userid": "id", "username": "login"}',
};

const LDAP: Settings = {
  LDAPURI: 'ldap://a.example.com, ldaps://b.example.com:6360',
  LDAPBASE: 'dc=example,dc=com',
  BINDDN: 'cn=reader,dc=example,dc=com',
  LOGINNAMEATTRIBUTE: 'uid',
  LDAPSEARCHFILTER: '(&(objectClass=person)(!(cn=a\\28b)))',
  LDAPFILTER: '(&(uid=%s)(objectClass=person))',
  USERINFO: '{"username": "uid", "surname": "sn", "email": "mail"}',
};

const sql = (changes: Settings = {}) =>
  checkResolver({ name: 'r', kind: 'sql', settings: { ...SQL, ...changes } });

const ldap = (changes: Settings = {}) =>
  checkResolver({ name: 'r', kind: 'ldap', settings: { ...LDAP, ...changes } });

describe('the settings of an SQL resolver', () => {
  it('are stored under their names, whatever case they are given in, and without the password', () => {
    const lowered = Object.fromEntries(
      Object.entries(SQL).map(([key, value]) => [key.toLowerCase(), ` ${value} `]),
    );
    const checked = checkResolver({ name: 'r', kind: 'sql', settings: { ...lowered, password: ' geheim' } });
    expect(checked).toMatchObject({ name: 'r', kind: 'sql', settings: SQL, secret: 'geheim' });
    expect(sql({ Password: '' }).secret).toBeUndefined();
    expect(sql({ Where: '', Limit: ' ', Port: '' }).settings).toEqual(SQL);
  });

  it('quote no password when a URL cannot be read', () => {
    const { Table = '', Map = '' } = SQL;
    for (const Connect of [
      'postgres://u:geheim@h:x/d',
      'postgres://u:%zzgeheim@h/d',
      'geheim',
      '://geheim@h',
    ]) {
      const settings = { Table, Map, Connect };
      const said = refusalOf(() => checkResolver({ name: 'r', kind: 'sql', settings }));
      expect(said.message).toContain('The setting Connect');
      expect(said.message).not.toContain('geheim');
    }
  });

  it.each([
    ['postgres', 'postgresql'],
    ['PostgreSQL+psycopg2', 'postgresql'],
    ['mysql', 'mysql'],
    ['mysql+mysqldb', 'mysql'],
    ['mariadb', 'mysql'],
  ])('name the driver %s as SQLAlchemy does', (driver, database) => {
    const read = readSqlSettings(sql({ Driver: driver }).settings);
    expect(read).toMatchObject({ database, port: database === 'mysql' ? 3306 : 5432 });
  });

  it('may be one URL, whose password becomes the secret', () => {
    const { Table = '', Map = '' } = SQL;
    const { settings, secret } = checkResolver({
      name: 'r',
      kind: 'sql',
      settings: {
        Table,
        Map,
        Connect: 'mysql+mysqldb://re%40der:ge%2Fheim@[::1]:3307/crm?sslmode=verify-ca',
      },
    });
    expect(settings).toEqual({
      Table,
      Map,
      Driver: 'mysql+mysqldb',
      Server: '::1',
      Port: '3307',
      Database: 'crm',
      User: 're@der',
      conParams: 'sslmode=verify-ca',
    });
    expect(secret).toBe('ge/heim');
    expect(readSqlSettings(settings).tls).toBe('verify-ca');
  });

  it.each<[Settings, string]>([
    [
      { Nosuch: 'x' },
      "The setting 'Nosuch' is unknown: a resolver of the kind sql takes these settings: Driver",
    ],
    [{ DRIVER: 'mysql' }, 'The setting Driver is given twice'],
    [{ Driver: '' }, 'The setting Driver is missing'],
    [{ Driver: 'oracle+cx' }, 'The setting Driver is none of'],
    [{ Server: '' }, 'The setting Server is missing'],
    [{ Server: 'db.example.com/x' }, 'The setting Server is not'],
    [{ Server: 'a b' }, 'The setting Server is not'],
    [{ Port: '65536' }, 'The setting Port is a whole number from 1 to 65535'],
    [{ Limit: '0' }, 'The setting Limit is a whole number from 1'],
    [{ User: '' }, 'The setting User is missing'],
    [{ Table: 'a.b.c' }, 'The setting Table'],
    [{ Table: 'people as p' }, 'The setting Table'],
    [{ Table: 'people"' }, 'The setting Table'],
    [{ Map: 'id' }, 'The setting Map is not a JSON object'],
    [{ Map: '["id"]' }, 'The setting Map is not a JSON object'],
    [{ Map: '{"userid": 1, "username": "u"}' }, 'The setting Map has for userid what is not a text'],
    [{ Map: '{"userid": "id"}' }, 'The setting Map has for username what is missing'],
    [{ Map: '{"userid": "id", "username": "u", "pasword": "p"}' }, "The setting Map has the key 'pasword'"],
    [{ Map: '{"userid": "id", "username": "u\\"; DROP TABLE x"}' }, 'The setting Map has for username'],
    [{ Map: '{"userid": "id", "username": "a.b"}' }, 'The setting Map has for username'],
    [{ Map: `{"userid": "id", "username": "${'u'.repeat(65)}"}` }, 'The setting Map has for username'],
    [{ Encoding: 'latin1' }, 'The setting Encoding is utf-8'],
    [{ conParams: 'sslmode=prefer' }, 'The setting conParams takes sslmode='],
    [{ conParams: 'ssl_ca=/etc/passwd' }, 'The setting conParams takes sslmode='],
    [
      { Driver: 'mysql', Server: '192.0.2.1', conParams: 'sslmode=verify-full' },
      'The setting Server is the name',
    ],
    [{ CACERTIFICATE: 'MIIB' }, 'The setting CACERTIFICATE is not a certificate'],
    [{ Connect: 'postgresql://h/d' }, 'The setting Driver is given twice'],
    [{ Where: 'a\n= 1' }, 'The setting Where holds a line end'],
    [{ Where: 'x'.repeat(8_193) }, 'The setting Where is too long'],
    [{ Password: 'a\u0007b' }, 'The setting Password holds a line end or a control character'],
    [{ Password: 'p'.repeat(1_025) }, 'The password (Password) has 1 to 1024 characters'],
  ])('refuse %j, naming what is wrong', (changes, message) => {
    const { code, message: said } = refusalOf(() => sql(changes));
    expect([code, said]).toEqual(['resolver.invalid', expect.stringContaining(message)]);
  });

  it.each([
    'a = 1; DROP TABLE x',
    'a = 1 -- b',
    'a = 1 # b',
    'a = 1 /* b',
    'a = 1) OR (1 = 1',
    '(a = 1',
    "a = 'b",
    'a = "b',
    "a = 'b\\' OR 1=1",
    'a = $$b$$',
    'a = $x$b$x$',
    'a = ?',
    "a = 'b')) OR (('1' = '1'",
    '` 1) OR (1 = 1 OR ` 1',
  ])('refuse the condition %j, which is more than one', (where) => {
    expect(refusalOf(() => sql({ Where: where })).message).toContain('The setting Where');
  });

  it.each([
    ['postgresql', "a = 'it''s (' AND (b OR c)"],
    ['postgresql', 'lower("a") = \'x\''],
    ['mysql', "`a (` LIKE 'b%'"],
    ['mysql', 'a IN (1, 2)'],
  ])('of %s take the condition %j', (driver, where) => {
    expect(sql({ Driver: driver, Where: where }).settings.Where).toBe(where);
  });

  it.each([
    ['postgresql', /'[^']*'|"[^"]*"/g],
    ['mysql', /'[^']*'|"[^"]*"|`[^`]*`/g],
  ])('of %s hold a condition in its parentheses, whatever it is', (driver, texts) => {
    const part = fc.constantFrom('(', ')', "'", '"', '`', 'a', ' ', 'OR', '=', '1', "''", '-', '/', '*');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const where = parts.join('').trim();
        let taken = where !== '';
        try {
          sql({ Driver: driver, Where: where });
        } catch {
          taken = false;
        }
        if (taken) {
          expect(closesAtEnd(`(${where})`, texts)).toBe(true);
        }
      }),
    );
  });
});

/** True if the parenthesis that opens the text is closed by its last character and by none before, texts left out. */
function closesAtEnd(text: string, texts: RegExp): boolean {
  const plain = text.replace(texts, '');
  let depth = 0;
  return (
    plain.split('').every((character, index) => {
      depth += character === '(' ? 1 : character === ')' ? -1 : 0;
      return depth > 0 || index === plain.length - 1;
    }) &&
    depth === 0 &&
    !/['"]/.test(plain)
  );
}

describe('the settings of an LDAP resolver', () => {
  it('are stored under their names, flags as True and False, and without the password', () => {
    const { settings, secret } = ldap({
      bindpw: 'geheim',
      enforcetls: 'true',
      only_trusted_certs: '0',
      TIMEOUT: '5;10',
      CACERTIFICATE: CERTIFICATE_2030,
    });
    expect(settings).toEqual({
      ...LDAP,
      EnforceTLS: 'True',
      only_trusted_certs: 'False',
      TIMEOUT: '5;10',
      CACERTIFICATE: CERTIFICATE_2030.trim(),
    });
    expect(secret).toBe('geheim');
  });

  it('have times of whole milliseconds, which a timer takes', () => {
    expect(readLdapSettings({ ...LDAP, TIMEOUT: '2.01;16.1' }).transport).toMatchObject({
      connectTimeout: 2_010,
      answerTimeout: 16_100,
    });
  });

  it.each<[Settings, string]>([
    [{ LDAPURI: '' }, 'The setting LDAPURI is missing'],
    [{ LDAPURI: 'http://x' }, 'The setting LDAPURI is a comma list'],
    [{ LDAPURI: 'ldap://x, file:///etc' }, 'The setting LDAPURI is a comma list'],
    [{ LDAPURI: 'ldap://u:p@x' }, 'The setting LDAPURI is a comma list'],
    [{ LDAPBASE: '' }, 'The setting LDAPBASE is missing'],
    [{ LDAPFILTER: '(uid=x)' }, 'The setting LDAPFILTER lacks %s'],
    [{ LDAPFILTER: 'uid=%s' }, 'The setting LDAPFILTER is not a filter'],
    [{ LDAPFILTER: '(uid=%s))(uid=*' }, 'The setting LDAPFILTER is not a filter'],
    [{ LDAPSEARCHFILTER: '((a=b)' }, 'The setting LDAPSEARCHFILTER is not a filter'],
    [{ LOGINNAMEATTRIBUTE: 'uid)(x' }, 'The setting LOGINNAMEATTRIBUTE is not'],
    [{ UIDTYPE: 'a b' }, 'The setting UIDTYPE is not'],
    [{ USERINFO: '{"surname": "sn)("}' }, 'The setting USERINFO has for surname what is not'],
    [{ USERINFO: '{"nosuch": "sn"}' }, "The setting USERINFO has the key 'nosuch'"],
    [{ TIMEOUT: 'soon' }, 'The setting TIMEOUT is a number'],
    [{ SIZELIMIT: '-1' }, 'The setting SIZELIMIT is a whole number'],
    [{ EnforceTLS: 'perhaps' }, 'The setting EnforceTLS is True or False'],
    [{ CACERTIFICATE: '/etc/ssl/ca.pem' }, 'The setting CACERTIFICATE is not a certificate'],
    [{ Password: 'x' }, "The setting 'Password' is unknown"],
  ])('refuse %j, naming what is wrong', (changes, message) => {
    const { code, message: said } = refusalOf(() => ldap(changes));
    expect([code, said]).toEqual(['resolver.invalid', expect.stringContaining(message)]);
  });
});

describe('a secret', () => {
  it('is for resolvers that log in', () => {
    const draft = { name: 'r', kind: 'managed', settings: {}, secret: 'x' };
    expect(refusalOf(() => checkResolver(draft)).message).toBe('A resolver of this kind has no password');
    expect(checkResolver({ ...draft, secret: null }).secret).toBeNull();
  });
});

const settings = describedKinds().settings.map((setting) => ({ kind: setting.kind, setting }));

/** The smallest resolver of a kind, by the examples. */
function smallest(kind: string): Record<string, string> {
  return Object.fromEntries(
    settings
      .filter((one) => one.kind === kind && one.setting.isRequired)
      .map(({ setting: { name, example = '' } }) => [name, example]),
  );
}

describe('the description of the settings of resolvers', () => {
  it.each(settings.filter(({ setting }) => setting.example !== undefined && setting.name !== 'Connect'))(
    'has an example that is taken: $kind $setting.name',
    ({ kind, setting: { name, example = '' } }) => {
      const checked = checkResolver({ name: 'r', kind, settings: { ...smallest(kind), [name]: example } });
      expect(checked.settings[name]).toBe(example);
    },
  );

  it('marks the passwords, and what they are bound to', () => {
    const secrets = settings.filter(({ setting }) => setting.isSecret).map(({ setting }) => setting.name);
    expect(secrets).toEqual(['Password', 'BINDPW']);
    const bound = settings
      .filter(({ setting }) => setting.isBoundToSecret)
      .map(({ setting }) => setting.name);
    expect(bound).toEqual(expect.arrayContaining(['Server', 'Port', 'LDAPURI', 'BINDDN']));
  });
});

it.each(LDAP_PRESETS.map(({ name, values }) => [name, values] as const))(
  'what is usual for %s makes a whole resolver with address and base',
  (_name, values) => {
    const settings = { LDAPURI: 'ldaps://ldap.example.com', LDAPBASE: 'dc=example,dc=com', ...values };
    const { settings: read } = checkResolver({ name: 'directory', kind: 'ldap', settings });
    expect(read).toMatchObject(values);
  },
);
