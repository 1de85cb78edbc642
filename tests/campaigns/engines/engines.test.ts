import { type DrivenBrowser, ENGINES } from '../../support/browser/web-driver.ts';
import { readQrCode } from '../../support/values/qr-code.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';
import { until } from '../../support/values/until.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emptyDeviceState } from '../../../src/cli/device/device-file.ts';
import { readByApp } from '../../../src/cli/device/virtual-device.ts';
import { drawQrCode } from '../../../src/http/qr-picture.ts';
import { readSiteFiles } from '../../../src/http/site.ts';
import { type ConsoleSite, PASSWORD, startConsole } from '../../support/browser/console-site.ts';
import { builtFolder } from '../../support/browser/vite.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

/** The key of an element's id in WebDriver (W3C WebDriver §12.3). */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

/**
 * The body of a function: the element that is seen, and not disabled, with that role and name; in a dialog while one is
 * open. The name of a link or a button is whole, or ends with …
 */
const FIND = `
  const selector = {
    button: 'button, [role=button], summary', link: 'a[href]', field: 'input, textarea, select',
    file: 'input[type=file]', heading: 'h1, h2, h3', picture: 'img, [role=img]', text: '*',
  }[role];
  const textOf = (element) => (element?.textContent ?? '').replace(/\\s+/g, ' ').trim();
  const nameOf = (element) =>
    element.getAttribute('aria-label') ||
    [...(element.labels ?? [])].map(textOf).join(' ') ||
    element.getAttribute('alt') ||
    textOf(element);
  const fits = {
    text: (shown) => shown.includes(name),
    field: (shown) => shown.startsWith(name),
    file: (shown) => shown.startsWith(name),
  }[role] ?? ((shown) => (name.endsWith('…') ? shown.startsWith(name.slice(0, -1)) : shown === name));
  const root = [...document.querySelectorAll('[role=dialog]')].at(-1) ?? document.body;
  const isReady = (element) =>
    role === 'file' || (element.checkVisibility() && !element.disabled && element.ariaDisabled !== 'true');
  return [...root.querySelectorAll(selector)]
    .filter((element) => isReady(element) && fits(nameOf(element)))
    .at(role === 'text' ? -1 : 0) ?? null;
`;

type Role = 'button' | 'link' | 'field' | 'file' | 'heading' | 'picture' | 'text';

/** Longer than keys take to arrive; then they are typed anew. */
const TYPING_MS = 5_000;

const LATE_MS = 200;

/** Somebody before a browser that is driven by WebDriver: finds things by what is seen, and waits for them. */
class Visitor {
  #lastCode = '';
  readonly #browser: DrivenBrowser;
  /** What was typed, by the label, since something was pressed. */
  readonly #filled = new Map<string, string>();

  constructor(browser: DrivenBrowser) {
    this.#browser = browser;
  }

  async open(url: string): Promise<void> {
    this.#filled.clear();
    await this.#browser.send('open', { url });
  }

