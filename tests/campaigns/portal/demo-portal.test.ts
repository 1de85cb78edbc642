import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { systemClock } from '../../../src/kernel/clock.ts';
import { runCli, type Running, startCli } from '../../cli/cli-process.ts';
import { PortalPhone, send } from '../../portal/portal-phone.ts';
import { findChromium, openPage, startChromium } from '../../support/browser/chromium.ts';
import { processesOf, untilNobodyIsLeft } from '../../support/servers/processes-of.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { readQrCode } from '../../support/values/qr-code.ts';

let folder: string;
let temporary: string;
let environment: Record<string, string>;
/** Takes the port where the demo begins to look. */
const neighbour = createServer();
let firstPort: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tankeeper-portal-'));
  temporary = join(folder, 'tmp');
  await mkdir(temporary);
  // Under root PostgreSQL runs as another user, who has to get through.
  await Promise.all([chmod(folder, 0o711), chmod(temporary, 0o711)]);
  await new Promise<void>((resolve) => neighbour.listen(0, '127.0.0.1', resolve));
  firstPort = (neighbour.address() as AddressInfo).port;
  environment = {
    HOME: folder,
    TMPDIR: temporary,
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    APP: 'off',
  };
});

afterAll(async () => {
  neighbour.close();
  await rm(folder, { recursive: true, force: true });
});

const options = (): readonly string[] => ['demo', '--portal', '--port', String(firstPort)];

/** The output of the demo for its user. */
interface PrintedDemo {
  readonly portal: string;
  readonly app: string;
  readonly user: string;
  readonly password: string;
}

async function printed(demo: Running): Promise<PrintedDemo> {
  const text = await demo.printed('Ctrl-C ends the demo');
  const [, portal = ''] = /^ {2}portal {2}(http:\/\/localhost:\d+)\/$/m.exec(text) ?? [];
  const [, user = '', password = ''] = /^ {2}log in {2}(\w+), password (\w+)$/m.exec(text) ?? [];
  const [, app = ''] = /^ {2}app {5}(http:\/\/localhost:\d+\/app\/)$/m.exec(text) ?? [];
  return { portal, user, password, app };
}

it('ends with --exit, and leaves nothing', async () => {
  const { code, out, err } = await runCli([...options(), '--exit'], environment);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toContain('An example portal, and the QR-TAN app.');
  expect(await readdir(temporary)).toEqual([]);
  await untilNobodyIsLeft(folder);
});

describeWithProgram('npm run demo:portal', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let demo: Running;

  beforeAll(async () => {
    browser = await startChromium(program);
    demo = startCli(options(), environment);
  });

  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  });

  afterAll(async () => {
    await browser.close();
    demo.kill();
  });

  const phone = new PortalPhone(systemClock);

  async function shown(page: Page, name: string): Promise<void> {
    if (process.env.SCREENSHOTS !== undefined) {
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/portal-${name}.png`, fullPage: true });
    }
  }

  /** @returns the text of the QR code that the page shows */
  async function codeOf(page: Page): Promise<string> {
    return readQrCode(await page.getByRole('img', { name: 'QR code' }).screenshot()) ?? '';
  }

  async function pay(page: Page, payee: string): Promise<string> {
    await page.getByLabel('Payee').fill(payee);
    await page.getByRole('button', { name: 'Pay' }).click();
    await page.getByRole('heading', { name: 'Confirm the payment' }).waitFor();
    return codeOf(page);
  }

  it('rolls the app out and pays, by the app and by typed digits', async () => {
    const { portal, app, user, password } = await printed(demo);
    const { page, problems } = await openPage(browser, portal, 390);
    await page.goto('/');
    await page.getByLabel('Name').fill(user);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('button', { name: 'Begin' }).click();
    await phone.scan(await codeOf(page));
    await shown(page, 'enrol-1');
    await page.getByRole('button', { name: 'The app has read the code' }).click();
    const activationCode = await page.locator('#activation-code').innerText();
    await shown(page, 'enrol-2');
    expect(await phone.confirm(await codeOf(page), activationCode)).toMatchObject({ accepted: true });
    await page.getByRole('heading', { name: `Welcome, ${user}` }).waitFor();

    const first = await phone.respond(await pay(page, 'Bert'));
    await shown(page, 'confirm');
    expect(first.message).toBe('Pay 120 EUR to Bert?');
    // The app answers where it comes from: no other origin.
    expect(new URL(first.url).origin).toBe(new URL(app).origin);
    const link = await page.getByRole('link', { name: 'Open in the app' }).getAttribute('href');
    expect(link).toContain(`${app}#link=lseqr`);
    expect(await send(first)).toBe(true);
    await page.getByRole('heading', { name: 'Payment done' }).waitFor();
    await shown(page, 'done');
    await page.getByRole('link', { name: 'Back' }).click();

    const second = await phone.respond(await pay(page, 'Clara'));
    const digits = page.getByLabel('Or type the digits');
    await digits.fill('000000');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('status').filter({ hasText: 'This response was not right.' }).waitFor();
    await digits.fill(second.fields.pass);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { name: 'Payment done' }).waitFor();
    expect(problems).toEqual([]);
  });

  it('serves the app, whatever APP says', async () => {
    const { app } = await printed(demo);
    expect((await fetch(app)).status).toBe(200);
  });

  it('ends with Ctrl-C, and leaves neither process nor file', async () => {
    const { portal, app } = await printed(demo);
    demo.signal('SIGINT');
    expect(await demo.ended).toMatchObject({ code: 0, err: '' });
    expect(processesOf(folder)).toEqual([]);
    expect(await readdir(temporary)).toEqual([]);
    await expect(fetch(portal)).rejects.toThrow('fetch failed');
    await expect(fetch(app)).rejects.toThrow('fetch failed');
  });
});
