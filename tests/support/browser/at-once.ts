import type { Page } from 'playwright-core';

/**
 * Writes into all fields of the form that was opened last, and presses its button, as password managers do: in one task,
 * in which nothing is drawn between two events.
 * @param values by label: of fields that take no text like any other, and of lists
 * @returns what was written
 */
export async function submitAtOnce(
  page: Page,
  values: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const form = page.locator('form').last();
  // A page that reads by itself at first takes no search meanwhile.
  await form.locator('[type=submit]:not([data-loading])').waitFor();
  await Promise.all(Object.keys(values).map((label) => form.getByLabel(label).waitFor()));
  return page.evaluate<readonly string[]>(`(${WRITE_AND_PRESS})(${JSON.stringify(values)})`);
}

const WRITE_AND_PRESS = `(values) => {
  const byType = { password: 'a-new-Password-47', number: '7', 'datetime-local': '2031-02-03T04:05', url: 'https://example.org/x' };
  const form = [...document.querySelectorAll('form')].at(-1);
  const written = [];
  for (const field of form.querySelectorAll('input, textarea, select')) {
    const value = values[field.labels?.[0]?.textContent] ??
      (field.matches('select, [type=checkbox], [type=radio], [readonly]') ? undefined : byType[field.type] ?? 'typed' + written.length);
    if (value !== undefined && field.checkVisibility()) {
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value').set.call(field, value);
      field.dispatchEvent(new Event('input', { bubbles: true }));
      field.dispatchEvent(new Event('change', { bubbles: true }));
      written.push(value);
    }
  }
  form.querySelector('[type=submit]').click();
  return written;
}`;
