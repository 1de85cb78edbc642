import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectSoon } from '../values/expect-soon.ts';
import { readFolder } from './file-site.ts';

/** What was typed into a form, and the bodies of the requests that follow. */
export interface Sent {
  readonly typed: readonly string[];
  readonly posted: readonly string[];
}

/**
 * Fills every field of a form and sends it in one task of the browser, as password managers do: nothing is drawn
 * between the fields, nor before it is sent.
 * @param selector of the form, once it is shown; left out: any
 * @param place among those that fit, from 0
 * @param values of its fields, in order; the others get one that fits their type
 */
export async function sendInOneTask(
  page: Page,
  selector = 'form',
  place = 0,
  values: readonly string[] = [],
): Promise<Sent> {
  await page.locator(selector).nth(place).waitFor();
  const posted: string[] = [];
  page.on('request', (request) => posted.push(request.postData() ?? ''));
  const typed: readonly string[] = await page.evaluate(
    `(${FILL_AND_SEND})(document.querySelectorAll('${selector}')[${place}], ${JSON.stringify(values)})`,
  );
  return { typed, posted };
}

/** Password fields get one text, as that of a new one is typed twice; times are not told: they are sent in another form. */
const FILL_AND_SEND = `(form, values) => {
  const typed = [];
  for (const [index, field] of [...form.querySelectorAll('input, textarea')].entries()) {
    const byType = {
      text: 'value' + index, email: index + '@example.org', url: 'https://example.org/' + index, search: 'value' + index,
      password: 'a-phrase-that-is-long', number: String(index + 2), 'datetime-local': '2031-01-02T03:04', textarea: 'value' + index,
    };
    if (byType[field.type] !== undefined && !field.disabled && !field.readOnly) {
      const value = values.shift() ?? byType[field.type];
      const prototype = field.type === 'textarea' ? HTMLTextAreaElement : HTMLInputElement;
      Object.getOwnPropertyDescriptor(prototype.prototype, 'value').set.call(field, value);
      field.dispatchEvent(new Event('input', { bubbles: true }));
      field.dispatchEvent(new Event('change', { bubbles: true }));
      typed.push(...(field.type === 'datetime-local' ? [] : [value]));
    }
  }
  form.requestSubmit();
  return typed;
}`;

/** As `sendInOneTask`, and waits until all of it was posted. */
export async function expectSent(...form: Parameters<typeof sendInOneTask>): Promise<void> {
  const { typed, posted } = await sendInOneTask(...form);
  expect(typed).not.toEqual([]);
  await expectSoon(() => typed.filter((value) => !posted.join('\n').includes(value))).toEqual([]);
}

/** What draws the form of others. */
const FRAMES = ['design/form-dialog.tsx', 'vault-screens/form.tsx'];

/** @returns the files of a folder that have forms, each as often as it has one */
export async function formsBelow(folder: string): Promise<readonly string[]> {
  const files = [...(await readFolder(folder))].filter(
    ([path]) => path.endsWith('.tsx') && !FRAMES.includes(path),
  );
  return files.flatMap(([path, text]) =>
    [...String(text).matchAll(/<(?:form|Form|FormDialog)\s/g)].map(() => path),
  );
}

/** @returns the forms that no test fills, and the tests of forms that are gone. @param tested their files */
export function untestedForms(forms: readonly string[], tested: readonly string[]): readonly string[] {
  const count = (list: readonly string[], path: string): number => list.filter((one) => one === path).length;
  return [...new Set([...forms, ...tested])].filter(
    (path) => count(forms, path) === 0 || count(forms, path) > count(tested, path),
  );
}
