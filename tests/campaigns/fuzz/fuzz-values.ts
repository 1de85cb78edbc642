import type { DialectName } from '../../../src/http/dialects/dialect.ts';
import { declaredEndpoints } from '../../support/description/declared-endpoints.ts';
import fc from 'fast-check';
import { container, keyPackage, ocraPackage } from '../../support/values/pskc-documents.ts';
import { anyText } from '../../support/values/any-text.ts';
import type { Pairs } from './fuzz-wire.ts';

/** The public facts of an endpoint. */
export interface FuzzedEndpoint {
  readonly path: string;
  readonly methods: readonly string[];
  readonly requires: string;
  readonly parameters: readonly string[];
  /** Parameters whose values only the endpoint may see. */
  readonly secrets: readonly string[];
  /** HTTP Basic is the only authentication. */
  readonly byPassword: boolean;
  readonly open: boolean;
}

/** @returns every endpoint of the server, from the code, so that new ones are included */
export function fuzzedEndpoints(dialect: DialectName): readonly FuzzedEndpoint[] {
  return declaredEndpoints(dialect).map((endpoint) => ({
    path: endpoint.path,
    methods: endpoint.methods,
    requires: endpoint.requires,
    parameters: Object.keys(endpoint.parameters.shape),
    secrets: [...endpoint.secrets],
    byPassword: endpoint.access === 'password',
    open: endpoint.access === 'open',
  }));
}

