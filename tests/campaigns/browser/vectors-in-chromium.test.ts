import { expect, it } from '@jest/globals';
import { openPage } from '../../support/browser/chromium.ts';
import { describeSite, type FileSite, serveFiles } from '../../support/browser/file-site.ts';
import { bundleForBrowser } from '../../support/browser/vite.ts';
import { readVectorFile } from '../../support/values/vectors.ts';
import type { CheckedRow } from '../../support/vectors/vectors.ts';
import { DEVICE_RUNS, OCRA_RUNS, runAllVectors } from '../../support/vectors/vectors.ts';

const RUNS = [...OCRA_RUNS, ...DEVICE_RUNS];

const bundled = (): Promise<string> => bundleForBrowser('tests/support/vectors/browser-entry.ts');

async function serveVectors(): Promise<FileSite> {
  const vectors = RUNS.map(({ file }) => [`vectors/${file}`, readVectorFile(file)] as const);
  return serveFiles(
    new Map([
      ['index.html', '<!doctype html><title>Vectors</title>'],
      ['bundle.js', await bundled()],
      ...vectors,
    ]),
  );
}

describeSite('the protocol in a browser', serveVectors, (given) => {
  it('needs nothing of Node', async () => {
    const ofNode = /^.*(?:^import\b|\brequire\(|given.browser.external|\bBuffer\.|\bprocess\.).*$/gm;
    expect((await bundled()).match(ofNode)).toBeNull();
  });

  it('gives every vector the same result as Node', async () => {
    const { page, problems } = await openPage(given.browser, given.site.origin);
    await page.goto('/');
    const inBrowser = await page.evaluate<(readonly CheckedRow[])[]>(
      'import("/bundle.js").then(({ runServedVectors }) => runServedVectors())',
    );
    expect(inBrowser.map((rows) => rows.length)).toEqual(RUNS.map(({ rows }) => rows));
    expect(inBrowser).toEqual(await runAllVectors(readVectorFile));
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
