import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** What happens to statements on their way to the database. */
export interface SqlTapping {
  /** @returns the text that is sent instead */
  readonly text?: (text: string) => string;
  /** @returns milliseconds that it is held up for */
  readonly delay?: (text: string) => number;
  /** @returns what it waits for, undefined for nothing */
  readonly hold?: (text: string) => Promise<unknown> | undefined;
}

interface Statement {
  text: string;
}

type Query = (this: pg.Client, ...given: unknown[]) => unknown;

/** Sits on the way of all statements of this process, of every pool, until it is closed. */
export class SqlTap {
  readonly #original: Query;

  constructor({ text = (given) => given, delay = () => 0, hold = () => undefined }: SqlTapping) {
    const prototype = pg.Client.prototype as unknown as { query: Query };
    const original = prototype.query;
    this.#original = original;
    prototype.query = function (...given) {
      const [statement, ...rest] = given;
      // What knex sends: an object with a text, and a callback. Nobody waits for what is returned then.
      if (!isStatement(statement) || typeof rest.at(-1) !== 'function') {
        return original.apply(this, given);
      }
      statement.text = text(statement.text);
      const held = hold(statement.text);
      if (held !== undefined) {
        void held.then(() => original.apply(this, [statement, ...rest]));
        return undefined;
      }
      const wait = delay(statement.text);
      if (wait <= 0) {
        return original.apply(this, [statement, ...rest]);
      }
      void sleep(wait).then(() => original.apply(this, [statement, ...rest]));
      return undefined;
    };
  }

  close(): void {
    (pg.Client.prototype as unknown as { query: Query }).query = this.#original;
  }
}

function isStatement(given: unknown): given is Statement {
  return typeof given === 'object' && given !== null && 'text' in given && typeof given.text === 'string';
}
