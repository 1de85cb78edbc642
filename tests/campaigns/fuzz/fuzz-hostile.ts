import fc from 'fast-check';
import { container, keyPackage } from '../../support/values/pskc-documents.ts';
import { anyText } from '../../support/values/any-text.ts';

/** Names of hosts: all are on this machine, or are no host at all. The fuzzer contacts no other host. */
export const HOSTS: Readonly<Record<string, readonly string[]>> = {
  // No such host, or none that is sent to: nothing leaves this machine.
  url: [
    'https://receiver.invalid/hook',
    'http://127.0.0.1/',
    'https://[::1]/',
    'https://10.0.0.1/',
    '',
    '::',
  ],
  server: [
    '127.0.0.1',
    'localhost',
    'no such host',
    '127.0.0.1\r\nx',
    '[::1]',
    '',
    '127.0.0.1:99999',
    '/tmp',
  ],
  ldapuri: [
    'ldap://127.0.0.1:1',
    'ldaps://127.0.0.1:1',
    'ldap://127.0.0.1:1,ldap://[::1]:1',
    'ldap://',
    'http://127.0.0.1',
    'ldap://a b',
  ],
  connect: [
    'mysql://u:p@127.0.0.1:1/users',
    'postgresql://u@127.0.0.1:1/users',
    'sqlite:///users',
    '::',
    'mysql://127.0.0.1:99999/x',
  ],
  conparams: ['', 'charset=utf8', 'ssl=1&x=%00'],
};

/** Texts that have broken other servers. None resembles a leak to the verdict. */
// prettier-ignore
const HOSTILE: readonly string[] = [
  '', ' ', '*', '%', '_', '.', '..', '\\', '"', "'", '`', '\t', '\r\n', '\0', '\u{feff}', '\u202e', '\u200b',
  '\ud800', '\udfff\ud83d',
  'a\0b', 'ı', 'İ', 'ß', 'ﬁ', '٣', '１', 'é', 'e\u0301', '😀', '𝟘', '\u{10ffff}', '\uffff', '🏳️‍🌈',
  '0', '-1', '1e309', 'NaN', 'Infinity', '0x10', '1_000', '2147483648', '9007199254740993',
  '9223372036854775808', '99999999999999999999999', '1.5', '+1', ' 1 ',
  "' OR '1'='1", "x'; DROP TABLE nothing; --", '1) UNION ALL (SELECT 1', '$1', '?', ':name', '??', "E'\\x00'",
  '{1, 2}', '[1]',
  '../../../../../etc/shadow', '/etc/passwd', 'C:\\x', 'data:, x', '%00', '%2e%2e%2f', '%c0%ae', '%s%n%x',
  '{0}', '%(x)s', '${7*7}', '{{7*7}}', '#{7}',
  '<script>alert(1)</script>', '"><img src=x onerror=y>', '&lt;', ']]>', '<!ENTITY a "b">',
  'x\r\nSet-Cookie: a=b', '*)(uid=*', '(&(a=b', 'cn=*, dc=x',
  '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'undefined', 'null', 'true',
  '[object Object]', '{"$ne":1}', 'valueOf',
  '2026-02-30', '0000-00-00T00:00:00Z', '+275760-09-13', '1H2M3S4D', '99999999D', '* * * * *',
  '60 24 32 13 8 *', '0-9999999 * * * * *', '!', '!, !', ', ', ', ;;',
  '0.0.0.0/0', '::/0', '1.2.3.4/33', '::ffff:1.2.3.4', 'OCRA-1:', 'OCRA-1:HOTP-SHA256-11:QN99',
  'OCRA-1:HOTP-SHA1-0:C-QA00-S999-T99H', 'lseqr://', 'lseqr://init?sh=&os=&se=', 'lseqr://req?%',
  '=', '====', 'A===', '////', 'JZXW4ZI=FF', 'GEZDGNBVGY3TQOJQ0', 'otppin=', 'otppin=9', 'qrtanurl=x',
  'qrtanurl="', "a='b", '/:no realm:/', '/:x:/', '@', 'alice@', '@office', 'a@b@c',
];

const REPEATED: readonly string[] = [
  'a',
  '9',
  'ä',
  '\u0301',
  '😀',
  '(',
  ',',
  '*',
  '%',
  '\\',
  '=',
  'a,',
  '!',
  '* ',
  '&',
  'GE',
  '0-9,',
  '(a|',
  '"',
];

const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 2, arbitrary: anyText({ maxLength: 30 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.bigInt().map(String) },
  { weight: 1, arbitrary: fc.double().map(String) },
  { weight: 1, arbitrary: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()) },
  { weight: 1, arbitrary: fc.base64String({ maxLength: 120 }) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...HOSTILE), fc.constantFrom(...HOSTILE)).map(([a, b]) => a + b),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...REPEATED),
        fc.constantFrom(64, 255, 256, 1_025, 4_096, 8_193),
        fc.constantFrom('', '!', '\0'),
      )
      .map(([text, times, end]) => text.repeat(times) + end),
  },
);

const XML_BOMB = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from(
  { length: 12 },
  (_, depth) => `<!ENTITY a${depth} "${`&${depth === 0 ? 'a' : `a${depth - 1}`};`.repeat(10)}">`,
).join('')}]><KeyContainer>&a11;</KeyContainer>`;
const HOSTILE_FILES: readonly string[] = [
  XML_BOMB,
  '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]><KeyContainer>&e;</KeyContainer>',
  '<a>'.repeat(20_000),
  `<KeyContainer ${'a="b" '.repeat(5_000)}/>`,
  container({ serial: '&#0;' }),
  container({ serial: '&#xD800;' }),
  container({ serial: `</SerialNo><SerialNo>2` }),
  container({ packages: keyPackage({ data: '<Secret><PlainValue>!!!</PlainValue></Secret>' }) }),
  container({ packages: '<__proto__><constructor/></__proto__>' }),
  container({ head: '<MACMethod Algorithm="x"><MACKey/></MACMethod>' }),
  container().slice(0, 400),
];

/** @returns true if the server would connect to the value of the parameter */
export function namesHost(name: string): boolean {
  return Object.hasOwn(HOSTS, name.toLowerCase());
}

/** @returns any value for a parameter that leads to no other host */
export function hostileValue(name: string): fc.Arbitrary<string> {
  if (namesHost(name)) {
    return fc.constantFrom(...(HOSTS[name.toLowerCase()] ?? []));
  }
  return name === 'file' ? fc.oneof(fc.constantFrom(...HOSTILE_FILES), hostileText) : hostileText;
}

/** @returns names of unknown parameters */
export const strangeName: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '',
    'a[b]',
    'a[]',
    'serial[$ne]',
    'SESSION',
    'Serial',
    'USER',
    'id',
    'id',
    'csrf_token',
    'qr',
    'qr',
    'width',
    'session',
    '__proto__[x]',
    'ſession',
    'uſer',
  ),
  hostileText,
);
