import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { drawQrCode } from '../../../src/http/qr-picture.ts';
import { cameraArguments, writeCameraFilm } from './support/camera-film.ts';
import { findChromium, startChromium } from '../../support/browser/chromium.ts';
import { type FileSite, serveFiles } from '../../support/browser/file-site.ts';
import { builtApp } from '../../support/browser/vite.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { expectScreen, openApp } from './support/app-page.ts';
import { issueCodes, SERIAL } from './support/app-page.ts';

const FORMAT = { width: 640, height: 480, frames: 4 };

describeWithProgram('scanning', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let withoutCamera: Browser;
  let site: FileSite;
  let folder: string;
  let film: string;
  let init: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tankeeper-film-'));
    film = join(folder, 'camera.y4m');
    ({ init } = await issueCodes('https://bank.example/ocra/check_t'));
    await writeCameraFilm(film, blank(), FORMAT);
    [browser, withoutCamera, site] = await Promise.all([
      startChromium(program, cameraArguments(film)),
      startChromium(program),
      builtApp().then(serveFiles),
    ]);
  });

  afterAll(async () => {
    await Promise.all([browser.close(), withoutCamera.close(), site[Symbol.asyncDispose]()]);
    await rm(folder, { recursive: true, force: true });
  });

  /** The screen is gone at once where the camera sees a code. */
  const startScan = (page: Page): Promise<void> =>
    page.getByRole('navigation').getByRole('button', { name: 'Scan' }).click();
  const scan = async (page: Page): Promise<void> => {
    await startScan(page);
    await expectScreen(page, 'Scan a code');
  };
  const chooseFile = (page: Page, name: string, buffer: Buffer): Promise<void> =>
    page.getByLabel('Choose a picture of the code').setInputFiles({ name, mimeType: 'image/png', buffer });

  it('reads a code from the camera once, and switches the camera off', async () => {
    await writeCameraFilm(film, drawQrCode(init), FORMAT);
    const { page, problems } = await openApp(browser, site.origin, 390);
    await page.evaluate(`{
      const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
      globalThis.tracks = [];
      navigator.mediaDevices.getUserMedia = async (wanted) => {
        const stream = await open(wanted);
        globalThis.tracks.push(...stream.getTracks());
        return stream;
      };
    }`);
    await startScan(page);
    await expectScreen(page, 'Add this token?');
    await page.getByText(SERIAL).waitFor();
    await expectSoon(() => page.evaluate('tracks.map(({ readyState }) => readyState)')).toEqual(['ended']);
    await page.getByRole('button', { name: 'Add the token' }).click();
    await expectScreen(page, 'The first step is done');
    expect(problems).toEqual([]);
  });

  it('finds the code in a picture, also a small one in a large photo', async () => {
    const { page, problems } = await openApp(withoutCamera, site.origin);
    await scan(page);
    await chooseFile(page, 'code.png', drawQrCode(init));
    await expectScreen(page, 'Add this token?');
    await scan(page);
    await chooseFile(page, 'photo.png', photoWith(PNG.sync.read(drawQrCode(init, 165))));
    await expectScreen(page, 'Add this token?');
    expect(problems).toEqual([]);
  });
});

function blank(): Buffer {
  return PNG.sync.write(new PNG({ width: 64, height: 64 }));
}

/** A grey photo of twelve megapixels with the code at its lower right. */
function photoWith(code: PNG): Buffer {
  const photo = new PNG({ width: 4_000, height: 3_000 });
  photo.data.fill(0xb0);
  PNG.bitblt(code, photo, 0, 0, code.width, code.height, 3_200, 2_300);
  return PNG.sync.write(photo, { deflateLevel: 1 });
}
