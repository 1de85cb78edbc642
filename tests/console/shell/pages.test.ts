import { existsSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { PAGES } from '../../../console/src/shell/pages.ts';

const guideOf = (name: string): string => `${import.meta.dirname}/../../../docs/guides/${name}.md`;

it('each page leads to a guide that exists', () => {
  const guides = PAGES.map(({ guide = 'console' }) => guide);
  expect(guides.filter((name) => !existsSync(guideOf(name)))).toEqual([]);
});

it('no two pages that the search offers have the same name', () => {
  const offered = PAGES.filter(({ path }) => !path.includes(':'));
  for (const language of ['en', 'de'] as const) {
    const names = offered.map(({ title }) => title[language].title);
    expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([]);
  }
});
