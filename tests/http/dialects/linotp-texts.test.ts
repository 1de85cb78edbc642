import { describe, expect, it } from '@jest/globals';
import { failureSentence, failureText } from '../../../src/http/dialects/failure-text.ts';
import { failureForm } from '../../../src/http/failures.ts';
import { type AnyServiceError, ServiceError } from '../../../src/kernel/errors.ts';
import {
  asciiRefusal,
  inPython2Order,
  inPython2OrderOfCopy,
  inPython2OrderOfTable,
  looseRepr,
  plainRepr,
  quotedName,
  unicodeRepr,
} from '../../../src/http/dialects/python-text.ts';
import { linotpWording } from '../../../src/http/dialects/linotp2-failures.ts';
import type { RequestContext } from '../../../src/http/request/exchange.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { refusalOf } from '../../support/values/refusal.ts';
import { readVectorFile } from '../../support/values/vectors.ts';
import type { SuiteRow } from '../../support/vectors/suite-vectors.ts';
import { rowsOf } from '../../support/vectors/vector-text.ts';
import { removedPolicy } from '../../../src/http/dialects/linotp2-administration.ts';
import { readOcraRecordings } from '../../compat/ocra-recordings.ts';

function lacking(scope: string, action: string): AnyServiceError {
  return new ServiceError('right.missing', 'plain', { policy: { scope, action } });
}

function missing(...parameters: readonly string[]): AnyServiceError {
  return new ServiceError('parameter.missing', 'plain', { parameters });
}

describe('the sentence for a failure', () => {
  it.each<[AnyServiceError, string]>([
    [
      new ServiceError('user.unknown', 'plain', { user: 'anna@beta', login: 'anna' }),
      'getUserId failed: no user >anna@beta< found!',
    ],
    [
      new ServiceError('token-status.unknown', 'plain', { status: '\'"\\ä' }),
      `Unknown token_status '\\'"\\\\ä'`,
    ],
    [missing('user', 'serial'), 'You must either provide a parameter "user" or a parameter "serial".'],
    [
      missing('transactionid', 'user', 'serial'),
      'You need to provide one of the parameters "transactionid", "user" or "serial"',
    ],
    [
      new ServiceError('right.missing', 'plain', { realms: ['unknown', "o'realm", ''] }),
      `You do not have the rights to see these realms: ['unknown', "o'realm", '']. Check the policies!`,
    ],
    [lacking('ocra', 'request'), 'You do not have the administrative right to do an ocra/request'],
    [lacking('ocra', 'status'), 'You do not have the administrative right to do an ocra/checkstatus'],
    [
      lacking('ocra', 'activationcode'),
      'You do not have the administrative right to do an ocra/getActivationCode',
    ],
    [lacking('ocra', 'calcOTP'), 'You do not have the administrative right to do an ocra/calculateOtp'],
    [lacking('admin', 'init'), 'You do not have the administrative right to init tokens of the type ocra'],
    [
      lacking('system', 'read'),
      'You do not have the administrative right to do this. You are missing a policy scope=system, action=read',
    ],
  ])('is the interface’s: %#', (error, sentence) => {
    expect(failureSentence(error, 'en')).toBe(sentence);
  });

  it.each<[AnyServiceError]>([
    [missing('serial', 'user')],
    [missing('type')],
    [missing()],
    [new ServiceError('right.missing', 'plain')],
    [new ServiceError('token.unknown', 'plain', { login: 'anna' })],
  ])('is the error’s own where there is none: %#', (error) => {
    expect(failureSentence(error, 'de')).toBe('plain');
  });

  it('is in the language of the client where it was recorded', () => {
    expect(failureSentence(lacking('monitoring', 'tokens'), 'de')).toBe(
      'Sie haben nicht die administrativen Rechte dies auszuführen. Es fehlt dazu eine Richtlinie mit scope=monitoring und action=tokens',
    );
  });

  it('stands behind its number, and behind the usage where a parameter is missing', () => {
    const context = { usage: 'admin/init: enrol a token.', language: 'en' } as const;
    const text = (error: AnyServiceError): string =>
      failureText({ error, form: failureForm(error.code) }, context);
    expect(text(missing('type'))).toBe('ERR77: Usage: admin/init: enrol a token. plain');
    expect(text(lacking('ocra', 'request'))).toBe(
      'ERR410: You do not have the administrative right to do an ocra/request',
    );
  });
});