  async #find(role: Role, name: string): Promise<string | null> {
    const script = `const [role, name] = arguments; ${FIND}`;
    const found = await this.#browser.send('run', { script, args: [role, name] });
    return (found as Readonly<Record<string, string>> | null)?.[ELEMENT] ?? null;
  }

  async #pressed(id: string): Promise<void> {
    await this.#browser.send('click', { id });
  }

  async fill(label: string, text: string): Promise<void> {
    await this.#fill(label, text);
    this.#filled.set(label, text);
  }

  /** What a page has taken out of a field after it was seen there is typed once more, before anything is done with it. */
  async press(role: 'button' | 'link', name: string): Promise<void> {
    for (const [label, text] of this.#filled) {
      const id = await this.#find('field', label);
      if (id !== null && (await this.#valueOf(id)) !== text) {
        await this.#fill(label, text);
      }
    }
    this.#filled.clear();
    await this.#press(role, name);
  }

  async #typed(id: string, text: string): Promise<void> {
    const focus = 'arguments[0].focus(); return document.activeElement === arguments[0]';
    if ((await this.#run(focus, id)) !== true) {
      throw new Error('it does not take the focus');
    }
    await this.#browser.send('clear', { id });
    await this.#browser.send('type', { id, text });
    // WebKit's driver comes back before all keys have arrived; a page that takes the focus meanwhile gets them.
    await until(async () => (await this.#valueOf(id)) === text, { timeoutMs: TYPING_MS });
    // Those of an earlier try may come last. A field that is gone has had what it wanted.
    await sleep(LATE_MS);
    if ((await this.#valueOf(id).catch(() => text)) !== text) {
      throw new Error('other keys came after those');
    }
  }

  #valueOf(id: string): Promise<unknown> {
    return this.#run('return arguments[0].value', id);
  }

  #run(script: string, id: string): Promise<unknown> {
    return this.#browser.send('run', { script, args: [{ [ELEMENT]: id }] });
  }

  async #chosen(id: string, path: string): Promise<void> {
    await this.#browser.send('type', { id, text: path });
  }

  async #drawn(id: string): Promise<Buffer> {
    // Of the window: WebKit takes a picture of an element from where the element was before it is scrolled to.
    const script = `arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })`;
    await this.#run(script, id);
    return Buffer.from(String(await this.#browser.send('picture', { full: false })), 'base64');
  }

  async #text(): Promise<string> {
    return String(await this.#browser.send('run', { script: 'return document.body.innerText', args: [] }));
  }

  #press(role: 'button' | 'link', name: string): Promise<void> {
    return this.#on(role, name, (id) => this.#pressed(id));
  }

  /** Types over what is in the field of that label. */
  #fill(label: string, text: string): Promise<void> {
    return this.#on('field', label, (id) => this.#typed(id, text));
  }

  /** Chooses a file of this machine. */
  choose(label: string, path: string): Promise<void> {
    return this.#on('file', label, (id) => this.#chosen(id, path));
  }

  sees(text: string, role: 'text' | 'heading' | 'field' = 'text'): Promise<void> {
    return this.#on(role, text, () => Promise.resolve());
  }

  /** @returns the text of the QR code of that name, which is another one than was read before */
  async code(name: string): Promise<string> {
    await this.#on('picture', name, async (id) => {
      const text = readQrCode(await this.#drawn(id)) ?? '';
      // WebKit may draw the former code for a moment under the name of the new one.
      if (text === '' || text === this.#lastCode) {
        throw new Error('no new QR code is seen there');
      }
      this.#lastCode = text;
    });
    return this.#lastCode;
  }

  /** Waits until the element is there and lets the act be done: it may be replaced or covered for a moment. */
  async #on(role: Role, name: string, act: (id: string) => Promise<void>): Promise<void> {
    let failure: unknown = 'not found';
    const attempt = async (): Promise<boolean> => {
      try {
        const id = await this.#find(role, name);
        if (id === null) {
          return false;
        }
        await act(id);
        return true;
      } catch (error) {
        failure = error;
        return false;
      }
    };
    try {
      await until(attempt, { pollMs: 50 });
    } catch {
      throw new Error(`${role} “${name}”: ${String(failure)}. The page shows: ${await this.#text()}`);
    }
  }
}

const ACTIVATION_CODE = 'GEZDGNBVGY3TQOJQ01';

const PIN = '482915';

