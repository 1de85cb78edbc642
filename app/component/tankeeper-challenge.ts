import { appLinkOf, codeOf, languageOf, statusUrlOf, timeoutOf } from './challenge-attributes.ts';
import type { ChallengeState } from './challenge-state.ts';
import { ChallengeView } from './challenge-view.ts';
import { sendDigits, type StatusFailure } from './status-request.ts';
import { watchStatus } from './status-watch.ts';

/** A page that is hidden for so long asks no more until it is shown again. */
const HIDDEN_MS = 60_000;

/** One showing of a challenge: from its start to its end. */
interface Showing {
  readonly status: URL | undefined;
  readonly transaction: string;
  /** Aborted at the end: nothing is asked, sent or told any more. */
  readonly ended: AbortController;
  /** Ends the asking while the page is hidden. */
  watching: AbortController | undefined;
  /** The last that the portal told; undefined: nothing yet. */
  failcount: number | undefined;
}

/**
 * `<tankeeper-challenge>`: shows the QR code of a challenge, asks the portal for its state, and takes typed digits.
 * Attributes, events and the answers of the portal: docs/guides/qr-app.md.
 */
export class TankeeperChallenge extends HTMLElement {
  static readonly observedAttributes = [
    'transaction',
    'data',
    'picture',
    'status',
    'app',
    'lang',
    'timeout',
  ] as const;

  readonly #view: ChallengeView;
  #showing: Showing | undefined;
  #timers: number[] = [];
  /** False while the parser still gives a new element its attributes, too. */
  #isInPlace = false;
  #restarts = false;
  #hiddenTimer: number | undefined;

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    this.#view = new ChallengeView(root, (digits) => void this.#send(digits));
  }

  connectedCallback(): void {
    this.#isInPlace = true;
    document.addEventListener('visibilitychange', this.#onVisibility);
    this.#restart();
  }

  disconnectedCallback(): void {
    this.#isInPlace = false;
    document.removeEventListener('visibilitychange', this.#onVisibility);
    this.#end();
  }

  /** Several changes at a time begin one showing. A page that is drawn again with the same values begins none. */
  attributeChangedCallback(_name: string, before: string | null, now: string | null): void {
    if (before === now || this.#restarts || !this.#isInPlace) {
      return;
    }
    this.#restarts = true;
    queueMicrotask(() => {
      this.#restarts = false;
      if (this.#isInPlace) {
        this.#restart();
      }
    });
  }

  #restart(): void {
    this.#end();
    const status = statusUrlOf(this);
    const showing: Showing = {
      status,
      transaction: this.getAttribute('transaction') ?? '',
      ended: new AbortController(),
      watching: undefined,
      failcount: undefined,
    };
    this.#showing = showing;
    this.setAttribute('state', 'open');
    this.#view.open({
      language: languageOf(this),
      code: codeOf(this),
      appLink: appLinkOf(this),
      takesDigits: status !== undefined,
    });
    if (status !== undefined) {
      this.#later(timeoutOf(this), () => {
        this.#close('expired', {});
      });
      this.#watch(showing);
      this.#onVisibility();
    } else if ((this.getAttribute('status') ?? '') !== '') {
      this.#close('failed', { status: null });
    }
  }

  /** Ends the showing without an event. */
  #end(): void {
    this.#timers.forEach((timer) => {
      window.clearTimeout(timer);
    });
    this.#timers = [];
    this.#showing?.watching?.abort();
    this.#showing?.ended.abort();
    this.#showing = undefined;
  }

  #later(milliseconds: number, act: () => void): number {
    const timer = window.setTimeout(act, milliseconds);
    this.#timers.push(timer);
    return timer;
  }

  #watch(showing: Showing): void {
    if (showing.status === undefined || showing.watching !== undefined) {
      return;
    }
    const watching = new AbortController();
    showing.watching = watching;
    const receiver = {
      onState: (state: ChallengeState) => {
        this.#onState(showing, state);
      },
      onFailure: (failure: StatusFailure) => {
        this.#onFailure(failure);
      },
    };
    void watchStatus(showing.status, receiver, watching.signal);
  }

  readonly #onVisibility = (): void => {
    window.clearTimeout(this.#hiddenTimer);
    const showing = this.#showing;
    if (showing === undefined) {
      return;
    }
    if (!document.hidden) {
      this.#watch(showing);
      return;
    }
    this.#hiddenTimer = this.#later(HIDDEN_MS, () => {
      showing.watching?.abort();
      showing.watching = undefined;
    });
  };

  async #send(digits: string): Promise<void> {
    const showing = this.#showing;
    if (showing?.status === undefined) {
      return;
    }
    const before = showing.failcount;
    this.#view.checking(true);
    this.#view.say('checking');
    const answer = await sendDigits(showing.status, digits, showing.ended.signal);
    if (this.#showing !== showing) {
      return;
    }
    this.#view.checking(false);
    if (!('state' in answer)) {
      this.#view.say('notSent');
      return;
    }
    const reported = showing.failcount;
    this.#onState(showing, answer);
    if (answer.state === 'open') {
      // A response that the portal does not count is refused all the same.
      if (reported === before && answer.failcount === (reported ?? answer.failcount)) {
        this.#refuse(showing, answer.failcount);
      }
      this.#view.clearDigits();
    }
  }

  #onState(showing: Showing, { state, failcount }: ChallengeState): void {
    if (state !== 'open') {
      this.#close(state, { failcount });
      return;
    }
    const before = showing.failcount;
    showing.failcount = failcount;
    if (before !== undefined && failcount > before) {
      this.#refuse(showing, failcount);
    } else if (this.getAttribute('state') !== 'open') {
      this.setAttribute('state', 'open');
      this.#view.say('waiting');
    }
  }

  #onFailure({ status, final }: StatusFailure): void {
    if (final) {
      this.#close('failed', { status });
      return;
    }
    this.setAttribute('state', 'failed');
    this.#view.say('interrupted');
    this.#report('tankeeper-failed', { status, final });
  }

  #refuse(showing: Showing, failcount: number): void {
    showing.failcount = failcount;
    this.setAttribute('state', 'open');
    this.#view.say('refused');
    this.#report('tankeeper-refused', { failcount });
  }

  /** Ends the showing with its result. */
  #close(
    state: 'accepted' | 'declined' | 'expired' | 'failed',
    detail: Readonly<Record<string, unknown>>,
  ): void {
    const transaction = this.#showing?.transaction ?? '';
    this.#end();
    this.setAttribute('state', state);
    this.#view.close(state);
    const reported = state === 'failed' ? { ...detail, final: true } : detail;
    this.#report(`tankeeper-${state}`, reported, transaction);
  }

  #report(name: string, detail: object, transaction = this.#showing?.transaction ?? ''): void {
    this.dispatchEvent(
      new CustomEvent(name, { bubbles: true, composed: true, detail: { transaction, ...detail } }),
    );
  }
}

if (customElements.get('tankeeper-challenge') === undefined) {
  customElements.define('tankeeper-challenge', TankeeperChallenge);
}
