import { beforeEach, describe, expect, it } from '@jest/globals';
import { SettingService } from '../../src/configuration/setting-service.ts';
import { checkPolicy } from '../../src/policy/policy.ts';
import { callerNamed } from '../support/values/callers.ts';
import { eventualRefusal } from '../support/values/refusal.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { type StoredConfiguration, storeConfiguration } from '../support/database/stored-configuration.ts';

const admin = callerNamed('admin');

const test = databaseOfTests();
let stored: StoredConfiguration;
let service: SettingService;

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
