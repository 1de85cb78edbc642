import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { Router } from 'wouter';
import { useHashLocation } from 'wouter/use-hash-location';
import { SessionProvider, useSessionControl } from '../session/session.tsx';
import type { Arrival } from '../sign-in/arrival.ts';
import { PasskeyLinkPage } from '../sign-in/passkey-link-page.tsx';
import { SignInPage } from '../sign-in/sign-in-page.tsx';
import { Failure } from '../design/failure.tsx';
import { Frame } from './frame.tsx';
import { DisplayChoice } from './display-choice.tsx';
import { OwnedPages } from './owned-pages.tsx';
import { createQueries } from './queries.ts';

interface ConsoleProps {
  /** Undefined: a page was opened. */
  readonly arrival: Arrival | undefined;
}

/**
 * The console. Pages are named after `#`, so that no serial or user name reaches a server's log, and so that the address
 * of the console may be anything.
 */
export function Console({ arrival }: ConsoleProps): ReactNode {
  const queries = useMemo(() => createQueries({ isOpen: () => true, onSignedOut: () => undefined }), []);
  return (
    <DisplayChoice>
      {/* Its variables and classes are in the style sheet: the Content-Security-Policy allows no inline one. */}
      <MantineProvider defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
        <QueryClientProvider client={queries}>
          <Router hook={useHashLocation}>
            <SessionProvider>
              <LinkFirst arrival={arrival}>
                <SignedInOnly arrival={arrival} />
              </LinkFirst>
            </SessionProvider>
          </Router>
        </QueryClientProvider>
      </MantineProvider>
    </DisplayChoice>
  );
}

/** Shows the page of a link, whether or not somebody is signed in, until it is closed. */
function LinkFirst({ arrival, children }: ConsoleProps & { readonly children: ReactNode }): ReactNode {
  const [isClosed, setClosed] = useState(false);
  return arrival?.kind === 'link' && !isClosed ? (
    <PasskeyLinkPage
      secret={arrival.secret}
      onClose={() => {
        setClosed(true);
      }}
    />
  ) : (
    children
  );
}

/**
 * Shows the pages to the signed-in. When a login ends, its pages are kept for a while, out of the document: what was
 * typed there is for the same administrator.
 */
function SignedInOnly({ arrival }: ConsoleProps): ReactNode {
  const { state, owner } = useSessionControl();
  const [outcome, setOutcome] = useState(arrival);
  if (outcome !== undefined && state.kind === 'signed-in') {
    // A later sign-out has nothing to do with it.
    setOutcome(undefined);
  }
  return (
    <>
      {state.kind === 'away' && <Failure error={state.failure} goesOn />}
      {state.kind === 'signed-out' && <SignInPage arrival={outcome} />}
      {owner !== undefined && (
        <OwnedPages key={owner.administrator}>
          <Frame />
        </OwnedPages>
      )}
    </>
  );
}
