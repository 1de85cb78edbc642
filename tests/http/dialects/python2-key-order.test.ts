import { describe, expect, it } from '@jest/globals';
import {
  inPython2Order,
  inPython2OrderOfCopy,
  inPython2OrderOfTable,
} from '../../../src/http/dialects/python-text.ts';

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
