/**
 * The element that takes the focus in a dialog without a place for it: not the cross, which throws away what was typed.
 */
const FIELD = '.mantine-Modal-body :is(input, select, textarea, button):enabled';

/** @returns the element to go on at in the dialog that was opened last; null: there is none */
export function placeInDialog(within: ParentNode): Element | null {
  const dialog = [...within.querySelectorAll('[role="dialog"]')].at(-1) ?? null;
  return dialog?.querySelector('[data-autofocus]') ?? dialog?.querySelector(FIELD) ?? dialog;
}

/** Focuses the first of the places that is still there and takes it. */
export function focusFirst(places: readonly (Element | null)[], options?: FocusOptions): void {
  for (const place of places) {
    if (place instanceof HTMLElement && place !== document.body && place.isConnected) {
      place.focus(options);
      if (document.activeElement === place) {
        return;
      }
    }
  }
}
