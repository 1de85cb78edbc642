import { type RefObject, useEffect } from 'react';
import { useLocation } from 'wouter';

/**
 * Makes the key `/` lead to the search field, unless something is being typed.
 * @param field the field, on the page that has it; other pages open that page
 */
export function useSearchKey(field?: RefObject<HTMLInputElement | null>): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) {
        return;
      }
      event.preventDefault();
      if (field === undefined) {
        navigate('/search');
      } else {
        field.current?.focus();
      }
    };
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('keydown', onKey);
    };
  }, [field, navigate]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [role="dialog"]') !== null;
}
