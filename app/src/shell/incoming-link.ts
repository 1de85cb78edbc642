/**
 * A link that opened the app, with a code in its fragment (`#link=…`), which no server sees. It waits here until the app
 * is unlocked. The address loses it at once: addresses are kept in the browser's history.
 */
export class IncomingLink {
  readonly #listeners = new Set<() => void>();
  #text: string | undefined;

  constructor() {
    this.#read();
    // An open app gets further links by a change of the fragment alone.
    window.addEventListener('hashchange', () => {
      this.#read();
    });
  }

  /** @returns whether a link waits */
  get waits(): boolean {
    return this.#text !== undefined;
  }

  /** @returns the whole link, once */
  take(): string | undefined {
    const text = this.#text;
    this.#text = undefined;
    return text;
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
    if (hash.startsWith('#link=')) {
      this.#text = href;
      for (const listener of this.#listeners) {
        listener();
      }
    }
  }
}
