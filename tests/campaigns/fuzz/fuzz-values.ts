import fc from 'fast-check';
import { z } from 'zod';
import type { Endpoint } from '../../../src/http/endpoint-spec.ts';
import { exampleOf } from '../../support/description/declared-endpoints.ts';
import { anyText } from '../../support/values/any-text.ts';
import { container, keyPackage, ocraPackage } from '../../support/values/pskc-documents.ts';
import type { Pairs } from './fuzz-wire.ts';

/** Texts that have broken other servers. None resembles a leak to the verdict. */
// prettier-ignore
const HOSTILE: readonly string[] = [
  '', ' ', '*', '%', '_', '.', '..', '\\', '"', "'", '\t', '\r\n', '\0', '\u{feff}', '\u202e', '\ud800',
  '\udfff\ud83d', 'a\0b', 'ı', 'İ', 'ß', '٣', '１', 'e\u0301', '😀', '\u{10ffff}', '\uffff', '🏳️‍🌈',
  '0', '-1', '1e309', 'NaN', '0x10', '1_000', '2147483648', '9007199254740993', '9223372036854775808',
  '99999999999999999999999', '1.5', '+1', ' 1 ',
  "' OR '1'='1", "x'; DROP TABLE nothing; --", '1) UNION ALL (SELECT 1', '$1', '?', '??', "E'\\x00'", '{1, 2}',
  '[1]', '../../../../../etc/shadow', '/etc/passwd', '%00', '%2e%2e%2f', '%c0%ae', '%s%n%x', '%(x)s', '${7*7}',
  '<script>alert(1)</script>', '"><img src=x onerror=y>', ']]>', '<!ENTITY a "b">', 'x\r\nSet-Cookie: a=b',
  '*)(uid=*', '(&(a=b', 'cn=*, dc=x', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'null', 'true',
  '[object Object]', '{"$ne":1}', '2026-02-30', '0000-00-00T00:00:00Z', '+275760-09-13', '1H2M3S4D',
  '99999999D', '* * * * *', '0-9999999 * * * * *', '!, !', ', ;;', '::/0', '1.2.3.4/33', '::ffff:1.2.3.4',
  'OCRA-1:', 'OCRA-1:HOTP-SHA256-11:QN99', 'OCRA-1:HOTP-SHA1-0:C-QA00-S999-T99H', 'lseqr://init?sh=&os=&se=',
  'lseqr://req?%', '====', 'JZXW4ZI=FF', 'otppin=9', 'qrtanurl="', "a='b", '/:no realm:/', '@', 'a@b@c',
];

const REPEATED: readonly string[] = ['a', '9', 'ä', '\u0301', '😀', '(', ',', '*', '%', '\\', '=', '* ', '&'];

const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 2, arbitrary: anyText({ maxLength: 30 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  fc.bigInt().map(String),
  fc.double().map(String),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.base64String({ maxLength: 120 }),
  fc.json({ maxDepth: 3 }),
  fc
    .tuple(
      fc.constantFrom(...REPEATED),
      fc.constantFrom(64, 256, 1_025, 4_096, 8_193),
      fc.constantFrom('', '!', '\0'),
    )
    .map(([text, times, end]) => text.repeat(times) + end),
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
  container({ serial: `</SerialNo><SerialNo>2` }),
  container({ packages: keyPackage({ data: '<Secret><PlainValue>!!!</PlainValue></Secret>' }) }),
  container({ packages: '<__proto__><constructor/></__proto__>' }),
  container().slice(0, 400),
  '[rule]\nscope = """a\nb',
];

/** Hosts: all are on this machine, or are no host at all. The fuzzer contacts no other host. */
// prettier-ignore
const HOSTS: readonly string[] = [
  '127.0.0.1', 'no such host', '127.0.0.1\r\nx', '[::1]', '', '127.0.0.1:99999', '::', 'https://10.0.0.1/',
  'https://receiver.invalid/hook', 'http://127.0.0.1/', 'ldap://127.0.0.1:1', 'ldap://127.0.0.1:1,ldap://[::1]:1',
  'ldap://', 'ldap://a b', 'mysql://u:p@127.0.0.1:1/users', 'postgresql://u@127.0.0.1:1/users', 'sqlite:///users',
  'mysql://127.0.0.1:99999/x', 'charset=utf8', 'ssl=1&x=%00',
];

/** @returns true if the server would connect to the value of the parameter */
export function namesHost(name: string): boolean {
  return /url|server|uri|connect|conparams/i.test(name);
}

/** @returns any value for a parameter that leads to no other host */
export function hostileValue(name: string): fc.Arbitrary<string> {
  if (namesHost(name)) {
    return fc.constantFrom(...HOSTS);
  }
  return name === 'file' ? fc.oneof(fc.constantFrom(...HOSTILE_FILES), hostileText) : hostileText;
}

/** @returns names of unknown parameters */
export const strangeName: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', '', 'a[b]', 'a[]', 'serial[$ne]', 'SESSION', 'Serial', 'id'),
  fc.constantFrom('csrf_token', 'qr', 'width', 'session', '__proto__[x]', 'ſession', 'uſer'),
  hostileText,
);

