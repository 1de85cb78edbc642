import { fstatSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';

/** Bytes that a pipe takes whole (PIPE_BUF): the lines of several processes on one pipe are not mixed. */
const MAX_WRITE = 4_096;
/** Bytes that may wait for the reader of a pipe. */
const MAX_WAITING = 1_048_576;
/** Milliseconds between attempts to tell how many lines were not written. */
const TELL_MS = 1_000;
const LINE_FEED = 10;

/** An output of the process. */
type Output = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly fd?: number;
  readonly writableLength?: number;
};

/**
 * A stream that passes on together what is written to it, a line at a time, in one turn of the event loop. It never
 * fails and keeps nobody waiting: lines that a full disk, or a pipe that nobody reads, does not take are counted, and
 * their number is told when there is room again.
 */
export class JoinedWrites extends Writable {
  readonly #target: Output;
  readonly #file: number | undefined;
  readonly isTTY: boolean;
  #text = '';
  #length = 0;
  #isDue = false;
  /** The end of the file is a part of a line. */
  #isTorn = false;
  #unwritten = 0;
  #untold = 0;
  #telling: NodeJS.Timeout | undefined;
  #notice: ((lines: number) => string) | undefined;

  constructor(target: Output) {
    super({ decodeStrings: false });
    this.#target = target;
    this.#file = isFile(target.fd) ? target.fd : undefined;
    this.isTTY = target.isTTY === true;
  }

  /** The number of lines that were not written, or not whole. */
  get unwritten(): number {
    return this.#unwritten;
  }

  /** @param notice makes the line that tells how many were not written; default: none is told */
  tellUnwrittenBy(notice: (lines: number) => string): void {
    this.#notice = notice;
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
    this.#tell();
    done();
  }

  /** Passes the rest on at once: at the end of the process no further turn comes. */
  flush(): void {
    const text = this.#text;
    if (text !== '') {
      this.#text = '';
      this.#length = 0;
      this.#pass(text, (lines) => {
        this.#unwritten += lines;
        this.#tellSoon(lines);
      });
    }
  }

  #tellSoon(lines: number): void {
    this.#untold += lines;
    this.#telling ??= setTimeout(() => {
      this.#tell();
    }, TELL_MS).unref();
  }

  #tell(): void {
    clearTimeout(this.#telling);
    this.#telling = undefined;
    const lines = this.#untold;
    if (lines > 0 && this.#notice !== undefined) {
      this.#untold = 0;
      this.#pass(this.#notice(lines), () => {
        this.#tellSoon(lines);
      });
    }
  }

  /** @param failed called with the number of lines that were not written, if any */
  #pass(text: string, failed: (lines: number) => void): void {
    if (this.#file !== undefined) {
      this.#writeToFile(this.#file, text, failed);
    } else if ((this.#target.writableLength ?? 0) > MAX_WAITING) {
      failed(linesOf(text));
    } else {
      this.#target.write(text, (error) => {
        if (error) {
          failed(linesOf(text));
        }
      });
    }
  }

  /** Not by Node's stream for files, which does not notice that a text is written in part. */
  #writeToFile(file: number, text: string, failed: (lines: number) => void): void {
    const bytes = Buffer.from(this.#isTorn ? `\n${text}` : text);
    let written = 0;
    try {
      while (written < bytes.length) {
        const taken = writeSync(file, bytes, written);
        if (taken === 0) {
          throw new Error('the file takes nothing');
        }
        written += taken;
      }
    } catch {
      failed(linesOf(bytes.toString('latin1', Math.max(written, this.#isTorn ? 1 : 0))));
    }
    this.#isTorn = written === 0 ? this.#isTorn : bytes[written - 1] !== LINE_FEED;
  }
}

function linesOf(text: string): number {
  return text.split('\n').length - 1;
}

/** @returns false for a terminal, a pipe or a socket, whose reader may keep a writer waiting */
function isFile(descriptor: number | undefined): descriptor is number {
  if (descriptor === undefined) {
    return false;
  }
  const kind = fstatSync(descriptor);
  return kind.isFile() || (kind.isCharacterDevice() && !isatty(descriptor));
}
