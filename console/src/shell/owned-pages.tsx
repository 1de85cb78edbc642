import { MantineThemeProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { focusFirst, placeInDialog, placeOfUse } from '../design/focus.ts';
import { useSessionControl } from '../session/session.tsx';
import { createQueries } from './queries.ts';

/**
 * The pages of one login, with a cache of answers of their own, so that nobody else sees what is in it. While they are
 * closed, they and their dialogs are in no document.
 */
export function OwnedPages({ children }: { readonly children: ReactNode }): ReactNode {
  const { state, isOpen, ended } = useSessionControl();
  const isUsed = useRef(true);
  const isShown = useRef(isOpen);
  isShown.current = isOpen;
  const queries = useMemo(
    () =>
      createQueries({
        isOpen: () => isShown.current,
        onSignedOut: () => {
          // An answer to the former person says nothing about the present one.
          if (isUsed.current) {
            ended();
          }
        },
      }),
    [ended],
  );
  const [pages] = useState(() => document.createElement('div'));
  const [dialogs] = useState(() => document.createElement('div'));
  const theme = useMemo(() => ({ components: { Portal: { defaultProps: { target: dialogs } } } }), [dialogs]);
  const focused = useRef<Element>(null);
  const fill = useCallback(
    (place: HTMLElement | null) => {
      if (place === null) {
        // They are about to leave the document, and the focus with them.
        const place = placeOfUse();
        focused.current = [pages, dialogs].some((part) => part.contains(place)) ? place : null;
        return;
      }
      place.append(pages, dialogs);
      focusFirst([focused.current, placeInDialog(dialogs), pages.querySelector('h1')], {
        preventScroll: true,
      });
    },
    [pages, dialogs],
  );
  useEffect(() => {
    isUsed.current = true;
    return () => {
      isUsed.current = false;
      queries.clear();
    };
  }, [queries]);
  const seen = useRef(state);
  useEffect(() => {
    // Pages that stayed open below the sign-in were refused meanwhile.
    if (state.kind === 'signed-in' && seen.current !== state) {
      void queries.invalidateQueries();
    }
    seen.current = state;
  }, [state, queries]);
  return (
    <QueryClientProvider client={queries}>
      <MantineThemeProvider theme={theme}>
        {isOpen && <div ref={fill} />}
        {createPortal(children, pages)}
      </MantineThemeProvider>
    </QueryClientProvider>
  );
}
