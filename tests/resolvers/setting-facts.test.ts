import { describe, expect, it } from '@jest/globals';
import { checkResolver } from '../../src/resolvers/resolver-draft.ts';
import { describedKinds } from '../../src/resolvers/settings/settings-rules.ts';
import { refusalOf } from '../support/values/refusal.ts';

const settings = describedKinds().flatMap(({ kind, settings: all }) =>
  all.map((setting) => ({ kind, setting })),
);

/** The smallest resolver of a kind, by the examples. */
function smallest(kind: string): Record<string, string> {
  return Object.fromEntries(
    settings
      .filter((one) => one.kind === kind && one.setting.isRequired === true)
      .map(({ setting: { name, example = '' } }) => [name, example]),
  );
}

describe('the description of the settings of resolvers', () => {
  it.each(settings)('explains $setting.name of $kind in sentences', ({ setting }) => {
    expect(setting.meaning).toMatch(/^[A-Z].*\.$/);
  });

  it.each(['managed', 'passwd', 'sql', 'ldap'])('has examples that make a resolver: %s', (kind) => {
    expect(checkResolver({ name: 'r', kind, settings: smallest(kind) })).toMatchObject({ kind });
  });

  it.each(settings.filter(({ setting }) => setting.isRequired === true))(
    'says rightly that $kind needs $setting.name',
    ({ kind, setting }) => {
      const rest = Object.fromEntries(
        Object.entries(smallest(kind)).filter(([name]) => name !== setting.name),
      );
      expect(refusalOf(() => checkResolver({ name: 'r', kind, settings: rest })).message).toContain(
        setting.name,
      );
    },
  );

  it.each(settings.filter(({ setting }) => setting.example !== undefined && setting.name !== 'Connect'))(
    'has an example that is taken: $kind $setting.name',
    ({ kind, setting: { name, example = '' } }) => {
      const checked = checkResolver({ name: 'r', kind, settings: { ...smallest(kind), [name]: example } });
      expect(checked.settings[name]).toBe(example);
    },
  );

  it.each(
    settings.flatMap(({ kind, setting }) =>
      (setting.values ?? []).map((value) => [kind, setting.name, value]),
    ),
  )('lists values that are taken: %s %s %s', (kind = '', name = '', value = '') => {
    const checked = checkResolver({ name: 'r', kind, settings: { ...smallest(kind), [name]: value } });
    expect(checked.settings[name]).toBe(value);
  });

  it('marks the passwords, and what they are bound to', () => {
    const secrets = settings.filter(({ setting }) => setting.isSecret).map(({ setting }) => setting.name);
    expect(secrets).toEqual(['Password', 'BINDPW']);
    const bound = settings.filter(({ setting }) => setting.isSecretBound).map(({ setting }) => setting.name);
    expect(bound).toEqual(expect.arrayContaining(['Server', 'Port', 'LDAPURI', 'BINDDN']));
  });
});
