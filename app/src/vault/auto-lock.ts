/** Events of a page that is in use. */
const ACTIVITY_EVENTS = ['pointerdown', 'keydown', 'touchstart', 'wheel'];
/** Events of a page that comes back after its timers may have been held. */
const PAGE_RETURN_EVENTS = ['visibilitychange', 'resume', 'pageshow', 'focus'];

/** Locks a vault that is not used, whether its page is shown or hidden. */
export class AutoLock {
  readonly #page: EventTarget;
  readonly #now: () => number;
  readonly #lock: () => void;
  #limit = 0;
  #lastUse = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param page the window
   * @param now the clock, in milliseconds
   */
  constructor(page: EventTarget, now: () => number, lock: () => void) {
    this.#page = page;
    this.#now = now;
    this.#lock = lock;
  }

  /** Begins to watch, or goes on with another limit. */
  start(minutes: number): void {
    this.stop();
    this.#limit = 60_000 * minutes;
    this.#lastUse = this.#now();
    this.#listen('addEventListener');
    this.#wait(this.#limit);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#listen('removeEventListener');
  }

  #listen(change: 'addEventListener' | 'removeEventListener'): void {
    for (const type of ACTIVITY_EVENTS) {
      this.#page[change](type, this.#used, { capture: true, passive: true });
    }
    for (const type of PAGE_RETURN_EVENTS) {
      this.#page[change](type, this.#check, { capture: true });
    }
  }

  #wait(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#check, milliseconds);
  }

  readonly #used = (): void => {
    // A touch after a long sleep may come before any other event: it must not keep the vault open.
    this.#check();
    this.#lastUse = this.#now();
  };

  readonly #check = (): void => {
    const idle = this.#now() - this.#lastUse;
    // A clock that was set back tells nothing of the time that passed.
    if (idle >= this.#limit || idle < 0) {
      this.stop();
      this.#lock();
    } else {
      this.#wait(this.#limit - idle);
    }
  };
}
