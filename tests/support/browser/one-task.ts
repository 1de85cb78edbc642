import type { Page } from 'playwright-core';

/** What was typed into a form, and the bodies of the requests that follow. */
export interface Sent {
  readonly typed: readonly string[];
  readonly posted: readonly string[];
}

/**
 * Fills every field of a form and sends it in one task of the browser, as password managers do: nothing is drawn
 * between the fields, nor before it is sent.
 * @param selector of the form, once it is shown
 * @param place among those that fit, from 0
 */
export async function sendInOneTask(page: Page, selector: string, place: number): Promise<Sent> {
  await page.locator(selector).nth(place).waitFor();
  const posted: string[] = [];
  page.on('request', (request) => posted.push(request.postData() ?? ''));
  const typed: readonly string[] = await page.evaluate(
    `(${FILL_AND_SEND})(document.querySelectorAll('${selector}')[${place}])`,
  );
  return { typed, posted };
}

/** Password fields get one text, as that of a new one is typed twice; times are not told: they are sent in another form. */
const FILL_AND_SEND = `(form) => {
  const typed = [];
  for (const [index, field] of [...form.querySelectorAll('input, textarea')].entries()) {
    const byType = {
      text: 'value' + index, email: index + '@example.org', url: 'https://example.org/' + index, search: 'value' + index,
      password: 'a-phrase-that-is-long', number: String(index + 2), 'datetime-local': '2031-01-02T03:04', textarea: 'value' + index,
    };
    const value = byType[field.type];
    if (value !== undefined && !field.disabled && !field.readOnly) {
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
