import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SettingService } from '../../src/configuration/setting-service.ts';
import { checkPolicy } from '../../src/policy/policy.ts';
import { callerNamed } from '../support/values/callers.ts';
import { eventualRefusal } from '../support/application/eventual-refusal.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { type StoredConfiguration, storeConfiguration } from '../support/database/stored-configuration.ts';

const admin = callerNamed('admin');

let test: TestDatabase;
let stored: StoredConfiguration;
let service: SettingService;

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

beforeEach(async () => {
  stored = await storeConfiguration(test.database, {
    settings: new Map([['OcraMaxChallenges', '4']]),
    policies: [
      checkPolicy({ name: 'w', scope: 'system', action: '*', user: 'admin' }),
      checkPolicy({ name: 'r', scope: 'system', action: 'read', user: 'reader' }),
    ],
  });
  const { configuration } = stored;
  service = new SettingService({ configuration });
});

describe('keys that the server does not read', () => {
  it('are stored for old clients, with a warning in the log, and told to the operator first', async () => {
    const warnings: string[] = [];
    const logging = new SettingService({
      configuration: stored.configuration,
      log: { warn: (message) => warnings.push(message) },
    });
    const entries = { OcraMaxChalenges: '2', errors: '77', 'linotp.ocraMaxChallenges': '3', Own: 'x' };
    await logging.set(admin, new Map(Object.entries(entries)));
    expect(warnings).toEqual([
      'A configuration value without effect is stored: the server reads no setting OcraMaxChalenges',
      'A configuration value without effect is stored: the server reads no setting Own',
    ]);
    expect(logging.unreadReason('linotp.OcraMaxChalenges')).toBe(
      'the server reads no setting OcraMaxChalenges',
    );
    expect(logging.unreadReason('errors')).toBeUndefined();
  });
});

describe('a value that may be a secret', () => {
  it('is expected by nobody, as a right guess would be told', async () => {
    await service.set(admin, new Map([['mail.password', 'hidden']]));
    const guess = (value: string | null) => new Map([['linotp.mail.password', value]]);
    for (const value of ['hidden', 'other', null]) {
      for (const trial of [
        () => service.set(admin, new Map([['Own', 'x']]), guess(value)),
        () => service.remove(admin, 'mail.password', guess(value)),
      ]) {
        const { code, message } = await eventualRefusal(trial());
        expect(code).toBe('parameter.invalid');
        expect(message).toContain("'mail.password' may be a secret");
      }
    }
    const { settings } = await stored.configuration.current();
    expect(settings.has('Own')).toBe(false);
    expect(settings.get('mail.password')).toBe('hidden');
    // It can be replaced and removed all the same.
    await service.set(admin, new Map([['mail.password', 'new']]), new Map([['Own', null]]));
    await service.remove(admin, 'mail.password');
  });
});

describe('configuration values', () => {
  it('are set, listed and removed, case counting', async () => {
    await service.set(
      admin,
      new Map([
        ['OcraMaxChallenges', '2'],
        ['errors', '77,410'],
        ['Own', ' kept \n'],
      ]),
    );
    expect(Object.fromEntries(await service.list())).toEqual({
      OcraMaxChallenges: '2',
      errors: '77,410',
      Own: ' kept \n',
    });
    await service.remove(admin, 'errors');
    expect((await service.list()).has('errors')).toBe(false);
    expect((await eventualRefusal(service.remove(admin, 'own'))).code).toBe('configuration.invalid');
  });

  it('that the server reads are set in any case and with the prefix of LinOTP, and removed so', async () => {
    await service.set(admin, new Map([['linotp.ocramaxCHALLENGES', '2']]));
    expect(Object.fromEntries(await service.list())).toEqual({ OcraMaxChallenges: '2' });
    await service.remove(admin, 'linotp.OCRAMAXCHALLENGES');
    expect(Object.fromEntries(await service.list())).toEqual({});
  });

  it('show what counts, set or not', async () => {
    await service.set(admin, new Map([['Own', 'x']]));
    const { values, changedAt } = await service.inForce();
    expect(Object.fromEntries(values)).toMatchObject({
      OcraMaxChallenges: '4',
      OcraMaxChallengeRequests: '3',
      Own: 'x',
    });
    expect(changedAt).toBeInstanceOf(Date);
  });

  it('are not set where none is given', async () => {
    expect((await eventualRefusal(service.set(admin, new Map()))).code).toBe('parameter.missing');
  });

  it('that the server could not read are refused, all of them', async () => {
    const entries = new Map([
      ['errors', '77'],
      ['OcraMaxChallenges', 'many'],
    ]);
    const refusal = await eventualRefusal(service.set(admin, entries));
    expect(refusal.code).toBe('configuration.invalid');
    expect(refusal.message).toContain('OcraMaxChallenges');
    expect(Object.fromEntries(await service.list())).toEqual({ OcraMaxChallenges: '4' });
  });

  it.each([
    ['', 'x'],
    ['a b', 'x'],
    ['ä', 'x'],
    ['x'.repeat(256), 'x'],
    ['linotp.', 'x'],
    ['Policy.p.active', 'False'],
    ['key', 'a\0b'],
    ['key', 'x'.repeat(8193)],
  ])('with the key %j are refused', async (key, value) => {
    const refusal = await eventualRefusal(service.set(admin, new Map([[key, value]])));
    expect(refusal.code).toBe('configuration.invalid');
    expect(await stored.acts()).toEqual([]);
  });
});