describe('a text as Python 2 prints it', () => {
  it.each([
    ['abc', "u'abc'"],
    ['', "u''"],
    ['äö', "u'\\xe4\\xf6'"],
    ['日', "u'\\u65e5'"],
    ['😀', "u'\\U0001f600'"],
    ["it's", 'u"it\'s"'],
    ['it\'s "so"', "u'it\\'s \"so\"'"],
    ['a\\b\n\t\r\x01\x7f', "u'a\\\\b\\n\\t\\r\\x01\\x7f'"],
  ])('is, for %j, %s', (text, printed) => {
    expect(unicodeRepr(text)).toBe(printed);
    expect(plainRepr(text)).toBe(printed.slice(1));
  });

  it('has its u only where it must, if it may be without', () => {
    expect(looseRepr('abc')).toBe("'abc'");
    expect(looseRepr('ä')).toBe("u'\\xe4'");
  });
});

describe('the message of Python 2 for a text that is not ASCII', () => {
  it.each([
    ['plain', undefined],
    ['ä', "'ascii' codec can't encode character u'\\xe4' in position 0: ordinal not in range(128)"],
    ['aäöb', "'ascii' codec can't encode characters in position 1-2: ordinal not in range(128)"],
    ['xä', "'ascii' codec can't encode character u'\\xe4' in position 1: ordinal not in range(128)"],
    ['xäöü', "'ascii' codec can't encode characters in position 1-3: ordinal not in range(128)"],
  ])('is, for %j, %j', (text, said) => {
    expect(asciiRefusal(text)).toBe(said);
  });
});

describe('a name from outside in a message', () => {
  it.each([
    ['mydefrealm', "'mydefrealm'"],
    ['', "''"],
    ['no realm', "'no realm'"],
    ['äö', "'äö'"],
    ["o'realm", '"o\'realm"'],
    ['o"realm', "'o\"realm'"],
    ['\'"\\', "'\\'\"\\\\'"],
    ['a\nb\r\tc', "'a\\nb\\r\\tc'"],
    ['\u0000\u001b[31m\u0085', "'\\x00\\x1b[31m\\x85'"],
    ['\u202egnp\u00a0', "'\\u202egnp\\xa0'"],
    ['\u{e0001}', "'\\U000e0001'"],
    ['\u{1f511}', "'\u{1f511}'"],
  ])('%j is written as %s', (name, quoted) => {
    expect(quotedName(name)).toBe(quoted);
  });
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

/** Orders that LinOTP 2.12.6 was recorded to give. */
// prettier-ignore
const RECORDED = [
  ['myotherrealm', 'mydefrealm'],
  ['realm', 'active', 'client', 'user', 'time', 'action', 'scope'],
  [
    'setConfig OcraDefaultSuite:OCRA-1:HOTP-SHA1-6:QN08',
    'setConfig QrOcraDefaultSuite:OCRA-1:HOTP-SHA1-6:QN08',
  ],
  ['setConfig OcraMaxChallengeRequests:10', 'setConfig OcraMaxChallenges:6', 'setConfig AutoResync:True'],
  [
    'OcraDefaultSuite', 'SMSProviderTimeout', 'totp.timeShift', 'DefaultSyncWindow',
    'user_lookup_cache.enabled', 'useridresolver.group.myotherrealm', 'totp.timeStep',
    'QRChallengeValidityTime', 'Config', 'OcraMaxChallenges', 'passwdresolver.fileName.myDefRes',
    'totp.timeWindow', 'DefaultResetFailCount', 'NewPolicyEvaluation', 'PushMaxChallenges', 'SMSProvider',
    'certificates.use_system_certificates', 'DefaultBlockingTimeout', 'resolver_lookup_cache.enabled',
    'OcraChallengeTimeout', 'DefaultMaxFailCount', 'FailCounterIncOnFalsePin', 'PrependPin',
    'QRMaxChallenges', 'NewPolicyEvaluation.compare', 'SecretKey.Partition.0', 'PublicKey.Partition.0',
    'DefaultChallengeValidityTime', 'EmailChallengeValidityTime', 'EmailBlockingTimeout',
    'PushChallengeValidityTime', 'OATHTokenSupport', 'QRTokenOtpLen', 'EmailProvider',
    'passwdresolver.fileName.myOtherRes', 'DefaultOtpLen', 'sql_data_model_version', 'DefaultRealm',
    'user_lookup_cache.expiration', 'useridresolver.group.mydefrealm', 'SMSBlockingTimeout',
    'QrOcraDefaultSuite', 'AutoResyncTimeout', 'DefaultCountWindow', 'resolver_lookup_cache.expiration',
    'root',
  ],
];

describe('the order of keys', () => {
  it.each(RECORDED.map((keys) => [keys.length, keys] as const))(
    'of %i keys is as recorded',
    (_size, keys) => {
      const sorted = keys.toSorted();
      const ordered = inPython2Order(sorted.map((key) => [key, `value of ${key}`] as const));
      expect(Object.keys(ordered)).toEqual(keys);
      expect(ordered).toEqual(Object.fromEntries(keys.map((key) => [key, `value of ${key}`])));
    },
  );

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
    expect(
      inPython2Order([
        ...([
          ['a', 1],
          ['b', 2],
          ['a', 3],
        ] as const),
      ]),
    ).toEqual({ a: 3, b: 2 });
  });
});

