import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { ProtectedVault } from '../vault/vault.ts';
import type { IncomingLink } from './incoming-link.ts';
import type { Installation } from './installation.ts';
import type { Navigation } from './navigation.ts';
import type { Preferences } from './preferences.ts';

/** The services that the screens share. */
export interface Services {
  readonly vault: ProtectedVault;
  readonly navigation: Navigation;
  readonly preferences: Preferences;
  readonly link: IncomingLink;
  readonly installation: Installation;
}

export const ServicesContext = createContext<Services | undefined>(undefined);

/** @throws Error outside of the app's tree */
export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (services === undefined) {
    throw new Error('No services are provided');
  }
  return services;
}

interface Observable {
  subscribe(listener: () => void): () => void;
}

/** Draws the component anew at each change of the source. */
export function useChanges(source: Observable): void {
  const [, redraw] = useState({});
  useEffect(
    () =>
      source.subscribe(() => {
        redraw({});
      }),
    [source],
  );
}

/** A value on its way from the vault. */
export type Loaded<Value> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'loaded'; readonly value: Value };

/** Loads a value when the component appears, and again when one of the dependencies changes. */
export function useLoaded<Value>(
  load: () => Promise<Value>,
  dependencies: readonly unknown[],
): Loaded<Value> {
  const [loaded, setLoaded] = useState<Loaded<Value>>({ kind: 'loading' });
  useEffect(() => {
    let isCurrent = true;
    const settle = (next: Loaded<Value>): void => {
      if (isCurrent) {
        setLoaded(next);
      }
    };
    load().then(
      (value) => {
        settle({ kind: 'loaded', value });
      },
      (error: unknown) => {
        settle({ kind: 'failed', error });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [...dependencies]);
  return loaded;
}
