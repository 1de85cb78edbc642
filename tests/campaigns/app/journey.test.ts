import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { codeText } from '../../../src/device/read-code.ts';
import { drawQrCode } from '../../../src/http/qr-picture.ts';
import { type Running, startCli } from '../../cli/cli-process.ts';
import { expectScreen } from './support/app-page.ts';
import { cameraArguments, writeCameraFilm } from './support/camera-film.ts';
import {
  findChromium,
  keepPicture,
  openPage,
  startChromium,
  startProfile,
  watchPage,
} from '../../support/browser/chromium.ts';
import { readFolder } from '../../support/browser/file-site.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { readQrCode } from '../../support/values/qr-code.ts';

const PIN = '493817';
const NEXT_PIN = '604928';
const PASSPHRASE = 'correct horse battery staple';

/** Keeps what the camera of a page was opened for. */
const KEEP_TRACKS = `{
  const open = navigator.mediaDevices?.getUserMedia.bind(navigator.mediaDevices);
  globalThis.tracks = [];
  if (open !== undefined) {
    navigator.mediaDevices.getUserMedia = async (wanted) => {
      const stream = await open(wanted);
      globalThis.tracks.push(...stream.getTracks());
      return stream;
    };
  }
}`;

/** The place and the user of the demo, as it prints them. */
interface Demo {
  readonly portal: string;
  readonly app: string;
  readonly user: string;
  readonly password: string;
}