describe.each(ENGINES)('$name', (engine) => {
  describeWithProgram('console and app', engine.program, engine.debianPackage, (program) => {
    let site: ConsoleSite;
    let browser: DrivenBrowser;
    let visitor: Visitor;

    const folder = temporaryFolder();

    beforeAll(async () => {
      const appFiles = await readSiteFiles(builtFolder('app'));
      [site, browser] = await Promise.all([
        startConsole((publicUrl) => ({ publicUrl, http: { appFiles } })),
        engine.start(program),
      ]);
      visitor = new Visitor(browser);
      const { application } = site;
      await application.addRealm('north', ['anna']);
      await application.setPolicy('answers', 'authentication', `qrtanurl=${site.origin}/ocra/check_t`);
    });
    afterAll(async () => {
      await browser[Symbol.asyncDispose]();
      await site.close();
    });

    it('enrols an app by the pages of the console, and shows what became of a payment', async () => {
      const { application } = site;
      await visitor.open(`${site.origin}/console/search`);
      await visitor.fill('User name', 'admin');
      await visitor.fill('Password', PASSWORD);
      await visitor.press('button', 'Sign in');
      await visitor.fill('User, serial, transaction or page', 'anna');
      await visitor.press('link', 'anna');
      await visitor.press('link', 'New token');
      await visitor.press('button', 'Show the first QR code');
      const questions = {
        activationCode: () => Promise.resolve(ACTIVATION_CODE),
        ocraPin: () => Promise.resolve(''),
      };
      const first = await readByApp(
        application.clock,
        emptyDeviceState(),
        await visitor.code('First QR code of the roll-out'),
        questions,
      );
      await visitor.fill('Activation code', ACTIVATION_CODE);
      await visitor.press('button', 'Show the second QR code');
      const second = await readByApp(
        application.clock,
        first.state,
        await visitor.code('Second QR code of the roll-out'),
        questions,
      );
      if (second.answer.kind !== 'nonce') {
        throw new Error('the second code is none of a roll-out');
      }
      const { serial, transactionId, response } = second.answer;
      await application.check(transactionId, response);
      await visitor.sees(`The token ${serial} is ready.`);
      const payment = await application.challenge(serial, '100 EUR to Bert');
      const third = await readByApp(application.clock, second.state, payment.url, questions);
      if (third.answer.kind !== 'req') {
        throw new Error('the code of the payment is none of a challenge');
      }
      const checked = await application.check(payment.transactionid, third.answer.response);
      expect(checked).toMatchObject({ result: true });
      await visitor.open(`${site.origin}/console/transactions/${payment.transactionid}`);
      await visitor.sees('100 EUR to Bert');
      await visitor.sees('accepted');
      await visitor.press('link', 'Overview');
      await visitor.sees('Tokens, active');
      await visitor.press('link', 'Audit');
      await visitor.sees('ocra/check_t');
    });

    it('rolls the app out, confirms a payment after it was locked, and keeps it in the history', async () => {
      const { application } = site;
      await visitor.open(`${site.origin}/app/`);
      await visitor.fill('New PIN', PIN);
      await visitor.fill('Repeat the PIN', PIN);
      await visitor.press('button', 'Set the PIN');
      await visitor.sees('Your tokens', 'heading');
      const begun = await rollOut({ sharedsecret: '1', user: 'anna', realm: 'north' });
      await scan(begun.app_import);
      await visitor.press('button', 'Add the token');
      await visitor.sees('The first step is done', 'heading');
      const { serial } = begun;
      const finished = await rollOut({ serial, activationcode: ACTIVATION_CODE, message: 'Welcome' });
      await scan(finished.app_import);
      await visitor.fill('Activation code', ACTIVATION_CODE);
      await visitor.press('button', 'Continue');
      await visitor.press('button', 'Confirm');
      await visitor.sees('Confirmed', 'heading');
      // What it keeps is still there after it was closed.
      await visitor.open('about:blank');
      await visitor.open(`${site.origin}/app/`);
      await visitor.fill('PIN', PIN);
      await visitor.press('button', 'Unlock');
      const payment = await application.challenge(serial, '100 EUR to Bert');
      await scan(payment.url);
      await visitor.sees('100 EUR to Bert');
      await visitor.press('button', 'Confirm');
      await visitor.sees('Confirmed', 'heading');
      await expectSoon(() => application.status({ transactionid: payment.transactionid })).toMatchObject([
        { valid_tan: true },
      ]);
      await visitor.press('button', 'History');
      await visitor.sees('Welcome');
    });

    /** Lets the app read a picture of the code. */
    async function scan(text: string): Promise<void> {
      const picture = join(folder, 'code.png');
      await writeFile(picture, drawQrCode(text, 400));
      await visitor.press('button', 'Scan');
      await visitor.choose('Choose a picture of the code', picture);
    }

    async function rollOut(
      parameters: Record<string, string>,
    ): Promise<{ serial: string; app_import: string }> {
      const given = { type: 'ocra', genkey: '1', ...parameters };
      const { body } = (await site.application.asAdmin('/admin/init', given)) as {
        body: { detail: { serial: string; app_import: string } };
      };
      return body.detail;
    }
  });
});
