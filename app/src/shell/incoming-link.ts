import type { Route } from './navigation.ts';

/**
 * A link that opened the app, with a code in its fragment (`#link=…`), which no server sees. It waits here until the
 * app is unlocked. The address loses it at once: addresses are kept in the browser's history.
 */
export class IncomingLink {
  readonly #listeners = new Set<() => void>();
  #route: Route | undefined;

  constructor() {
    this.#read();
    // An open app gets further links by a change of the fragment alone.
    window.addEventListener('hashchange', () => {
      this.#read();
    });
  }

  /** @returns true if a code waits */
  get waits(): boolean {
    return this.#route?.name === 'code';
  }

  /** @returns the screen that the link asks for, once */
  take(): Route | undefined {
    const route = this.#route;
    this.#route = undefined;
    return route;
  }

  /** @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #read(): void {
    const { hash, href, pathname } = location;
    if (hash === '') {
      return;
    }
    history.replaceState(history.state, '', pathname);
    this.#route = routeOf(hash, href);
    if (this.#route !== undefined) {
      for (const listener of this.#listeners) {
        listener();
      }
    }
  }
}

/** @returns the screen of a fragment: a code, or the shortcut of the app's icon */
function routeOf(hash: string, href: string): Route | undefined {
  if (hash.startsWith('#link=')) {
    return { name: 'code', text: href };
  }
  return hash === '#scan' ? { name: 'scan' } : undefined;
}