describe('the order of CPython 2.7.18', () => {
  // prettier-ignore
  const letters = [
    'alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta', 'iota', 'kappa', 'lambda',
    'mu', 'nu', 'xi', 'omicron', 'pi', 'rho', 'sigma', 'tau', 'upsilon', 'phi', 'chi',
  ];
  const keysOf = (order: typeof inPython2Order, count: number): string =>
    Object.keys(order(letters.slice(0, count).map((key) => [key, 1]))).join(' ');

  it.each([
    [5, 'epsilon alpha beta gamma delta'],
    [6, 'epsilon beta delta alpha zeta gamma'],
    [11, 'kappa epsilon iota beta eta delta alpha zeta theta gamma lambda'],
    [
      22,
      'tau xi alpha zeta chi theta pi nu phi epsilon omicron beta rho delta upsilon kappa iota mu eta sigma gamma lambda',
    ],
  ])('is kept for a dict of %i keys', (count, keys) => {
    expect(keysOf(inPython2Order, count)).toBe(keys);
  });

  it.each([
    [5, 'epsilon beta delta gamma alpha'],
    [6, 'beta delta epsilon alpha zeta gamma'],
    [11, 'kappa theta epsilon beta eta delta alpha zeta iota gamma lambda'],
    [
      22,
      'tau phi xi epsilon omicron beta rho delta alpha zeta kappa chi iota mu eta gamma theta pi sigma nu upsilon lambda',
    ],
  ])('is kept for the copy of a dict of %i keys', (count, keys) => {
    expect(keysOf(inPython2OrderOfCopy, count)).toBe(keys);
  });

  it('is kept for keys of a larger dict', () => {
    expect(inPython2OrderOfTable(letters.slice(0, 5), 256)).toEqual([
      'epsilon',
      'delta',
      'beta',
      'alpha',
      'gamma',
    ]);
  });
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
    expect(objects.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        '/system/getRealms',
        '/system/getConfig',
        '/system/setConfig',
        '/system/getPolicy',
        '/system/setPolicy',
        '/system/delPolicy',
      ]),
    );
  });
});
