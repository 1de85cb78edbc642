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

/** What takes the focus, or an act. */
const USABLE = 'a[href], button, input, select, textarea, summary, [tabindex]';
let used: Element | null = null;

/** Notes from now on which place was used last. A button that waited for an answer gets the focus back that it lost. */
export function watchUse(): void {
  const note = ({ target }: Event): void => {
    used = target instanceof Element ? target.closest(USABLE) : null;
  };
  addEventListener('focusin', note, true);
  addEventListener('click', note, true);
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      if (target === used && document.activeElement === document.body) {
        (target as HTMLElement).focus({ preventScroll: true });
      }
    }
  }).observe(document, { subtree: true, attributeFilter: ['disabled'] });
}

/**
 * @returns the place that has the focus, or was used last: a button that waits for an answer is disabled and loses the
 *   focus, sooner or later, and Safari gives none to a button that is clicked
 */
export function placeOfUse(): Element | null {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body ? used : activeElement;
}

/** Focuses a place as soon as it is no longer disabled, if the focus is still where it is now. */
export function focusOnceEnabled(place: HTMLElement): void {
  const meanwhile = document.activeElement;
  const observer = new MutationObserver(() => {
    if (!place.matches(':disabled')) {
      observer.disconnect();
      if (document.activeElement === meanwhile) {
        place.focus();
      }
    }
  });
  observer.observe(place, { attributes: true, attributeFilter: ['disabled'] });
}
