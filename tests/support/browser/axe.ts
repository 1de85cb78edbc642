import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** The rules whose outcome depends on colours. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** @returns the violations of axe on the page as it is now */
export async function violationsOf(page: Page, options: object = {}): Promise<readonly string[]> {
  if (await page.evaluate('globalThis.axe === undefined')) {
    await page.evaluate(axe.source);
  }
  return page.evaluate(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
  );
}

/**
 * Goes from light to dark, in which only the colours are others. Nothing moves: a fading colour has the contrast of neither end.
 * @returns the violations of axe and of `look` in either
 */
export async function violationsInLightAndDark(
  page: Page,
  look: (colorScheme: 'light' | 'dark') => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const violations = await violationsOf(page, colorScheme === 'dark' ? { runOnly: OF_COLOURS } : {});
    faults.push(...[...violations, ...(await look(colorScheme))].map((fault) => `${colorScheme}: ${fault}`));
  }
  return faults;
}
