import { useEffect, useState } from 'preact/hooks';

/** Longer than the gap within a double click. */
const READING_MS = 1_000;

/**
 * Tells whether a question has been on the screen for a moment. It has not when it takes the place of another screen under
 * the finger, or when another window was closed over it: a press was not meant for it then.
 */
export function useReadingTime(): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const begin = (): void => {
      clearTimeout(timer);
      setOver(false);
      timer = setTimeout(setOver, READING_MS, true);
    };
    begin();
    window.addEventListener('focus', begin);
    document.addEventListener('visibilitychange', begin);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('focus', begin);
      document.removeEventListener('visibilitychange', begin);
    };
  }, []);
  return isOver;
}
