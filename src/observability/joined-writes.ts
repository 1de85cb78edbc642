import { Writable } from 'node:stream';

/** Bytes that a pipe takes whole (PIPE_BUF): the lines of several processes on one pipe are not mixed. */
const MAX_WRITE = 4_096;

/** A stream that passes on together what is written to it, a line at a time, in one turn of the event loop. */
export class JoinedWrites extends Writable {
  readonly #target: NodeJS.WritableStream;
  readonly isTTY: boolean;
  #text = '';
  #length = 0;
  #isDue = false;

  constructor(target: NodeJS.WritableStream & { readonly isTTY?: boolean }) {
    super({ decodeStrings: false });
    this.#target = target;
    this.isTTY = target.isTTY === true;
  }

  override _write(line: string, _encoding: BufferEncoding, done: () => void): void {
    const length = Buffer.byteLength(line);
    if (this.#length + length > MAX_WRITE) {
      this.flush();
    }
    this.#text += line;
    this.#length += length;
    if (!this.#isDue) {
      this.#isDue = true;
      setImmediate(() => {
        this.#isDue = false;
        this.flush();
      });
    }
    done();
  }

  override _final(done: () => void): void {
    this.flush();
    done();
  }

  /** Passes the rest on at once: at the end of the process no further turn comes. */
  flush(): void {
    if (this.#text !== '') {
      this.#target.write(this.#text);
      this.#text = '';
      this.#length = 0;
    }
  }
}
