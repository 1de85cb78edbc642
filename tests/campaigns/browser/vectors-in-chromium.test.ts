import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { findChromium, openPage, startChromium } from '../../support/browser/chromium.ts';
import { type FileSite, serveFiles } from '../../support/browser/file-site.ts';
import { bundleForBrowser } from '../../support/browser/vite.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { readVectorFile } from '../../support/values/vectors.ts';
import type { CheckedRow } from '../../support/vectors/checked-row.ts';
import { DEVICE_RUNS, OCRA_RUNS, runAllVectors } from '../../support/vectors/vector-runs.ts';

const RUNS = [...OCRA_RUNS, ...DEVICE_RUNS];

describeWithProgram('the protocol in a browser', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: FileSite;
  let bundle: string;

  beforeAll(async () => {
    bundle = await bundleForBrowser('tests/support/vectors/browser-entry.ts');
    const vectors = RUNS.map(({ file }) => [`vectors/${file}`, readVectorFile(file)] as const);
    site = await serveFiles(
      new Map([['index.html', '<!doctype html><title>Vectors</title>'], ['bundle.js', bundle], ...vectors]),
    );
    browser = await startChromium(program);
  });

  afterAll(async () => {
    await browser.close();
    await site[Symbol.asyncDispose]();
  });

  it('needs nothing of Node', () => {
    const ofNode = /^.*(?:^import\b|\brequire\(|browser.external|\bBuffer\.|\bprocess\.).*$/gm;
    expect(bundle.match(ofNode)).toBeNull();
  });

  it('gives every vector the same result as Node', async () => {
    const { page, problems } = await openPage(browser, site.origin);
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
