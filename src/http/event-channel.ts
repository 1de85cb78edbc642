import type { ServerResponse } from 'node:http';

/** An answer of events without an end (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export class EventChannel {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** False while the client has not read all that was sent. */
  get isReady(): boolean {
    return this.#isOpen && !this.#response.writableNeedDrain;
  }

  get #isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  /** @param text whole events */
  send(text: string): void {
    if (this.#isOpen) {
      this.#response.write(text);
    }
  }

  /** Ends the answer. Cuts off a client that does not read: it would not read the end either. */
  end(text = ''): void {
    if (this.isReady) {
      this.#response.end(text);
    } else {
      this.cutOff();
    }
  }

  /** Ends the connection, whose client takes nothing more. */
  cutOff(): void {
    this.#response.destroy();
  }
}
