import { useLayoutEffect } from 'react';
import { focusFirst, focusOnceEnabled, placeInDialog, placeOfUse } from './focus.ts';

/**
 * Puts the focus back to the place that opened a dialog, also where the dialog is taken off the page at once, and where
 * that place still waits for an answer. Where the act has removed or disabled it: into another open dialog, else to the
 * page's title.
 */
export function useFocusReturn(): void {
  useLayoutEffect(() => {
    const before = placeOfUse();
    return () => {
      // The page has changed by then.
      requestAnimationFrame(() => {
        const isLost = document.activeElement === null || document.activeElement === document.body;
        if (isLost) {
          giveBack(before);
        }
      });
    };
  }, []);
}

function giveBack(before: Element | null): void {
  const above = placeInDialog(document);
  const title = document.querySelector('#content h1');
  // What is below an open dialog cannot be used.
  const isBelow = above !== null && before?.closest('[role="dialog"]') === null;
  if (!isBelow && before instanceof HTMLElement && before.isConnected && before.matches(':disabled')) {
    focusFirst([before.closest('[role="dialog"]'), title]);
    focusOnceEnabled(before);
  } else {
    focusFirst([isBelow ? null : before, above, title]);
  }
}