/** The server's present values, which pass its first checks. */
export interface KnownFacts {
  readonly administrator: { readonly name: string; readonly password: string };
  readonly apiToken: string;
  /** A session, and the token and CSRF token of a login; the spare ones may be closed. */
  readonly session: string;
  readonly spareSession: string;
  readonly login: { readonly token: string; readonly csrfToken: string };
  readonly passwdFile: string;
  readonly transactions: readonly {
    readonly transactionid: string;
    readonly serial: string;
    readonly user: string;
    readonly tan: string;
  }[];
}

const HEX_KEY = '3132333435363738393031323334353637383930313233343536373839303132';
const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';

/** Values beside the examples of schemas, by name; or in front of them, by path and name. Most are of secrets. */
const USUAL: Readonly<Record<string, readonly string[]>> = {
  otpkey: [HEX_KEY, HEX_KEY.slice(0, 40), 'zz'],
  '/ocra/calculateOtp sharedsecret': [HEX_KEY.slice(0, 40)],
  '/ocra/calculateOtp activationcode': ['GEZDGNBVGY3TQOJQ01', 'gezd-gnbv-gy3t-qojq-01'],
  nonce: [HEX_KEY.repeat(2)],
  ocrapin: ['', '1234'],
  pin: ['', '0000'],
  init1: [`lseqr://init?sh=${HEX_KEY.slice(0, 40)}&os=${encodeURIComponent(SUITE)}&se=FUZZ1`],
  init2: [`lseqr://nonce?me=a&u=&no=${HEX_KEY.repeat(2)}&tr=0123&ch=12345678&se=FUZZ1&si=00`],
  otp1: ['12345678'],
  otp2: ['23456789'],
  response: ['12345678'],
  credential: ['{}', '{"id":"x","response":{}}'],
  link: ['A'.repeat(43)],
  challenge1: ['12345678'],
  challenge2: ['87654321'],
  '/admin/loadtokens type': ['pskc', 'oathcsv'],
  '/system/setResolver type': ['passwd', 'ldap', 'sql', 'managed'],
  '/admin/testresolver type': ['passwd', 'ldap', 'sql', 'managed'],
  '/admin/resolver/add name': ['added'],
  '/admin/realm/add name': ['added'],
  '/admin/user/add login': ['added'],
  '/admin/webhook/add name': ['added'],
  '/admin/policy/set name': ['added'],
  '/admin/token/assign realm': ['customers'],
  file: [
    container({ packages: ocraPackage('PSKC2', SUITE, Buffer.alloc(32, 5), 3) }),
    container({ packages: keyPackage({ serial: 'PSKC3' }).repeat(3) }),
    `CSV1, ${HEX_KEY}, totp, 8, 60\nCSV2, ${HEX_KEY}`,
  ],
  '/system/importPolicy file': [
    '[rule-1]\nscope = ocra\naction = request\nrealm = customers\nuser = *\n',
    "[rule-1]\nscope = admin\naction = 'show, unknown'\nrealm = *\nuser = *\n[rule-2]\nscope = x\naction = y\n",
  ],
  driver: ['mysql', 'postgresql'],
  map: ['{"userid":"id","username":"login"}'],
  userinfo: ['{"username":"uid","userid":"entryUUID"}'],
  ldapfilter: ['(&(uid=%s)(objectClass=inetOrgPerson))'],
  ldapsearchfilter: ['(uid=*)(objectClass=inetOrgPerson)'],
  outform: ['json', 'csv'],
  status: ['assigned', 'unassigned&inactive', 'total'],
  scope: ['admin', 'ocra', 'authentication'],
  realm: ['*'],
  expected: ['', 'null', '{}', '['],
  set: ['{}', '{"fileName": "/etc/shadow"}', '{"LDAPURI": "ldap://127.0.0.1:1"}', '['],
  password: ['long enough', 'short', ''],
  qr: ['png', 'html'],
  revision: [''],
};