describeWithProgram('a portal in one browser, the app in another', findChromium(), 'chromium', (program) => {
  let folder: string;
  let process: Running;
  let demo: Demo;
  let desktop: Browser;
  let phone: BrowserContext;
  let portal: Page;
  let app: Page;
  const problems: (readonly string[])[] = [];
  /** The texts that must stay out of files, URLs and logs. */
  const secrets: string[] = [PIN, NEXT_PIN, PASSPHRASE];

  const film = (): string => join(folder, 'film.y4m');

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tankeeper-journey-'));
    // Under root PostgreSQL runs as another user, who has to get through.
    await chmod(folder, 0o711);
    await mkdir(join(folder, 'tmp'), { mode: 0o777 });
    await chmod(join(folder, 'tmp'), 0o711);
    process = startCli(['demo', '--portal', '--port', String(await freePort())], {
      HOME: folder,
      TMPDIR: join(folder, 'tmp'),
    });
    desktop = await startChromium(program);
    phone = await startProfile(program, join(folder, 'profile'), cameraArguments(film()));
    await phone.addInitScript(KEEP_TRACKS);
    demo = readDemo(await process.printed('Ctrl-C ends the demo'));
    const shown = await openPage(desktop, demo.portal);
    portal = shown.page;
    const held = await watchPage(phone, new URL(demo.app).origin);
    app = held.page;
    problems.push(shown.problems, held.problems);
  });

  afterAll(async () => {
    await phone.close();
    await desktop.close();
    process.signal('SIGINT');
    await process.ended;
    await rm(folder, { recursive: true, force: true });
  });

  /** Holds the picture before the phone's camera, and opens the screen that looks through it. */
  async function scan(picture: Buffer): Promise<void> {
    await writeCameraFilm(film(), picture, { width: 960, height: 960, frames: 2 });
    await app.getByRole('navigation').getByRole('button', { name: 'Scan' }).click();
  }

  const shownCode = (): Promise<Buffer> => portal.getByRole('img', { name: 'QR code' }).screenshot();

  async function pay(payee: string): Promise<Buffer> {
    await portal.goto('/');
    await portal.getByLabel('Payee').fill(payee);
    await portal.getByRole('button', { name: 'Pay' }).click();
    await portal.getByRole('heading', { name: 'Confirm the payment' }).waitFor();
    return shownCode();
  }

  /** Keeps what both show side by side, as a picture of the README. */
  async function keepBoth(): Promise<void> {
    await app.getByRole('button', { name: 'Confirm', disabled: false }).waitFor();
    await portal.setViewportSize({ width: 600, height: 844 });
    const pictures = await Promise.all([portal, app].map((page) => page.screenshot()));
    const [left, right] = pictures.map((picture) => `data:image/png;base64,${picture.toString('base64')}`);
    const { page } = await openPage(desktop, demo.portal);
    await page.setViewportSize({ width: 831, height: 688 });
    await page.setContent(`<body style="margin: 0; padding: 24px; display: flex; gap: 32px; background: #e8ecf1">
      <img src="${left}" style="height: 640px"><img src="${right}" style="height: 640px; border-radius: 20px">
    </body>`);
    await keepPicture(page, 'app');
    await page.close();
  }

  async function unlock(page: Page, pin: string): Promise<void> {
    await page.getByLabel('PIN').fill(pin);
    await page.getByRole('button', { name: 'Unlock' }).click();
  }

  async function choosePin(page: Page): Promise<void> {
    await page.getByLabel('New PIN').fill(PIN);
    await page.getByLabel('Repeat the PIN').fill(PIN);
    await page.getByRole('button', { name: 'Set the PIN' }).click();
    await expectScreen(page, 'Your tokens');
  }

  async function openSettings(page: Page, name: string): Promise<void> {
    await page.getByRole('navigation').getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('button', { name }).click();
    await expectScreen(page, name);
  }

  it('is rolled out by the camera, in both phases, and switches it off', async () => {
    await portal.goto('/');
    await portal.getByLabel('Name').fill(demo.user);
    await portal.getByLabel('Password').fill(demo.password);
    await portal.getByRole('button', { name: 'Log in' }).click();
    await portal.getByRole('button', { name: 'Begin' }).click();

    await app.goto(demo.app);
    await choosePin(app);
    const first = await shownCode();
    secrets.push(parameter(textOf(first), 'sh'));
    await scan(first);
    await app.getByRole('button', { name: 'Add the token' }).waitFor();
    await expectSoon(() => app.evaluate('tracks.map(({ readyState }) => readyState)')).toEqual(['ended']);
    await app.getByRole('button', { name: 'Add the token' }).click();
    await expectScreen(app, 'The first step is done');

    await portal.getByRole('button', { name: 'The app has read the code' }).click();
    const activationCode = await portal.locator('#activation-code').innerText();
    secrets.push(activationCode);
    await scan(await shownCode());
    const entry = app.getByLabel('Activation code');
    await entry.fill(`${activationCode.slice(0, 5)}!`);
    await app.getByText('Character 6 (!) cannot be in an activation code.').waitFor();
    await entry.fill(activationCode);
    await app.getByRole('button', { name: 'Continue' }).click();
    await expectScreen(app, 'Do you want to confirm this?');
    await app.getByRole('button', { name: 'Confirm' }).click();
    await expectScreen(app, 'Confirmed');
    await portal.getByRole('heading', { name: `Welcome, ${demo.user}` }).waitFor();
  });

  it('confirms a payment, whose text it shows before', async () => {
    await scan(await pay('Bert'));
    await expectScreen(app, 'Do you want to confirm this?');
    await app.getByText('Pay 120 EUR to Bert?', { exact: true }).waitFor();
    await keepBoth();
    await app.getByRole('button', { name: 'Confirm' }).click();
    await expectScreen(app, 'Confirmed');
    await portal.getByRole('heading', { name: 'Payment done' }).waitFor();
  });

  it('refuses a code that was changed', async () => {
    const text = textOf(await pay('Berta'));
    const changed = text.replace('Berta', 'Mallory');
    expect(changed).not.toBe(text);
    await scan(drawQrCode(changed, 400));
    await app.getByRole('main').getByText('Refused').waitFor();
    await expectSoon(() => app.getByRole('button', { name: 'Confirm' }).count()).toBe(0);
    await expectSoon(() => app.getByRole('main').innerText()).not.toContain('Mallory');
  });

  it('shows digits to type where it has no network', async () => {
    const code = await pay('Carla');
    await phone.setOffline(true);
    await scan(code);
    await app.getByText('Pay 120 EUR to Carla?', { exact: true }).waitFor();
    await app.getByRole('button', { name: 'Confirm' }).click();
    await expectScreen(app, 'Type these digits');
    const digits = await app.getByRole('group', { name: /^Digits: / }).innerText();
    await phone.setOffline(false);
    await portal.getByLabel('Or type the digits').fill(digits.replaceAll(/\D/g, ''));
    await portal.getByRole('button', { name: 'Confirm' }).click();
    await portal.getByRole('heading', { name: 'Payment done' }).waitFor();
  });

  it('opens on the same device by the link, which leaves the address at once', async () => {
    await pay('Dora');
    const link = await portal.getByRole('link', { name: 'Open in the app' }).getAttribute('href');
    // Locked, as a phone is by then: the code waits.
    await app.getByRole('button', { name: 'Lock' }).click();
    await expectScreen(app, 'The app is locked');
    await app.goto(link ?? '');
    await expectScreen(app, 'The app is locked');
    await expectSoon(() => app.url()).toBe(demo.app);
    await unlock(app, '000000');
    await app.getByText(/PIN.*(wrong|not right)|not the PIN/i).waitFor();
    await unlock(app, PIN);
    await app.getByText('Pay 120 EUR to Dora?', { exact: true }).waitFor();
    await app.getByRole('button', { name: 'Decline' }).click();
    await expectScreen(app, 'Declined');
  });

  it('keeps a history of what was confirmed', async () => {
    await app.getByRole('navigation').getByRole('button', { name: 'History' }).click();
    await app.getByRole('listitem').filter({ hasText: 'Welcome' }).waitFor();
    const entries = await app.getByRole('main').innerText();
    expect(entries).toMatch(/Dora[^]*Carla[^]*Bert[^]*Welcome/);
  });

  it('moves to another device by a backup', async () => {
    await openSettings(app, 'Backup');
    await app.getByLabel('PIN of this app').fill(PIN);
    await app.getByLabel('Passphrase for the file').fill(PASSPHRASE);
    await app.getByLabel('Repeat the passphrase').fill(PASSPHRASE);
    const download = app.waitForEvent('download');
    await app.getByRole('button', { name: 'Save the file' }).click();
    const file = join(folder, 'backup.json');
    await (await download).saveAs(file);

    const other = await startProfile(program, join(folder, 'other'), cameraArguments(film()));
    const { page, problems: found } = await watchPage(other, new URL(demo.app).origin);
    problems.push(found);
    await page.goto(demo.app);
    await choosePin(page);
    await openSettings(page, 'Backup');
    await page.getByLabel('File', { exact: true }).setInputFiles(file);
    await page.getByLabel('Passphrase of the file').fill(PASSPHRASE);
    await page.getByRole('button', { name: 'Open the file' }).click();
    await page.getByText('is added').waitFor();
    await page.getByRole('button', { name: 'Restore now' }).click();
    await page.getByText('The backup was restored.').waitFor();

    await writeCameraFilm(film(), await pay('Emil'), { width: 960, height: 960, frames: 2 });
    await page.getByRole('navigation').getByRole('button', { name: 'Scan' }).click();
    await page.getByText('Pay 120 EUR to Emil?', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await expectScreen(page, 'Confirmed');
    await portal.getByRole('heading', { name: 'Payment done' }).waitFor();
    await other.close();
    expect((await readFile(file, 'utf8')).includes(`PORTAL-${demo.user}`)).toBe(false);
  });

  it('leaves no secret in files, logs or the address, and nothing for the console', async () => {
    await expectSoon(() => app.evaluate<unknown>('[sessionStorage.length, document.cookie]')).toEqual([
      0,
      '',
    ]);
    expect(app.url().startsWith(demo.app)).toBe(true);
    await phone.close();
    const files = [
      ...(await readFolder(join(folder, 'profile'))),
      ...(await readFolder(join(folder, 'other'))),
    ];
    expect(files.length).toBeGreaterThan(10);
    // The profile is not empty, and the app has stored something.
    expect(files.some(([path]) => path.includes('IndexedDB'))).toBe(true);
    const found = [...secrets, `PORTAL-${demo.user}`, 'EUR to Carla'].flatMap((secret) =>
      [
        Buffer.from(secret),
        Buffer.from(secret, 'utf16le'),
        Buffer.from(secret, 'hex'),
        Buffer.from(Buffer.from(secret).toString('base64').replace(/=+$/, '')),
      ]
        .filter(({ length }) => length >= 5)
        .flatMap((bytes) =>
          files.filter(([, content]) => content.includes(bytes)).map(([path]) => `${secret}: ${path}`),
        ),
    );
    expect(found).toEqual([]);
    process.signal('SIGINT');
    const { out, err } = await process.ended;
    expect(secrets.filter((secret) => (out + err).includes(secret))).toEqual([]);
    expect(problems.flat().filter((problem) => !problem.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
  });
});

function readDemo(text: string): Demo {
  const [, portal = ''] = /^ {2}portal {2}(http:\/\/localhost:\d+)\/$/m.exec(text) ?? [];
  const [, user = '', password = ''] = /^ {2}log in {2}(\w+), password (\w+)$/m.exec(text) ?? [];
  const [, app = ''] = /^ {2}app {5}(http:\/\/localhost:\d+\/app\/)$/m.exec(text) ?? [];
  return { portal, user, password, app };
}

/** @returns the `lseqr://` text of a QR code */
function textOf(picture: Buffer): string {
  return codeText(readQrCode(picture) ?? '');
}

function parameter(text: string, name: string): string {
  return new URLSearchParams(text.slice(text.indexOf('?'))).get(name) ?? '';
}

/** @returns a port that is free now; the demo takes the next free one if it is not any more */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
