import { expect, it } from '@jest/globals';
import { readFolder } from '../../support/browser/file-site.ts';
import { builtFolder } from '../../support/browser/vite.ts';

const MAX_KILOBYTES = 250;

it('the console has at most 250 kB, compressed as the server sends it', async () => {
  const files = await readFolder(builtFolder('console'));
  // The guides are beside it: a browser loads one where somebody asks for it.
  const sizes = [...files]
    .filter(([path]) => !path.startsWith('guides/') && !/\.(?:br|gz)$/.test(path))
    .map(([path, content]) => [path, (files.get(`${path}.br`) ?? content).length] as const);
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  expect(total / 1000).toBeLessThanOrEqual(MAX_KILOBYTES);
  // All pages are there, each loaded when it is opened.
  expect(sizes.filter(([path]) => path.endsWith('.js')).length).toBeGreaterThan(8);
});
