import { useEffect } from 'react';
import { useLocation } from 'wouter';

/** The id of the search field, on the page that has it. */
export const SEARCH_FIELD = 'search-field';

/**
 * Makes the keys Ctrl+K, and `/` unless something is being typed, lead to the search field from every page.
 * @param isOn false for those who may not search
 */
export function useSearchKey(isOn: boolean): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!isOn || !isMeant(event)) {
        return;
      }
      event.preventDefault();
      const field = document.querySelector<HTMLInputElement>(`#${SEARCH_FIELD}`);
      if (field === null) {
        // The page moves the focus itself.
        navigate('/search');
      } else {
        field.focus();
        field.select();
      }
    };
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('keydown', onKey);
    };
  }, [isOn, navigate]);
}

/** An open dialog keeps the keys. */
function isMeant({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  if (altKey || document.querySelector('[role="dialog"]') !== null) {
    return false;
  }
  return ctrlKey || metaKey ? key.toLowerCase() === 'k' : key === '/' && !isTyping(target);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select') !== null;
}
