/** The browser's offer to install the app (https://wicg.github.io/manifest-incubations/), which only Chromium makes. */
interface InstallEvent extends Event {
  prompt(): Promise<unknown>;
}

/** Whether the browser can install the app, and how. */
export class Installation {
  readonly #listeners = new Set<() => void>();
  #event: InstallEvent | undefined;

  constructor() {
    window.addEventListener('beforeinstallprompt', (event) => {
      // The app asks at a better time.
      event.preventDefault();
      this.#set(event as InstallEvent);
    });
    window.addEventListener('appinstalled', () => {
      this.#set(undefined);
    });
  }

  /** `prompt`: by `install`. `menu`: the user does it in the menu of Safari on a phone. `none`: not, or it is installed. */
  get way(): 'prompt' | 'menu' | 'none' {
    if (window.matchMedia('(display-mode: standalone)').matches) {
      return 'none';
    }
    const isSafari = 'standalone' in navigator && navigator.standalone === false;
    return this.#event !== undefined ? 'prompt' : isSafari ? 'menu' : 'none';
  }

  /** Lets the browser ask the user. An offer is good for one time. */
  install(): void {
    void this.#event?.prompt();
    this.#set(undefined);
  }

  /** @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #set(event: InstallEvent | undefined): void {
    this.#event = event;
    for (const listener of this.#listeners) {
      listener();
    }
  }
}