/** Names of hosts: all are on this machine, or are no host at all. The fuzzer contacts no other host. */
// prettier-ignore
const HOSTS: Readonly<Record<string, readonly string[]>> = {
  // No such host, or none that is sent to: nothing leaves this machine.
  url: [
    'https://receiver.invalid/hook', 'http://127.0.0.1/', 'https://[::1]/', 'https://10.0.0.1/', '', '::',
  ],
  server: [
    '127.0.0.1', 'localhost', 'no such host', '127.0.0.1\r\nx', '[::1]', '', '127.0.0.1:99999', '/tmp',
  ],
  ldapuri: [
    'ldap://127.0.0.1:1', 'ldaps://127.0.0.1:1', 'ldap://127.0.0.1:1,ldap://[::1]:1', 'ldap://',
    'http://127.0.0.1', 'ldap://a b',
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

// prettier-ignore
const REPEATED: readonly string[] = [
  'a', '9', 'ä', '\u0301', '😀', '(', ',', '*', '%', '\\', '=', 'a,', '!', '* ', '&', 'GE', '0-9,', '(a|',
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
// prettier-ignore
export const strangeName: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '__proto__', 'constructor', 'toString', 'hasOwnProperty', '', 'a[b]', 'a[]', 'serial[$ne]', 'SESSION',
    'Serial', 'USER', 'id', 'id', 'csrf_token', 'qr', 'qr', 'width', 'session', '__proto__[x]', 'ſession',
    'uſer',
  ),
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

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';

const HEX_KEY = '3132333435363738393031323334353637383930313233343536373839303132';

/** Plausible values for a parameter, by its name in lower case, or by path and name. */
const PLAUSIBLE: Readonly<Record<string, readonly string[]>> = {
  user: ['alice', 'bob', 'alice@office', 'nobody', 'ALICE'],
  realm: ['office', 'lab', 'OFFICE', '*'],
  realms: ['office', 'lab', '*', '/:no realm:/', 'office,lab', ' office , nowhere'],
  viewrealm: ['office', '*', '/:no realm:/'],
  targetrealm: ['office'],
  resolvers: ['staff', 'useridresolver.PasswdIdResolver.IdResolver.staff', 'staff,pool'],
  resolver: ['staff', 'pool'],
  resconf: ['staff', ''],
  type: ['ocra', 'ocra2', 'hmac', 'totp', 'pw', 'spass'],
  '/system/setresolver type': ['passwdresolver', 'passwd', 'ldapresolver', 'sqlresolver', 'managed'],
  '/admin/loadtokens type': ['pskc', 'oathcsv'],
  '/ocra/calculateotp sharedsecret': [HEX_KEY.slice(0, 40)],
  '/system/delpolicy name': ['rule-1', 'rule-2'],
  '/system/getrealms realm': ['office', 'lab', '*'],
  '/admin/tokenrealm realms': ['office', 'office,lab', ''],
  defaultmaxfailcount: ['10', '0'],
  '/system/setconfig type': ['', 'text', 'password'],
  '/admin/token/list status': ['', 'active,assigned', 'locked'],
  '/admin/token/list limit': ['50', '200', '0'],
  '/admin/resolver/add name': ['added', 'staff', 'a b'],
  '/admin/resolver/add kind': ['managed', 'passwd', 'ldap', 'sql'],
  '/admin/resolver/add set': ['{}', '{"fileName": "/etc/shadow"}', '{"bindPW": "geheim"}', '[]', '{"a": 1}'],
  '/admin/resolver/set name': ['staff', 'other', 'nobody'],
  '/admin/resolver/test name': ['staff', 'other', 'nobody'],
  '/admin/resolver/test kind': ['passwd', 'managed', 'ldap', 'sql'],
  '/admin/testresolver name': ['staff', 'other', ''],
  '/admin/testresolver type': ['passwdresolver', 'managed', 'LDAP', 'SQL'],
  previous_name: ['', 'staff'],
  from: ['FUZZ0', 'FUZZ9'],
  to: ['FUZZ1', 'PSKC1'],
  '/system/importpolicy file': [
    '[rule-1]\nscope = ocra\naction = request\nrealm = office\nuser = *\n',
    "# two\n[rule-1]\nscope = admin\naction = 'show, unknown'\nrealm = *\nuser = *\n[rule-2]\nscope = x\naction = y\n",
    '[rule-1]\nscope = """a\nb',
    '[rule-1]',
  ],
  '/system/realmconsequences act': ['remove', 'set', 'default'],
  '/admin/user/add resolver': ['local', 'staff'],
  '/admin/user/add password': ['long enough', 'short', ''],
  '/admin/user/password password': ['long enough', 'short', ''],
  '/system/resolverconsequences resolver': ['local', 'staff'],
  '/admin/webhook/add name': ['hook2', 'hook', 'a b'],
  ...Object.fromEntries(
    ['show', 'deliveries', 'rotate-secret', 'set', 'enable', 'disable', 'test', 'retry', 'remove'].map(
      (act) => [`/admin/webhook/${act} name`, ['hook', 'hook2']],
    ),
  ),
  '/admin/user/password resolver': ['local'],
  '/admin/user/remove-password resolver': ['local'],
  '/admin/user/remove resolver': ['local'],
  '/system/userconsequences resolver': ['local'],
  '/system/setresolver name': ['pool', 'other', 'p00l_2'],
  '/system/setrealm realm': ['lab', 'attic'],
  '/system/delrealm realm': ['attic', 'lab'],
  '/system/delresolver resolver': ['other', 'p00l_2'],
  events: ['token.locked', 'token.stolen'],
  count: ['1', '0'],
  expected: ['', 'null', '{}', '[]', '['],
  name: ['rule-1', 'rule-2'],
  scope: ['ocra', 'admin', 'system', 'monitoring', 'authentication'],
  action: ['*', 'request', 'otppin=1', 'qrtanurl=https://portal.invalid/answer', 'init, show', 'read'],
  client: ['', '10.0.0.0/8, !10.1.1.1', '::1', '127.0.0.1'],
  time: ['', '* * * * * *', '* 8-17 * * Mon-Fri *'],
  active: ['True', 'False', '1', ''],
  genkey: ['1', '0', ''],
  otpkey: [HEX_KEY, HEX_KEY.slice(0, 40), 'zz'],
  sharedsecret: ['1', HEX_KEY.slice(0, 40)],
  activationcode: ['GEZDGNBVGY3TQOJQ01', 'JZXW4ZI=2A', 'gezd-gnbv-gy3t-qojq-01'],
  nonce: [HEX_KEY.repeat(2)],
  ocrasuite: [
    SUITE,
    'OCRA-1:HOTP-SHA256-8:QA64',
    'OCRA-1:HOTP-SHA1-6:QN08-T1M',
    'OCRA-1:HOTP-SHA512-8:C-QN08-PSHA1',
    'HOTP-SHA1-6',
    'TOTP-SHA256-8:T30S',
  ],
  otplen: ['6', '8', '7'],
  hashlib: ['sha1', 'SHA256', 'sha512', 'md5'],
  timestep: ['30', '60', '0'],
  timewindow: ['300', '0', '86400'],
  timeshift: ['0', '-90', '1e9'],
  otp: ['755224', '94287082'],
  challenge: ['12345678', '00000000'],
  challenge1: ['12345678'],
  challenge2: ['87654321'],
  counter: ['0', '1', '18446744073709551615'],
  ocrapin: ['', '1234'],
  userpin: ['1234', ''],
  sopin: ['', '1234'],
  pin: ['', '0000', 'pin'],
  init1: [`lseqr://init?sh=${HEX_KEY.slice(0, 40)}&os=${encodeURIComponent(SUITE)}&se=FUZZ1`],
  init2: [`lseqr://nonce?me=a&u=&no=${HEX_KEY.repeat(2)}&tr=0123&ch=12345678&se=FUZZ1&si=00`],
  no: [HEX_KEY.repeat(2)],
  os: [SUITE],
  data: ['', 'Pay 100 EUR to Bob', 'Überweisung 5 €'],
  message: ['Welcome', 'äöü'],
  description: ['a token', ''],
  maxfailcount: ['10', '1'],
  counterwindow: ['10', '1000'],
  syncwindow: ['1000'],
  page: ['1', '0', '2'],
  administrator: ['admin', 'nobody', '*'],
  id: ['1', '7', 'x'],
  all: ['0', ''],
  response: ['12345678'],
  credential: ['{}', '{"id":"x","response":{}}'],
  link: ['A'.repeat(43)],
  pagesize: ['10', '50'],
  filter: [''],
  outform: ['json', ''],
  status: ['assigned', 'active', 'unassigned&inactive', 'active,inactive', 'total'],
  key: ['OcraMaxChallenges', 'OcraChallengeTimeout', 'errors', 'some.thing', 'linotp.MaxFail'],
  value: ['4', '20M', '77,410', 'True'],
  otp1: ['12345678'],
  otp2: ['23456789'],
  file: [
    container({ packages: ocraPackage('PSKC2', SUITE, Buffer.alloc(32, 5), 3) }),
    container({ serial: 'PSKC1' }),
    container({ packages: keyPackage({ serial: 'PSKC3' }).repeat(3) }),
    `CSV1, ${HEX_KEY}, totp, 8, 60\nCSV2, ${HEX_KEY}`,
  ],
  pskc_password: ['', 'qwerty'],
  pskc_preshared: ['', '12345678901234567890123456789012'],
  driver: ['mysql', 'postgresql'],
  port: ['1', '3306'],
  database: ['users'],
  table: ['people', 'app.people'],
  map: ['{"userid":"id","username":"login"}'],
  where: ['', 'active = 1'],
  limit: ['500'],
  since: ['1H', '2026-11-20'],
  until: ['', '2026-11-21T12:00:00Z'],
  outcome: ['accepted', 'wrong'],
  text: ['fuzz', 'QR'],
  cursor: [''],
  encoding: ['utf-8'],
  wait: ['0', '1S', '61S', 'soon'],
  known: ['false,false,0', 'true,false,1', 'unknown'],
  password: ['wrong'],
  username: ['nobody'],
  ldapbase: ['dc=example,dc=org'],
  binddn: ['cn=reader,dc=example,dc=org'],
  bindpw: ['reader'],
  timeout: ['1'],
  format: ['jsonl', 'csv'],
  sizelimit: ['500'],
  loginnameattribute: ['uid'],
  ldapsearchfilter: ['(uid=*)(objectClass=inetOrgPerson)'],
  ldapfilter: ['(&(uid=%s)(objectClass=inetOrgPerson))'],
  userinfo: ['{"username":"uid","userid":"entryUUID"}'],
  uidtype: ['entryUUID', 'DN'],
  enforcetls: ['False', 'True'],
  only_trusted_certs: ['True'],
};

/** Combinations that work together, where all parameters with plausible values would not. */
const SOUND: Readonly<Record<string, readonly string[]>> = {
  '/ocra/request': ['serial', 'data'],
  '/ocra/calculateOtp': ['sharedsecret', 'activationcode', 'nonce', 'ocrasuite', 'challenge'],
  '/admin/answer-address': ['serial', 'user', 'realm'],
  '/admin/init': ['type', 'serial', 'genkey'],
  '/admin/loadtokens': ['file', 'type'],
  '/admin/show': ['serial'],
  '/admin/userlist': ['user'],
  '/admin/helpdesk/search': ['text'],
  '/admin/helpdesk/person': ['user'],
  '/admin/helpdesk/end-sessions': ['user'],
  '/ocra/check_t': ['transactionid', 'pass'],
  '/admin/token/show': ['serial'],
  '/admin/token/list': ['status', 'limit'],
  '/admin/audit/search': ['since', 'limit'],
  '/admin/audit/export': ['since', 'format'],
  '/admin/audit/verify': [],
  '/admin/session/end': ['administrator', 'id'],
  '/admin/set': ['serial', 'pin', 'description'],
  '/admin/reset': ['serial'],
  '/admin/enable': ['serial'],
  '/admin/disable': ['serial'],
  '/admin/remove': ['serial'],
  '/admin/assign': ['serial', 'user'],
  '/admin/unassign': ['serial'],
  '/admin/token/set': ['serial', 'pin', 'description'],
  '/admin/token/resync': ['serial', 'otp1', 'otp2', 'challenge1', 'challenge2'],
  '/admin/resync': ['serial', 'otp1', 'otp2', 'challenge1', 'challenge2'],
  '/system/setResolver': ['name', 'type', 'filename'],
  '/admin/resolver/add': ['name', 'kind', 'set'],
  '/admin/resolver/set': ['name', 'set'],
  '/admin/resolver/test': ['name', 'kind', 'set'],
  '/admin/testresolver': ['name', 'type', 'filename'],
  '/system/getPolicy/policy.cfg': [],
  '/system/setDefault': ['defaultmaxfailcount'],
  '/admin/user/password': ['resolver', 'login', 'password'],
  '/admin/webhook/add': ['name', 'url', 'events'],
  '/admin/policy/explain': ['administrator', 'realm', 'client'],
  '/admin/policy/check': ['name', 'scope', 'action', 'realm', 'user', 'client', 'time', 'inactive'],
};

/** @returns values that pass a parameter's first check; transactions are all the same one */
export function plausibleValue(
  path: string,
  name: string,
  known: KnownFacts,
  pick: number,
): fc.Arbitrary<string> {
  return fc.constantFrom(...plausibleValues(path, name, known, pick));
}

/** @returns parameters with which the endpoint succeeds, as far as known: all with the likeliest values */
export function soundParameters(
  path: string,
  names: readonly string[],
  known: KnownFacts,
  pick: number,
): Pairs {
  // The revision of a token is another one after each change.
  const all = path.startsWith('/admin/token/') ? names.filter((name) => name !== 'revision') : names;
  const sound = all.filter((name) => SOUND[path]?.includes(name) ?? true);
  return sound.map((name) => [name, plausibleValues(path, name, known, pick)[0] ?? ''] as const);
}

function plausibleValues(path: string, name: string, known: KnownFacts, pick: number): readonly string[] {
  const lower = name.toLowerCase();
  const atPath = `${path.toLowerCase()} ${lower}`;
  const serverOwn = ownValues(known, pick);
  const values = [serverOwn[atPath], serverOwn[lower], PLAUSIBLE[atPath], HOSTS[lower], PLAUSIBLE[lower]];
  return values.find((some) => some !== undefined) ?? ['1', 'a', 'true'];
}

/** Values that only this server accepts at this time. */
function ownValues(known: KnownFacts, pick: number): Readonly<Record<string, readonly string[] | undefined>> {
  const { administrator, session, passwdFile, transactions } = known;
  const { transactionid, serial, user, tan } = transactions[pick % transactions.length] ?? NO_TRANSACTION;
  const fileSetting = JSON.stringify({ fileName: passwdFile });
  return {
    serial: [serial, 'FUZZ9', 'PSKC1'],
    serials: [serial, 'FUZZ9', 'PSKC1,FUZZ9'],
    transactionid: [transactionid],
    transaction_id: [transactionid],
    state: [transactionid],
    pass: [tan, tan, '12345678'],
    user: pick % 3 === 0 ? undefined : [user],
    session: [session],
    '/admin/resolver/set set': [
      fileSetting,
      '{"fileName": "/etc/shadow"}',
      '{"bindPW": "geheim"}',
      '{}',
      '[',
    ],
    '/admin/resolver/test set': [
      fileSetting,
      '{"LDAPURI": "ldap://127.0.0.1:1"}',
      '{"fileName": "/dev/zero"}',
    ],
    filename: [passwdFile, '/dev/zero', '/proc/self/environ', '/', '/nowhere/at/all', '/dev/stdin'],
    '/admin/api-token/list administrator': [administrator.name],
    '/admin/sign-in username': [administrator.name],
    '/admin/sign-in password': [administrator.password],
    '/admin/login username': [administrator.name],
    '/admin/login password': [administrator.password],
  };
}

const NO_TRANSACTION = { transactionid: '0', serial: 'FUZZ1', user: 'alice', tan: '0' };
