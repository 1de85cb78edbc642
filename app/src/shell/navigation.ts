/** A screen of the open app, with what it shows. */
export type Route =
  | { readonly name: 'tokens' | 'scan' | 'history' | 'settings' | 'security' | 'backup' | 'about' }
  | { readonly name: 'token'; readonly serial: string }
  /** @property text of a code, as scanned or pasted */
  | { readonly name: 'code'; readonly text: string };

export type RouteName = Route['name'];

const HOME: Route = { name: 'tokens' };

/**
 * The screens that were opened, in step with the browser's history, so that the phone's back button works. Browsers keep
 * the history on disk: it holds numbers only, and the screens stay in memory.
 */
export class Navigation {
  readonly #routes = new Map<number, Route>();
  readonly #listeners = new Set<() => void>();
  #entry = 0;
  #last = 0;

  constructor() {
    history.replaceState({ entry: 0 }, '');
    window.addEventListener('popstate', (event) => {
      this.#arrive(entryOf(event.state));
    });
  }

  get current(): Route {
    return this.#routes.get(this.#entry) ?? HOME;
  }

  /** @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  go(route: Route): void {
    this.#forgetCode();
    this.#last += 1;
    this.#entry = this.#last;
    history.pushState({ entry: this.#entry }, '');
    this.#set(route);
  }

  /** Opens a screen in place of this one, to which the back button does not return. */
  replace(route: Route): void {
    this.#set(route);
  }

  back(): void {
    if (this.#entry === 0) {
      this.replace(HOME);
    } else {
      history.back();
    }
  }

  /** Forgets what the screens showed, as the app is locked. */
  reset(): void {
    this.#routes.clear();
    this.#set(HOME);
  }

  /** @param entry undefined after a change of the address's fragment, which makes an entry of its own */
  #arrive(entry: number | undefined): void {
    this.#forgetCode();
    if (entry === undefined) {
      this.#last += 1;
      this.#entry = this.#last;
      history.replaceState({ entry: this.#entry }, '');
    } else {
      this.#entry = entry;
    }
    this.#tell();
  }

  /** A code holds secrets, and is processed once: no way leads back to it. */
  #forgetCode(): void {
    if (this.current.name === 'code') {
      this.#routes.delete(this.#entry);
    }
  }

  #set(route: Route): void {
    this.#routes.set(this.#entry, route);
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) {
      listener();
    }
  }
}

function entryOf(state: unknown): number | undefined {
  return typeof state === 'object' && state !== null && 'entry' in state && typeof state.entry === 'number'
    ? state.entry
    : undefined;
}
