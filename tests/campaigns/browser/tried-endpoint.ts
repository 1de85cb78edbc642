import type { Page } from 'playwright-core';

/** Tries an endpoint on the page /docs. @returns the body of the answer that the page shows */
export async function tried(page: Page, operation: string): Promise<string> {
  const [, tag = ''] = /^#operations-([a-z]+)-/.exec(operation) ?? [];
  await page.locator(`#operations-tag-${tag}`).click();
  const block = page.locator(operation);
  await block.locator('.opblock-summary-control').click();
  await block.getByRole('button', { name: 'Try it out' }).click();
  await block.getByRole('button', { name: 'Execute' }).click();
  return block.locator('.live-responses-table .highlight-code').first().innerText();
}
