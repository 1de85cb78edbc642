import { gzipSync } from 'node:zlib';
import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { builtApp } from '../../support/browser/vite.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { describeApp, expectScreen, openApp, PIN } from './support/app-page.ts';

const MAX_FIRST_LOAD_BYTES = 75_000;
const NEXT_HASH = '0'.repeat(16);

describeApp('the installed app', (given) => {
  let built: ReadonlyMap<string, Buffer>;

  beforeAll(async () => {
    built = await builtApp();
  });

  it('loads at most 75 kB at first, compressed, and jsQR only when it is needed', () => {
    const page = String(built.get('index.html'));
    const assets = Array.from(page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g), ([, name = '']) => name);
    const bytes = ['index.html', ...assets].map((name) => gzipSync(built.get(name) ?? '').length);
    expect(assets.length).toBeGreaterThanOrEqual(2);
    expect(bytes.reduce((sum, length) => sum + length)).toBeLessThan(MAX_FIRST_LOAD_BYTES);
    expect(assets.join()).not.toContain('qr-worker');
    expect([...built.keys()].join()).toContain('qr-worker');
  });

  it('has a manifest by which browsers install it, with icons of the sizes that it names', () => {
    const manifest = JSON.parse(String(built.get('manifest.webmanifest'))) as Manifest;
    expect(manifest).toMatchObject({ start_url: './', scope: './', display: 'standalone', lang: 'en' });
    expect(manifest.protocol_handlers).toEqual([{ protocol: 'web+lseqr', url: './#link=%s' }]);
    expect(manifest.icons.map(({ sizes, purpose }) => `${sizes} ${purpose}`)).toEqual([
      'any any',
      '192x192 any',
      '512x512 any',
      '512x512 maskable',
    ]);
    for (const { src, sizes } of manifest.icons.filter(({ type }) => type === 'image/png')) {
      const { width, height } = PNG.sync.read(built.get(src) ?? Buffer.alloc(0));
      expect(`${width}x${height}`).toBe(sizes);
    }
  });

  it('starts without a network once it was opened', async () => {
    const { page, problems } = await openApp(given.browser, given.site.origin);
    await workerIsActive(page);
    await page.context().setOffline(true);
    await page.reload();
    await page.getByLabel('PIN').fill(PIN);
    await page.getByRole('button', { name: 'Unlock' }).click();
    await expectScreen(page, 'Your tokens');
    await page.getByRole('navigation').getByRole('button', { name: 'Scan' }).click();
    await page.getByText('This device has no camera').waitFor();
    expect(problems).toEqual([]);
  });

  it("caches the app's files and nothing else", async () => {
    const { page } = await openApp(given.browser, given.site.origin);
    await workerIsActive(page);
    await page.evaluate(
      'fetch("./ocra/checkstatus").then(() => fetch("./index.html?x=1", { method: "POST" }))',
    );
    const cached = await page.evaluate<readonly string[]>(`(async () => {
      const names = await caches.keys();
      const caching = await Promise.all(names.map((name) => caches.open(name)));
      return (await Promise.all(caching.map((cache) => cache.keys()))).flat().map(({ url }) => new URL(url).pathname.slice(1)).sort();
    })()`);
    const others = ['service-worker.js', 'LICENCES.md'];
    expect(cached).toEqual([...built.keys()].filter((name) => !others.includes(name)).toSorted());
  });

  it('offers a new version, takes it when the user agrees, and removes the old files', async () => {
    const { page, problems } = await openApp(given.browser, given.site.origin);
    await workerIsActive(page);
    const worker = String(built.get('service-worker.js'));
    const [, hash = ''] = /"([0-9a-f]{16})"/.exec(worker) ?? [];
    given.site.files.set('service-worker.js', worker.replace(hash, NEXT_HASH));
    await page.reload();
    await page.getByText('A new version of the app is here.').waitFor();
    await expectSoon(() => cacheNames(page)).toContain(`tankeeper-app-${hash}`);
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Load again' }).click()]);
    await expectScreen(page, 'The app is locked');
    await expectSoon(() => cacheNames(page)).toEqual([`tankeeper-app-${NEXT_HASH}`]);
    given.site.files.set('service-worker.js', worker);
    expect(problems).toEqual([]);
  });

  it('installs no version of which the host answers a file with another page', async () => {
    const { page, problems } = await openApp(given.browser, given.site.origin);
    await workerIsActive(page);
    const worker = String(built.get('service-worker.js'));
    const [, hash = ''] = /"([0-9a-f]{16})"/.exec(worker) ?? [];
    const name = [...built.keys()].find((file) => file.includes('qr-worker')) ?? '';
    given.site.files.set('service-worker.js', worker.replace(hash, NEXT_HASH));
    given.site.files.set(name, String(built.get('index.html')));
    const state = await page.evaluate(`navigator.serviceWorker.ready
      .then((registration) => registration.update())
      .then(({ installing }) => new Promise((resolve) => {
        installing.addEventListener('statechange', () => resolve(installing.state));
      }))`);
    expect(state).toBe('redundant');
    given.site.files.set('service-worker.js', worker);
    given.site.files.set(name, built.get(name) ?? '');
    await page.context().setOffline(true);
    await page.reload();
    await expectScreen(page, 'The app is locked');
    expect(problems).toEqual([]);
  });
});

interface Manifest {
  readonly icons: readonly {
    readonly src: string;
    readonly sizes: string;
    readonly type: string;
    readonly purpose: string;
  }[];
  readonly protocol_handlers: readonly unknown[];
}

async function workerIsActive(page: Page): Promise<void> {
  await page.evaluate(`navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller ??
    new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve))).then(() => undefined)`);
}

function cacheNames(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>('caches.keys()');
}
