import { describe, expect, it } from '@jest/globals';
import { settingTexts } from '../../../console/src/resolvers/setting-texts.ts';
import { describedKinds } from '../../../src/resolvers/settings/settings-rules.ts';

const settings = describedKinds().flatMap(({ kind, settings: all }) =>
  all.filter(({ name }) => name !== 'Connect').map(({ name }) => [kind, name] as const),
);

describe('the words of the console for settings of resolvers', () => {
  it.each(settings)('name %s %s in both languages, and explain it in German', (kind, name) => {
    expect(settingTexts.en.labels[name]).toEqual(expect.any(String));
    expect(settingTexts.de.labels[name]).toEqual(expect.any(String));
    expect(settingTexts.de.meanings[`${kind} ${name}`]).toEqual(expect.any(String));
  });

  it.each(describedKinds())('name the kind $kind', ({ kind }) => {
    expect(settingTexts.en.kinds[kind]).toEqual(expect.any(String));
    expect(settingTexts.de.meanings[kind]).toEqual(expect.any(String));
  });

  it('speak of nothing that is not there', () => {
    const known = [
      ...settings.map(([kind, name]) => `${kind} ${name}`),
      ...describedKinds().map(({ kind }) => kind),
    ];
    expect(Object.keys(settingTexts.de.meanings).sort()).toEqual(known.sort());
  });
});
