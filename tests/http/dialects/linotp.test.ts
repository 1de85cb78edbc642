import { beforeAll, describe, expect, it } from '@jest/globals';
import { removedPolicy } from '../../../src/http/dialects/linotp2-administration.ts';
import { linotpWording } from '../../../src/http/dialects/linotp2-failures.ts';
import {
  asciiRefusal,
  inPython2Order,
  inPython2OrderOfTable,
  plainRepr,
  quotedName,
  unicodeRepr,
} from '../../../src/http/dialects/python-text.ts';
import { failureForm } from '../../../src/http/failures.ts';
import type { RequestContext } from '../../../src/http/request/exchange.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { readOcraRecordings } from '../../compat/ocra-recordings.ts';
import { applicationOfTests } from '../../support/application/test-application.ts';
import { refusalOf } from '../../support/values/refusal.ts';
import { readVectorFile } from '../../support/values/vectors.ts';
import type { SuiteRow } from '../../support/vectors/vectors.ts';
import { rowsOf } from '../../support/vectors/vectors.ts';

it.each([
  ['abc', "u'abc'"],
  ['äö', "u'\\xe4\\xf6'"],
  ['😀', "u'\\U0001f600'"],
  ["it's", 'u"it\'s"'],
  ['it\'s "so"', "u'it\\'s \"so\"'"],
  ['a\\b\n\t\r\x01\x7f', "u'a\\\\b\\n\\t\\r\\x01\\x7f'"],
])('a text as Python 2 prints it is, for %j, %s', (text, printed) => {
  expect(unicodeRepr(text)).toBe(printed);
  expect(plainRepr(text)).toBe(printed.slice(1));
});

it.each([
  ['plain', undefined],
  ['ä', "'ascii' codec can't encode character u'\\xe4' in position 0: ordinal not in range(128)"],
  ['aäöb', "'ascii' codec can't encode characters in position 1-2: ordinal not in range(128)"],
])('the message of Python 2 for a text that is not ASCII is, for %j, %j', (text, said) => {
  expect(asciiRefusal(text)).toBe(said);
});

it.each([
  ['mydefrealm', "'mydefrealm'"],
  ['', "''"],
  ['äö', "'äö'"],
  ["o'realm", '"o\'realm"'],
  ['o"realm', "'o\"realm'"],
  ['\'"\\', "'\\'\"\\\\'"],
  ['a\nb\r\tc', "'a\\nb\\r\\tc'"],
  ['\u0000\u001b[31m\u0085', "'\\x00\\x1b[31m\\x85'"],
  ['\u202egnp\u00a0', "'\\u202egnp\\xa0'"],
  ['\u{e0001}', "'\\U000e0001'"],
  ['\u{1f511}', "'\u{1f511}'"],
])('a name from outside in a message %j is written as %s', (name, quoted) => {
  expect(quotedName(name)).toBe(quoted);
});

/** Three digits in a session's length are enough here; docs/compatibility.md names it. */
const TAKEN_HERE = 'OCRA-1:HOTP-SHA1-6:QN08-S100';
const ASKED: RequestContext = {
  path: '/admin/init',
  family: 'linotp2',
  usage: '',
  language: 'en',
  parameters: new Map(),
  written: new Map(),
};