/** Parameters that work together, where neither all nor those that are required do. */
const SOUND: Readonly<Record<string, readonly string[]>> = {
  '/ocra/calculateOtp': ['sharedsecret', 'activationcode', 'nonce', 'ocrasuite', 'challenge'],
  '/admin/init': ['type', 'serial', 'genkey'],
  '/admin/resync': ['serial', 'otp1', 'otp2', 'challenge1', 'challenge2'],
  '/admin/set': ['serial', 'pin', 'description'],
  '/admin/token/set': ['serial', 'pin', 'description'],
  '/admin/token/assign': ['serial', 'user', 'realm'],
  '/admin/policy/set': ['name', 'scope', 'action', 'realm', 'user'],
  '/system/setPolicy': ['name', 'scope', 'action', 'realm', 'user'],
  '/system/setResolver': ['name', 'type', 'filename'],
  '/admin/testresolver': ['type', 'filename'],
  '/admin/webhook/add': ['name', 'url'],
};

/** Values that only this server accepts at this time. */
function ownValues(known: KnownFacts, pick: number): Readonly<Record<string, readonly string[]>> {
  const { administrator, session, passwdFile, transactions } = known;
  const { transactionid, serial, user, tan } = transactions[pick % transactions.length] ?? NO_TRANSACTION;
  return {
    serial: [serial, 'QR1', 'NONE'],
    serials: [serial, `${serial},NONE`],
    transactionid: [transactionid],
    transaction_id: [transactionid],
    state: [transactionid],
    pass: [tan, tan, '12345678'],
    user: [user, 'alice', 'nobody'],
    session: [session],
    filename: [passwdFile, '/dev/zero', '/proc/self/environ', '/', '/dev/stdin'],
    '/admin/sign-in username': [administrator.name],
    '/admin/sign-in password': [administrator.password],
    '/admin/login username': [administrator.name],
    '/admin/login password': [administrator.password],
  };
}

const NO_TRANSACTION = { transactionid: '0', serial: 'FUZZ1', user: 'alice', tan: '0' };

/** @returns values that pass a parameter's first check: the server's own, what its schema names, what is usual */
export function plausibleValues(
  { path, parameters }: Endpoint,
  name: string,
  known: KnownFacts,
  pick: number,
): readonly string[] {
  const schema = parameters.shape[name] as z.ZodType;
  const own = ownValues(known, pick);
  const example = exampleOf(schema);
  const first = own[`${path} ${name}`] ?? USUAL[`${path} ${name}`] ?? own[name] ?? [];
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  const words = inner instanceof z.ZodEnum ? inner.options.map(String) : [];
  const all = [...first, ...(example === undefined ? [] : [example]), ...words, ...(USUAL[name] ?? [])];
  return all.length > 0 ? all : ['1', 'a', 'true'];
}

/** @returns parameters with which the endpoint may succeed: those that work together, few, those with examples, all */
export function soundParameters(endpoint: Endpoint, known: KnownFacts, pick: number): readonly Pairs[] {
  const { path } = endpoint;
  const { shape } = endpoint.parameters;
  const likeliest = (isMeant: (schema: z.ZodType, name: string) => boolean): Pairs =>
    Object.entries(shape)
      .filter(([name, schema]) => isMeant(schema as z.ZodType, name))
      .map(([name]) => [name, plausibleValues(endpoint, name, known, pick)[0] ?? ''] as const);
  const isRequired = (schema: z.ZodType): boolean => !schema.safeParse(undefined).success;
  return [
    likeliest((schema, name) => SOUND[path]?.includes(name) ?? isRequired(schema)),
    likeliest((schema, name) => isRequired(schema) || name === 'serial'),
    likeliest((schema) => isRequired(schema) || exampleOf(schema) !== undefined),
    likeliest(() => true),
  ];
}
