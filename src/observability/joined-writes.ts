import { Writable } from 'node:stream';

/** A stream that passes on in one write what is written to it in one turn of the event loop. */
export class JoinedWrites extends Writable {
  readonly #target: NodeJS.WritableStream;
  readonly isTTY: boolean;
  #text = '';
  #isDue = false;

  constructor(target: NodeJS.WritableStream & { readonly isTTY?: boolean }) {
    super({ decodeStrings: false });
    this.#target = target;
    this.isTTY = target.isTTY === true;
  }

  override _write(text: string, _encoding: BufferEncoding, done: () => void): void {
    this.#text += text;
    if (!this.#isDue) {
      this.#isDue = true;
      setImmediate(() => {
        this.flush();
      });
    }
    done();
  }

  override _final(done: () => void): void {
    this.flush();
    done();
  }

  /** Passes on at once what is left: at the end of the process no further turn comes. */
  flush(): void {
    this.#isDue = false;
    if (this.#text !== '') {
      this.#target.write(this.#text);
      this.#text = '';
    }
  }
}
