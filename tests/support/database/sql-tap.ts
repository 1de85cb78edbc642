import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** Changes to statements on their way to the database. */
export interface SqlTapping {
  /** @returns the text that is sent instead */
  readonly text?: (text: string) => string;
  /** @returns the delay in milliseconds */
  readonly delay?: (text: string) => number;
  /** @returns the promise that it waits for, undefined for none */
  readonly hold?: (text: string) => Promise<unknown> | undefined;
}

interface Statement {
  text: string;
  /** Of a prepared statement. */
  name?: string;
}

type Query = (this: pg.Client, ...given: unknown[]) => unknown;

/** Intercepts the statements of this process, of every pool, until it is closed. */
export class SqlTap {
  readonly #original: Query;

  constructor({ text = (given) => given, delay = () => 0, hold = () => undefined }: SqlTapping) {
    const prototype = pg.Client.prototype as unknown as { query: Query };
    const original = prototype.query;
    this.#original = original;
    prototype.query = function (...given) {
      const [statement, ...rest] = given;
      // What a new connection begins with is nobody's.
      if (!isStatement(statement) || statement.text.startsWith('SET DateStyle')) {
        return original.apply(this, given);
      }
      const sent = text(statement.text);
      if (sent !== statement.text) {
        // pg refuses another text under the same name.
        delete statement.name;
        statement.text = sent;
      }
      const query = (): unknown => original.apply(this, [statement, ...rest]);
      const wait = delay(statement.text);
      const held = hold(statement.text) ?? (wait > 0 ? sleep(wait) : undefined);
      // Knex passes a callback and ignores the returned value; prepared statements await it.
      return held === undefined ? query() : held.then(query);
    };
  }

  close(): void {
    (pg.Client.prototype as unknown as { query: Query }).query = this.#original;
  }
}

/** @returns the statements of this process that reach a database while `work` lasts */
export async function statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const statements: string[] = [];
  const tap = new SqlTap({ text: (text) => (statements.push(text), text) });
  try {
    await work();
  } finally {
    tap.close();
  }
  return statements;
}

function isStatement(given: unknown): given is Statement {
  return typeof given === 'object' && given !== null && 'text' in given && typeof given.text === 'string';
}
