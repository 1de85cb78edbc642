import { useLayoutEffect } from 'react';

/**
 * Puts the focus back where it was before a dialog opened, also where the dialog is taken off the page at once; to the
 * page's title where the act has removed that place.
 */
export function useFocusReturn(isOpen: boolean): void {
  useLayoutEffect(() => {
    if (!isOpen) {
      return undefined;
    }
    const before = document.activeElement;
    return () => {
      // The page has changed by then.
      requestAnimationFrame(() => {
        const isLost = document.activeElement === null || document.activeElement === document.body;
        const place = before instanceof HTMLElement && before.isConnected ? before : titleOfPage();
        if (isLost) {
          place?.focus();
        }
      });
    };
  }, [isOpen]);
}

function titleOfPage(): HTMLElement | null {
  return document.querySelector<HTMLElement>('#content h1');
}
