import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Act } from '../../../src/policy/caller.ts';
import type { NewToken } from '../../../src/tokens/token.ts';
import type {
  ImportedKey,
  KeyFileReader,
  KeyFileSecrets,
  UnreadableKey,
} from '../../../src/tokens/key-file.ts';
import { TokenImportService } from '../../../src/challenges/enrolment/token-import-service.ts';
import { checkPin } from '../../../src/tokens/token-settings.ts';
import { callerNamed } from '../../support/values/callers.ts';
import { eventualRefusal } from '../../support/application/eventual-refusal.ts';
import { OcraRules, vault } from '../../support/database/ocra-house.ts';
import { ACT } from '../../support/values/token-values.ts';

const admin = callerNamed('admin');
const bound = callerNamed('bound');
const OCRA: ImportedKey = {
  place: 'line 12, element Key',
  serial: 'K1',
  algorithm: 'urn:ietf:params:xml:ns:keyprov:pskc:OCRA-1',
  suite: undefined,
  secret: Buffer.alloc(16, 4),
  counter: undefined,
};

let keys: (ImportedKey | UnreadableKey)[];
let reads: { text: string; secrets: KeyFileSecrets }[];
let stored: { tokens: readonly NewToken[]; act: Act }[];
let service: TokenImportService;

beforeEach(() => {
  const { configuration, access, users, random } = new OcraRules({
    settings: { DefaultMaxFailCount: '7', DefaultCountWindow: '8', DefaultSyncWindow: '9' },
  });
  [keys, reads, stored] = [[OCRA], [], []];
  const reader: KeyFileReader = {
    read: (text, secrets) => {
      reads.push({ text, secrets });
      return Promise.resolve(keys);
    },
  };
  service = new TokenImportService({
    configuration,
    access,
    users,
    random,
    vault,
    readers: { pskc: reader, csv: { read: () => Promise.reject(new Error('not a table')) } },
    tokens: {
      insertAll: (tokens, act) => {
        stored.push({ tokens, act });
        return Promise.resolve();
      },
      existingSerials: (serials) => Promise.resolve(new Set(serials.includes('K9') ? ['k9'] : [])),
    },
  });
});

describe('what a file demands of the use of a key', () => {
  it('is obeyed: its token has the period and the uses, and fewer wrong responses lock it', async () => {
    const use = { validFrom: new Date('2030-06-01T00:00:00Z'), maxUses: 5 };
    keys = [
      { ...OCRA, maxFail: 3, use },
      { ...OCRA, serial: 'K2', maxFail: 99 },
    ];
    await service.load(admin, { file: 'text' });
    expect(stored[0]?.tokens.map(({ maxFail }) => maxFail)).toEqual([3, 7]);
    expect(stored[0]?.tokens.map((token) => token.use)).toEqual([use, undefined]);
  });
});

describe('a check of a file', () => {
  it('names every key that an import would refuse, and stores nothing', async () => {
    const wrongSuite = { ...OCRA, serial: 'K2', suite: 'x' };
    keys = [OCRA, wrongSuite, ...['k1', 'K9', 'a b', 'K3'].map((serial) => ({ ...OCRA, serial }))];
    const place = 'The key file is wrong in line 12, element Key';
    expect(await service.check(admin, { file: 'text' })).toEqual({
      serials: ['K1', 'K3'],
      refused: [
        {
          serial: 'K2',
          reason: `${place}: Not an OCRA suite, the algorithm 'x' is wrong: it must be 'OCRA-1'.`,
        },
        { serial: 'k1', reason: `${place}: the serial 'k1' stands in the file twice` },
        { serial: 'K9', reason: "There is a token with the serial 'K9' already" },
        {
          serial: 'a b',
          reason: `${place}: a serial has 1 to 64 printable ASCII characters, no blank and no *`,
        },
      ],
    });
    expect(stored).toEqual([]);
  });

  it('names a line that could not be read, an unknown user, realm and PIN', async () => {
    keys = [
      { place: 'line 2', serial: 'K1', fault: 'no key' },
      { ...OCRA, place: 'line 3', user: 'nobody', realm: 'alpha' },
      { ...OCRA, place: 'line 4', realm: 'gamma' },
      { ...OCRA, place: 'line 5', pin: '1'.repeat(256) },
      { ...OCRA, place: 'line 6', description: 'a\u0000' },
      // Carol is in another realm.
      { ...OCRA, place: 'line 7', user: 'carol', realm: 'alpha' },
    ];
    const { serials, refused } = await service.check(admin, { file: 'text' });
    expect([serials, refused.map(({ reason }) => reason.replace('The key file is wrong in ', ''))]).toEqual([
      [],
      [
        'line 2: no key',
        "line 3: there is no user 'nobody' in the realm",
        "line 4: There is no realm 'gamma'",
        'line 5: The PIN has at most 255 characters',
        expect.stringMatching(/^line 6: .*description/),
        "line 7: there is no user 'carol' in the realm",
      ],
    ]);
  });

  it('needs the rights of an import', async () => {
    expect(await eventualRefusal(service.check(bound, { file: '' }))).toEqual(
      await eventualRefusal(service.load(bound, { file: '' })),
    );
    expect(reads).toEqual([]);
  });
});