describe('OCRA suites that LinOTP refuses', () => {
  const refused = rowsOf<SuiteRow>(readVectorFile('linotp-suite-parse.jsonl')).flatMap(({ suite, error }) =>
    error === undefined || suite === TAKEN_HERE ? [] : [[suite, error.message] as const],
  );

  it.each(refused)('the dialect linotp answers %j as LinOTP does', (suite, message) => {
    const error = refusalOf(() => parseOcraSuite(suite));
    const wording = linotpWording(error, failureForm(error.code), ASKED);
    expect(wording.code).toBe(-311);
    // Over HTTP texts are Unicode, so Python shows them with a `u` where the vectors show them without.
    expect(wording.message.replace(/\bu'/, "'")).toBe(message);
  });
});

describe('the order of keys', () => {
  it.each([
    [[]],
    [['']],
    [['__proto__', 'constructor', 'a']],
    [['ä', '\u{1f600}', 'a'.repeat(10_000)]],
    [Array.from({ length: 2_000 }, (_, index) => `key ${index}`)],
  ])('loses none, whatever they are', (keys: readonly string[]) => {
    const ordered = inPython2Order(keys.map((key) => [key, key] as const));
    expect(Object.keys(ordered).toSorted()).toEqual(keys.toSorted());
    expect(Object.entries(ordered).every(([key, value]) => key === value)).toBe(true);
  });

  it('keeps of a repeated key the last value', () => {
    const pairs = ['a1', 'b2', 'a3'].map(([key = '', value = '']) => [key, value] as const);
    expect(inPython2Order(pairs)).toEqual({ a: '3', b: '2' });
  });
});

it('keeps the order that CPython gives to keys of a larger dict', () => {
  const keys = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];
  expect(inPython2OrderOfTable(keys, 256)).toEqual(['epsilon', 'delta', 'beta', 'alpha', 'gamma']);
});

/*
 * LinOTP 2.12.6 gave objects whose keys are chosen names (policies, realms, configuration values) in the order of a
 * Python 2 dict.
 */

type Members = Readonly<Record<string, unknown>>;

interface RecordedObject {
  readonly name: string;
  readonly path: string;
  readonly value: Members;
}

const objects: readonly RecordedObject[] = readOcraRecordings()
  .filter(({ request }) => request.path.startsWith('/system/'))
  .flatMap(({ name, request, response }) => {
    const { value } = (JSON.parse(response.body) as { result: { value: unknown } }).result;
    return typeof value === 'object' && value !== null
      ? [{ name, path: request.path, value: value as Members }]
      : [];
  });
const removals = objects.filter(({ path }) => path === '/system/delPolicy');
const others = objects.filter(({ path }) => path !== '/system/delPolicy');

describe('a recorded object with chosen keys', () => {
  it.each(others)('has the order of a dict: $name', ({ value }) => {
    const sorted = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
    expect(Object.keys(value)).toEqual(Object.keys(inPython2Order(sorted)));
  });

  it.each(removals)('has the order of a copied dict: $name', ({ value }) => {
    const { result } = value.delPolicy as { readonly result: Members };
    const [policy = ''] = /^linotp\.Policy\.(.+)\.[a-z]+$/.exec(Object.keys(result)[0] ?? '')?.slice(1) ?? [];
    expect(JSON.stringify(removedPolicy(policy))).toBe(JSON.stringify(value));
  });

  it('exists of each kind', () => {
    const names = ['getRealms', 'getConfig', 'setConfig', 'getPolicy', 'setPolicy', 'delPolicy'];
    const paths = names.map((name) => `/system/${name}`);
    expect(objects.map(({ path }) => path)).toEqual(expect.arrayContaining(paths));
  });
});

/* Requests to the dialect linotp that differ a little from recorded ones, on the real database. */

const SHARED_SECRET = '61'.repeat(32);
const NONCE = '0123456789abcdef'.repeat(8);
const application = applicationOfTests({ dialect: 'linotp' });

beforeAll(async () => {
  await application.addRealm('bank', ['root', 'eva@example.com']);
  await application.addRealm('shop', ['anna']);
});

interface Body {
  readonly detail?: { readonly transactionid: string; readonly challenge: string };
  readonly result: { readonly value?: unknown; readonly error?: { readonly message: string } };
  readonly id: number;
}

async function ask(path: string, parameters: Record<string, string>): Promise<Body> {
  return (await application.asAdmin(path, parameters)).body as Body;
}

const errorOf = async (path: string, parameters: Record<string, string>): Promise<string | undefined> =>
  (await application.ask(path, parameters)).error?.message;

// As CPython 2.7.18 orders a copied dict. With these names no two keys compete for a place in it, so which was there first does not matter.
it.each([
  ['url2', ['time', 'realm', 'scope', 'action', 'client', 'active', 'user']],
  ['pol1', ['user', 'client', 'active', 'time', 'realm', 'action', 'scope']],
])('a removed policy %s is answered with its values in the order of Python 2', async (name, fields) => {
  await ask('/system/setPolicy', { name, scope: 'authentication', action: 'otppin=1', realm: 'bank' });
  const { text } = await application.asAdmin('/system/delPolicy', { name });
  expect(
    [...text.matchAll(/"linotp\.Policy\.([^.]+)\.([a-z]+)": true/g)].map((found) => found.slice(1)),
  ).toEqual(fields.map((field) => [name, field]));
});

describe('checkstatus of a realm alone', () => {
  it.each([
    ['/ocra/checkstatus', { realm: 'bank' }],
    ['/ocra/checkstatus', { realm: 'nosuch' }],
    ['/ocra/checkstatus', { realm: 'bank', user: '' }],
    ['/ocra', { realm: 'bank' }],
  ])('finds nothing: %s %j', async (path, parameters) => {
    expect(await ask(path, parameters)).toMatchObject({
      result: { status: true, value: { values: [] } },
      id: 1,
    });
  });

  it('requires more where the realm is empty', async () => {
    const { result, id } = await ask('/ocra/checkstatus', { realm: ' ' });
    expect(result.value).toMatch(/^ERR77: Usage: ocra\/checkstatus: /);
    expect(id).toBe(0);
  });
});

describe('an unknown user', () => {
  const noUser = (login: string): string => `ERR1205: getUserId failed: no user >${login}< found!`;

  it.each([
    [{ user: 'root@nosuch' }, 'root'],
    [{ user: 'nobody@bank' }, 'nobody'],
    [{ user: 'nobody@shop@nosuch' }, 'nobody@shop'],
    [{ user: 'root', realm: 'nosuch' }, 'root'],
    [{ user: 'root@bank', realm: 'shop' }, 'root@bank'],
    [{ user: 'genkey@nosuch' }, 'genkey'],
  ])('is named by the login without the realm: %j', async (user, login) => {
    expect(await errorOf('/ocra/request', { ...user, data: 'x' })).toBe(noUser(login));
    expect(await errorOf('/admin/init', { ...user, type: 'ocra', genkey: '1' })).toBe(noUser(login));
    expect(await errorOf('/admin/disable', user)).toBe(noUser(login));
  });

  it('is not mistaken for one whose login has an @', async () => {
    expect(await errorOf('/ocra/request', { user: 'eva@example.com', data: 'x' })).toBe(
      "No token found: unable to create challenge for (u:u'eva@example.com',s:None)!",
    );
  });

  it('is named by the login, like a known one without a token', async () => {
    expect(await errorOf('/ocra/request', { user: 'root@bank', data: 'x' })).toBe(
      "No token found: unable to create challenge for (u:u'root',s:None)!",
    );
    const phase2 = { type: 'ocra', genkey: '1', activationcode: 'GEZDGNBVGY3TQOJQ01' };
    expect(await errorOf('/admin/init', { ...phase2, user: 'root@bank' })).toBe(
      "no token found for user: u'root' or serial: None",
    );
  });
});

describe('a wrong activation code', () => {
  const wrong = [
    ['GEZDGNBVGY3TQOJQ02', '[crypt:kdf2] activation code checksum error.'],
    ['01', '[crypt:kdf2] activation code checksum error.'],
    ['', '[crypt:kdf2] activation code checksum error.'],
    ['GEZDGNBVGY3TQOJQ0', "Error during decoding activation code: TypeError('Incorrect padding',)"],
    ['GEZDGNBVGY3TQOJQ', "Error during decoding activation code: TypeError('Incorrect padding',)"],
    ['1818181', "Error during decoding activation code: TypeError('Incorrect padding',)"],
    ['1234567802', "Error during decoding activation code: TypeError('Non-base32 digit found',)"],
    ['181818181818181800', "Error during decoding activation code: TypeError('Non-base32 digit found',)"],
  ] as const;

  it.each(wrong)(
    'is not quoted by calculateOtp and the roll-out, which name the fault: %j',
    async (activationcode, message) => {
      const result = { status: false, error: { message, code: -311 } };
      const given = { activationcode, sharedsecret: SHARED_SECRET, nonce: NONCE, challenge: 'abc' };
      expect(
        await ask('/ocra/calculateOtp', { ...given, ocrasuite: 'OCRA-1:HOTP-SHA256-6:C-QA64' }),
      ).toMatchObject({ result, id: 0 });
      const rollOut = { type: 'ocra', genkey: '1', serial: 'RO' };
      await ask('/admin/init', { ...rollOut, sharedsecret: '1' });
      expect(await ask('/admin/init', { ...rollOut, activationcode })).toMatchObject({ result, id: 1 });
    },
  );

  it('is not quoted on the page that httperror requests', async () => {
    const given = { type: 'ocra', genkey: '1', activationcode: 'GEZDGNBVGY3TQOJQ02', serial: 'RO' };
    const { status, text } = await application.asAdmin('/admin/init', { ...given, httperror: '444' });
    expect(status).toBe(444);
    expect(text).toContain('[LinOTP 2.12.6] -311: [crypt:kdf2] activation code checksum error.\n');
    expect(text).not.toContain('GEZDGNBVGY3TQOJQ');
  });
});

describe('invalid input of calculateOtp', () => {
  const given = {
    activationcode: 'GEZDGNBVGY3TQOJQ01',
    sharedsecret: SHARED_SECRET,
    nonce: NONCE,
    challenge: 'abc',
    ocrasuite: 'OCRA-1:HOTP-SHA256-6:C-QA64',
  };

  it.each([
    [{ challenge: '' }, "challenge is empty : ''"],
    [{ nonce: 'abc' }, 'Odd-length string'],
    [{ sharedsecret: 'zz' }, 'Non-hexadecimal digit found'],
    [{ no: 'abc' }, 'Odd-length string'],
    [{ no: 'zz' }, 'Non-hexadecimal digit found'],
    [{ ocrasuite: 'OCRA-1:HOTP-SHA256-6' }, 'need more than 2 values to unpack'],
    [{ ocrasuite: 'OCRA-1:HOTP-SHA256-6:QA64:x' }, 'too many values to unpack'],
    [{ ocrasuite: 'OCRA-1:HOTP-SHA256-11:QA64' }, "Invalid truncation length u'11'"],
    [{ ocrasuite: 'OCRA-1:HOTP-SHA256-6:QX08' }, "challenge description not in 'ANH'"],
  ])('is answered in the words of LinOTP: %j', async (parameters, message) => {
    expect(await ask('/ocra/calculateOtp', { ...given, ...parameters })).toMatchObject({
      result: { status: false, error: { message, code: -311 } },
      id: 0,
    });
  });
});

describe('a right that /monitoring misses', () => {
  const ENDPOINTS = ['tokens', 'userinfo', 'activeUsers', 'config', 'license', 'storageEncryption'];

  beforeAll(() => application.setPolicy('others', 'monitoring', '*', { user: 'somebody_else' }));

  const ask = async (endpoint: string, language: string): Promise<unknown> => {
    const asked = application.send(`/monitoring/${endpoint}`, {}, 'get').auth('admin', 'correct horse');
    return ((await asked.set('Accept-Language', language)).body as Body).result.error;
  };

  it.each(ENDPOINTS)('is answered in German: %s', async (endpoint) => {
    expect(await ask(endpoint, 'de-DE,de;q=0.9,en;q=0.8')).toEqual({
      code: 410,
      message: `ERR410: Sie haben nicht die administrativen Rechte dies auszuführen. Es fehlt dazu eine Richtlinie mit scope=monitoring und action=${endpoint}`,
    });
  });

  it.each(['en', 'fr'])('is answered in English to a client that prefers %s', async (language) => {
    expect(await ask('tokens', language)).toEqual({
      code: 410,
      message:
        'ERR410: You do not have the administrative right to do this. You are missing a policy scope=monitoring, action=tokens',
    });
  });
});

describe('a client whose address of the server ends in a slash', () => {
  it.each(['//validate/check', '//validate/simplecheck', '//monitoring/config'])(
    'is answered at %s',
    async (path) => {
      const answer = await application.asAdmin(path, { user: 'root', realm: 'bank', pass: 'x' }, 'get');
      expect(answer.status).toBe(200);
    },
  );

  it.each(['//admin/show', '//system/getRealms', '//ocra/request'])(
    'finds nothing at %s, which a rule of a proxy may not know',
    async (path) => {
      expect((await application.asAdmin(path, {}, 'get')).status).toBe(404);
    },
  );
});

/* The behaviours that docs/compatibility.md names beyond the recorded rows, on the real database. */

/** A challenge for that data, answered by the device at this moment; `counter` is where the device is. */
async function pay(serial: string, suite: string, data: string, counter = 0n): Promise<unknown> {
  const { detail } = await ask('/ocra/request', { serial, data });
  if (detail === undefined) {
    throw new Error('no challenge');
  }
  const response = application.respond(suite, detail.challenge, { counter });
  return application.check(detail.transactionid, response);
}

const ACCEPTED = { failcount: 0, result: true };

it.each([
  ['with a counter', 'OCRA-1:HOTP-SHA256-8:C-QN08', [0n, 1n]],
  ['with a counter and a time step', 'OCRA-1:HOTP-SHA256-8:C-QN08-T1M', [0n, 1n]],
  ['whose question is longer than the data', 'OCRA-1:HOTP-SHA256-8:QA64-T1M', [0n, 0n]],
  ['with neither counter nor time step', 'OCRA-1:HOTP-SHA256-8:QN08', [0n, 0n]],
] as const)(
  'the same question twice within one time step does not count as a replay in a suite %s',
  async (_name, suite, [first, second]) => {
    const serial = `S${suite.replaceAll(/[^A-Z0-9]/g, '')}`;
    await application.enrolPlain(serial, suite);
    expect(await pay(serial, suite, '12345678 EUR to Bert', first)).toEqual(ACCEPTED);
    expect(await pay(serial, suite, '12345678 EUR to Carl', second)).toEqual(ACCEPTED);
  },
);

describe('a token of the type ocra2', () => {
  it('is enrolled, challenged and answered like one of the type ocra, and keeps its type', async () => {
    const suite = 'OCRA-1:HOTP-SHA256-8:C-QA64';
    await application.enrolPlain('SECOND', suite, { type: 'ocra2' });
    expect(await pay('SECOND', suite, 'x')).toEqual(ACCEPTED);
    expect(await ask('/admin/show', { serial: 'SECOND' })).toHaveProperty('result.value.data', [
      expect.objectContaining({ 'LinOtp.TokenType': 'ocra2' }),
    ]);
  });

  it('goes through both phases of the roll-out of one', async () => {
    const type = { type: 'ocra2', genkey: '1', serial: 'SECOND2' };
    const phase1 = await ask('/admin/init', { ...type, sharedsecret: '1' });
    expect(phase1).toHaveProperty('detail.app_import', expect.stringMatching(/^lseqr:\/\/init\?/));
    const phase2 = await ask('/admin/init', { ...type, activationcode: 'GEZDGNBVGY3TQOJQ01' });
    expect(phase2).toHaveProperty('detail.app_import', expect.stringMatching(/^lseqr:\/\/nonce\?/));
  });
});

it('a resolver is not removed while one of its users owns a token', async () => {
  await application.addRealm('leaving', ['otto']);
  await application.enrolPlain('OTTO', 'OCRA-1:HOTP-SHA256-8:C-QA64', { user: 'otto', realm: 'leaving' });
  await ask('/system/delRealm', { realm: 'leaving' });
  const remove = (): Promise<Body> => ask('/system/delResolver', { resolver: 'leaving' });
  expect(await remove()).toHaveProperty(
    'result.error.message',
    "The resolver 'leaving' is in use by owners of tokens",
  );
  await ask('/admin/unassign', { serial: 'OTTO' });
  expect(await remove()).toHaveProperty('result.value', true);
});

it('a challenge of a token that was removed is not known any more', async () => {
  await application.enrolPlain('GONE', 'OCRA-1:HOTP-SHA256-8:C-QA64');
  const { detail } = await ask('/ocra/request', { serial: 'GONE', data: 'x' });
  await ask('/admin/remove', { serial: 'GONE' });
  const transaction = detail?.transactionid ?? '';
  expect(await application.check(transaction, '12345678')).toEqual({
    failure: `No challenge for transaction u'${transaction}' found`,
    result: false,
  });
});
