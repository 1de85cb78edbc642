import { useLayoutEffect } from 'react';
import { focusFirst, placeInDialog } from './focus.ts';

/**
 * Puts the focus back where it was before a dialog opened, also where the dialog is taken off the page at once. Where
 * the act has removed or disabled that place: into another open dialog, else to the page's title.
 */
export function useFocusReturn(): void {
  useLayoutEffect(() => {
    const before = document.activeElement;
    return () => {
      // The page has changed by then.
      requestAnimationFrame(() => {
        const isLost = document.activeElement === null || document.activeElement === document.body;
        if (isLost) {
          const above = placeInDialog(document);
          // What is below an open dialog cannot be used.
          const isBelow = above !== null && before?.closest('[role="dialog"]') === null;
          focusFirst([isBelow ? null : before, above, document.querySelector('#content h1')]);
        }
      });
    };
  }, []);
}