describe('an import', () => {
  it('makes tokens that are ready, by the configuration', async () => {
    keys = [OCRA, { ...OCRA, serial: 'K2', counter: 5n, suite: 'OCRA-1:HOTP-SHA1-6:QN08' }];
    expect(await service.load(admin, { file: 'text' })).toEqual(['K1', 'K2']);
    expect(reads).toEqual([{ text: 'text', secrets: {} }]);
    const [{ tokens, ...rest } = { tokens: [] }] = stored;
    expect(rest).toEqual({ act: { ...ACT, actor: 'admin', action: 'token/import' } });
    expect(tokens[0]).toEqual({
      serial: 'K1',
      type: 'ocra',
      description: 'imported',
      active: true,
      owner: null,
      realms: [],
      failCount: 0,
      maxFail: 7,
      timeShift: 0,
      rollout: 'complete',
      replayMarkers: [],
      counter: 0n,
      counterWindow: 8,
      syncWindow: 9,
      ocraSuite: 'OCRA-1:HOTP-SHA256-8:C-QN08',
      secrets: { ...tokens[0]?.secrets, sharedSecret: null, nonce: null, pin: null, ocraPin: null },
    });
    expect(tokens[1]).toMatchObject({ counter: 5n, ocraSuite: 'OCRA-1:HOTP-SHA1-6:QN08' });
    const { seed } = tokens[0]?.secrets ?? { seed: null };
    expect(seed === null ? null : vault.open(seed, 'seed', 'K1')).toEqual(OCRA.secret);
  });

  it.each([
    ['urn:ietf:params:xml:ns:keyprov:pskc:OCRA-1:HOTP-SHA1-6:QN08', 'ocra'],
    ['urn:x:ocra', 'ocra'],
    ['http://example.com/profile#OCRA-1', 'ocra'],
    ['urn:ietf:params:xml:ns:keyprov:pskc:hotp', 'hmac'],
    ['http://example.com#HOTP', 'hmac'],
    ['urn:ietf:params:xml:ns:keyprov:pskc:totp', 'totp'],
    ['http://example.com#TOTP', 'totp'],
  ])('takes %s for %s', async (algorithm, type) => {
    keys = [{ ...OCRA, algorithm }];
    await service.load(admin, { file: '' });
    expect(stored[0]?.tokens[0]?.type).toBe(type);
    expect(stored[0]?.tokens[0]?.ocraSuite === null).toBe(type !== 'ocra');
  });

  it.each([
    ['urn:pskc:ocra-2'],
    ['urn:pskc:ocrax'],
    ['ocra'],
    ['urn:pskc:hotp:x'],
    ['urn:pskc:xhotp'],
    ['urn:pskc:totp2'],
    ['xtotp'],
    [''],
  ])('does not know the algorithm %j', async (algorithm) => {
    keys = [{ ...OCRA, algorithm }];
    expect(await eventualRefusal(service.load(admin, { file: '' }))).toMatchObject({
      code: 'key-file.invalid',
      message: 'The key file is wrong in line 12, element Key: the algorithm is none of ocra, hotp and totp',
    });
  });

  it.each<[string, Partial<ImportedKey>, string]>([
    [
      'a serial with a blank',
      { serial: 'a b' },
      'a serial has 1 to 64 printable ASCII characters, no blank and no *',
    ],
    ['a secret too short', { secret: Buffer.alloc(15) }, 'a secret has 16 to 128 bytes'],
    ['a secret too long', { secret: Buffer.alloc(129) }, 'a secret has 16 to 128 bytes'],
    ['a wrong suite', { suite: 'x' }, "Not an OCRA suite, the algorithm 'x' is wrong: it must be 'OCRA-1'."],
    ['a serial twice', { serial: 'k0' }, "the serial 'k0' stands in the file twice"],
  ])('stores nothing for %s', async (_, change, message) => {
    keys = [
      { ...OCRA, serial: 'K0' },
      { ...OCRA, ...change, place: 'line 20' },
    ];
    expect(await eventualRefusal(service.load(admin, { file: '' }))).toMatchObject({
      code: 'key-file.invalid',
      message: `The key file is wrong in line 20: ${message}`,
    });
    expect(stored).toEqual([]);
  });

  it('takes secrets of the longest and the shortest length', async () => {
    keys = [OCRA, { ...OCRA, serial: 'K2', secret: Buffer.alloc(128, 1) }];
    expect(await service.load(admin, { file: '' })).toHaveLength(2);
  });

  it('gives the reader the password or the key of the file, not both', async () => {
    await service.load(admin, { file: '', preSharedKey: 'ABcd', password: '' });
    await service.load(admin, { file: '', preSharedKey: '', password: 'pw' });
    expect(reads.map(({ secrets }) => secrets)).toEqual([
      { preSharedKey: Buffer.from('abcd', 'hex') },
      { password: 'pw' },
    ]);
    expect(
      await eventualRefusal(service.load(admin, { file: '', preSharedKey: 'ab', password: 'pw' })),
    ).toMatchObject({
      code: 'parameter.invalid',
      message: 'Give either a pre-shared key or a password, not both',
    });
    expect(await eventualRefusal(service.load(admin, { file: '', preSharedKey: 'abc' }))).toMatchObject({
      code: 'parameter.invalid',
      message: 'The parameter pre-shared key must be hexadecimal digits, an even number of them.',
    });
  });

  it('gives tokens to their owners, in the realms of these, with PINs and descriptions', async () => {
    keys = [
      { ...OCRA, user: 'anna', pin: ' 12 ', ocraPin: '34', description: 'red' },
      { ...OCRA, serial: 'K2', user: 'carol', realm: 'Beta' },
      { ...OCRA, serial: 'K3', realm: 'beta' },
      { ...OCRA, serial: 'K4' },
    ];
    await service.load(admin, { file: '', realm: 'alpha' });
    const tokens = stored[0]?.tokens ?? [];
    expect(tokens.map(({ owner, realms }) => [owner?.login, realms])).toEqual([
      ['anna', ['alpha']],
      ['carol', ['beta']],
      [undefined, ['beta']],
      [undefined, ['alpha']],
    ]);
    const { description, secrets: { pin: sealedPin = null, ocraPin: sealedOcraPin = null } = {} } =
      tokens[0] ?? {};
    const pin = sealedPin && vault.open(sealedPin, 'pin', 'K1');
    const ocraPin = sealedOcraPin && vault.open(sealedOcraPin, 'ocra-pin', 'K1');
    expect([description, checkPin(pin, ' 12 '), checkPin(pin, '12'), ocraPin?.toString()]).toEqual([
      'red',
      true,
      false,
      '34',
    ]);
    expect(await eventualRefusal(service.load(bound, { file: '', realm: 'alpha' }))).toMatchObject({
      message: expect.stringMatching(/there is no user 'carol' in the realm$/),
    });
  });

  it('puts the tokens into the realm that is named, where the administrator may', async () => {
    await service.load(admin, { file: '', realm: ' BETA ' });
    await service.load(bound, { file: '', realm: 'alpha' });
    await service.load(admin, { file: '', realm: ' ' });
    expect(stored.map(({ tokens }) => tokens[0]?.realms)).toEqual([['beta'], ['alpha'], []]);
    expect(await eventualRefusal(service.load(bound, { file: '', realm: 'beta' }))).toMatchObject({
      code: 'realm.unknown',
    });
    expect(await eventualRefusal(service.load(bound, { file: '', realm: ' ' }))).toMatchObject({
      code: 'right.missing',
      message: 'You do not have the administrative right to load tokens without a realm: name one',
    });
    const refused = await eventualRefusal(service.load(callerNamed('nobody'), { file: '' }));
    expect(refused.payload).toEqual({ policy: { scope: 'admin', action: 'loadtokens' } });
  });
});
