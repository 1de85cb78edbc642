import { useCallback, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { navigate } from 'wouter/use-hash-location';
import { changesHands, NOBODY_SHOWN, type Shown } from './shown.ts';

/** Milliseconds for which the pages of an ended login are kept, so that its owner goes on with what was typed. */
const KEPT_MS = 600_000;

/** @returns the shown state, and a way to change it. With its pages, the address of a person goes */
export function useShown(): {
  readonly shown: Shown;
  readonly change: (next: (before: Shown) => Shown) => void;
} {
  const [shown, setShown] = useState<Shown>({ ...NOBODY_SHOWN, state: { kind: 'unknown' } });
  const current = useRef(shown);
  const change = useCallback((next: (before: Shown) => Shown) => {
    const before = current.current;
    const after = next(before);
    current.current = after;
    if (!changesHands(before, after)) {
      setShown(after);
      return;
    }
    // Else the page at the new address would still be one of the former person.
    flushSync(() => {
      setShown(after);
    });
    navigate('/', { replace: true });
  }, []);
  const isKept = shown.owner !== undefined && !shown.isOpen;
  useEffect(() => {
    const timer = isKept
      ? setTimeout(() => {
          change(({ state }) => ({ ...NOBODY_SHOWN, state }));
        }, KEPT_MS)
      : undefined;
    return () => {
      clearTimeout(timer);
    };
  }, [isKept, change]);
  return { shown, change };
}
