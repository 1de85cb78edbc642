import { describe, expect, it } from '@jest/globals';
import { meaningOf } from '../../../console/src/policies/action-meanings.ts';
import { settingTexts } from '../../../console/src/settings/setting-texts.ts';
import { KNOWN_SETTINGS } from '../../../src/configuration/settings.ts';
import { describedActions } from '../../../src/policy/policy-actions.ts';
import { POLICY_SCOPES } from '../../../src/policy/stored-policy.ts';

describe('the German words of the console', () => {
  it('explain every setting that the server obeys, and no other', () => {
    const keys = KNOWN_SETTINGS.map(({ key }) => key);
    expect(Object.keys(settingTexts.de.meanings).sort()).toEqual(keys.sort());
  });

  it.each(POLICY_SCOPES)('explain every action of the scope %s', (scope) => {
    const untold = describedActions(scope).filter(
      ({ name, meaning }) => meaningOf('de', `${scope}:${name}`, meaning) === meaning,
    );
    expect(untold).toEqual([]);
  });
});
