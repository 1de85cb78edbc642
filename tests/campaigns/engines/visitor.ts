import { setTimeout as sleep } from 'node:timers/promises';
import type { ElementHandle, Page } from 'playwright-core';
import type { DrivenBrowser } from '../../support/browser/web-driver.ts';
import { readQrCode } from '../../support/values/qr-code.ts';
import { until } from '../../support/values/until.ts';

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

/** Somebody before a browser: finds things by what is seen, waits for them, and counts what a task takes. */
export abstract class Visitor<Element = unknown> {
  /** Clicks of the mouse or, without one, keys that move and press. */
  acts = 0;
  #lastCode = '';

  abstract open(url: string): Promise<void>;
  protected abstract find(role: Role, name: string): Promise<Element | null>;
  protected abstract pressed(element: Element): Promise<void>;
  protected abstract typed(element: Element, text: string): Promise<void>;
  protected abstract chosen(element: Element, path: string): Promise<void>;
  protected abstract drawn(element: Element): Promise<Buffer>;
  /** @returns what the page shows, for a failure */
  protected abstract text(): Promise<string>;

  press(role: 'button' | 'link', name: string): Promise<void> {
    return this.#on(role, name, (element) => this.pressed(element));
  }

  /** Types over what is in the field of that label. */
  fill(label: string, text: string): Promise<void> {
    return this.#on('field', label, (element) => this.typed(element, text));
  }

  /** Chooses a file of this machine. */
  choose(label: string, path: string): Promise<void> {
    return this.#on('file', label, (element) => this.chosen(element, path));
  }

  sees(text: string, role: 'text' | 'heading' | 'field' = 'text'): Promise<void> {
    return this.#on(role, text, () => Promise.resolve());
  }

  /** @returns the text of the QR code of that name, which is another one than was read before */
  async code(name: string): Promise<string> {
    await this.#on('picture', name, async (element) => {
      const text = readQrCode(await this.drawn(element)) ?? '';
      // WebKit may draw the former code for a moment under the name of the new one.
      if (text === '' || text === this.#lastCode) {
        throw new Error('no new QR code is seen there');
      }
      this.#lastCode = text;
    });
    return this.#lastCode;
  }

  /** Waits until the element is there and lets the act be done: it may be replaced or covered for a moment. */
  async #on(role: Role, name: string, act: (element: Element) => Promise<void>): Promise<void> {
    let failure: unknown = 'not found';
    const attempt = async (): Promise<boolean> => {
      try {
        const element = await this.find(role, name);
        if (element === null) {
          return false;
        }
        await act(element);
        return true;
      } catch (error) {
        failure = error;
        return false;
      }
    };
    try {
      await until(attempt, { pollMs: 50 });
    } catch {
      throw new Error(`${role} “${name}”: ${String(failure)}. The page shows: ${await this.text()}`);
    }
  }
}

/** Longer than keys take to arrive; then they are typed anew. */
const TYPING_MS = 5_000;
const LATE_MS = 200;

/** Before a browser that is driven by WebDriver. */
export class DrivenVisitor extends Visitor<string> {
  readonly #browser: DrivenBrowser;
  /** What was typed, by the label, since something was pressed. */
  readonly #filled = new Map<string, string>();

  constructor(browser: DrivenBrowser) {
    super();
    this.#browser = browser;
  }

  async open(url: string): Promise<void> {
    this.#filled.clear();
    await this.#browser.send('open', { url });
  }

  protected async find(role: Role, name: string): Promise<string | null> {
    const script = `const [role, name] = arguments; ${FIND}`;
    const found = await this.#browser.send('run', { script, args: [role, name] });
    return (found as Readonly<Record<string, string>> | null)?.[ELEMENT] ?? null;
  }

  protected async pressed(id: string): Promise<void> {
    await this.#browser.send('click', { id });
    this.acts += 1;
  }

  override async fill(label: string, text: string): Promise<void> {
    await super.fill(label, text);
    this.#filled.set(label, text);
  }

  /** What a page has taken out of a field after it was seen there is typed once more, before anything is done with it. */
  override async press(role: 'button' | 'link', name: string): Promise<void> {
    for (const [label, text] of this.#filled) {
      const id = await this.find('field', label);
      if (id !== null && (await this.#valueOf(id)) !== text) {
        await super.fill(label, text);
      }
    }
    this.#filled.clear();
    await super.press(role, name);
  }

  protected async typed(id: string, text: string): Promise<void> {
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

  protected async chosen(id: string, path: string): Promise<void> {
    await this.#browser.send('type', { id, text: path });
  }

  protected async drawn(id: string): Promise<Buffer> {
    // Of the window: WebKit takes a picture of an element from where the element was before it is scrolled to.
    const script = `arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })`;
    await this.#run(script, id);
    return Buffer.from(String(await this.#browser.send('picture', { full: false })), 'base64');
  }

  protected async text(): Promise<string> {
    return String(await this.#browser.send('run', { script: 'return document.body.innerText', args: [] }));
  }
}

/** Before Chromium, with a mouse. */
export class MouseVisitor extends Visitor<ElementHandle> {
  readonly page: Page;

  constructor(page: Page) {
    super();
    this.page = page;
  }

  async open(url: string): Promise<void> {
    await this.page.goto(url);
  }

  protected async find(role: Role, name: string): Promise<ElementHandle | null> {
    const handle = await this.page.evaluateHandle(
      `((role, name) => { ${FIND} })(${JSON.stringify(role)}, ${JSON.stringify(name)})`,
    );
    return handle.asElement();
  }

  protected async pressed(element: ElementHandle): Promise<void> {
    await element.click();
    this.acts += 1;
  }

  protected typed(element: ElementHandle, text: string): Promise<void> {
    return element.fill(text);
  }

  protected chosen(element: ElementHandle, path: string): Promise<void> {
    return element.setInputFiles(path);
  }

  protected drawn(element: ElementHandle): Promise<Buffer> {
    return element.screenshot();
  }

  protected text(): Promise<string> {
    return this.page.locator('body').innerText();
  }
}

/** The most keys to the next thing on a page. */
const FARTHEST = 150;

/** Before Chromium, without a mouse: gets from thing to thing by the tab key. */
export class KeyboardVisitor extends MouseVisitor {
  protected override async pressed(element: ElementHandle): Promise<void> {
    await this.#reach(element);
    await this.page.keyboard.press('Enter');
    this.acts += 1;
  }

  protected override async typed(element: ElementHandle, text: string): Promise<void> {
    await this.#reach(element);
    await this.page.keyboard.press('ControlOrMeta+A');
    await this.page.keyboard.type(text);
  }

  async #reach(element: ElementHandle): Promise<void> {
    for (let keys = 0; keys < FARTHEST; keys += 1) {
      if (
        await element.evaluate((node) => (node as { matches(selector: string): boolean }).matches(':focus'))
      ) {
        return;
      }
      await this.page.keyboard.press('Tab');
      this.acts += 1;
    }
    throw new Error('the tab key does not lead there');
  }
}
