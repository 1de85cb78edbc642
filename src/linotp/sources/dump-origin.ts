import type { LinotpSource } from '../linotp-source.ts';
import { type DumpSyntax, UnreadableDump } from './dump-text.ts';

/** Names of PostgreSQL and MySQL. Texts in SQL_ASCII or binary are in an encoding of their clients. */
const UTF8 = ['utf8', 'utf8mb3', 'utf8mb4', 'utf-8', 'unicode', 'sql_ascii', 'ascii', 'binary'];
const WINDOWS_1252 = ['latin1', 'win1252'];
const ENCODING = /\bSET\s+(?:NAMES|client_encoding\s*(?:=|TO))\s*'?([\w-]+)/i;
const BEGIN = /^(?:BEGIN(?:\s+TRANSACTION)?|START\s+TRANSACTION)\s*;/i;

/** The program that wrote a dump, found out from its comments and settings. */
export class DumpOrigin {
  #dialect: LinotpSource['dialect'] | undefined;
  #encoding: DumpSyntax['encoding'] = 'utf-8';
  #hasEscapes = false;
  /** Dumps that have begun and not ended; a file may hold several. */
  #open = 0;
  #isInTransaction = false;

  get dialect(): LinotpSource['dialect'] {
    return this.#dialect ?? 'postgresql';
  }

  get escapes(): boolean {
    return this.#dialect === 'mysql' || this.#hasEscapes;
  }

  get encoding(): DumpSyntax['encoding'] {
    return this.#encoding;
  }

  /** The notes for people about the content. */
  get notes(): readonly string[] {
    return this.#dialect === 'mysql' && this.#encoding === 'windows-1252'
      ? ['The dump is written in latin1: other characters were lost when it was written']
      : [];
  }

  /** The last line that the program writes, where it is missing. */
  get missingEnd(): string | undefined {
    if (this.#open > 0) {
      return this.#dialect === 'mysql' ? '-- Dump completed' : '-- PostgreSQL database dump complete';
    }
    return this.#isInTransaction ? 'COMMIT;' : undefined;
  }

  /** @throws UnreadableDump for an encoding that is not read */
  noteComment(comment: string): void {
    if (/^-- PostgreSQL database dump\s*$/.test(comment)) {
      this.#begin('postgresql');
    } else if (/^-- (?:MySQL|MariaDB) dump /.test(comment)) {
      this.#begin('mysql');
    } else if (comment.startsWith('/*!')) {
      this.#dialect ??= 'mysql';
      this.#noteEncoding(comment);
    } else if (/^-- (?:PostgreSQL database dump complete|Dump completed)/.test(comment)) {
      this.#open -= 1;
    }
  }

  /** @throws UnreadableDump for a setting that is not read, and for a dump that its program has given up */
  noteStatement(statement: string): void {
    if (/^PRAGMA\b/i.test(statement)) {
      this.#dialect ??= 'sqlite';
    } else if (/^SET\b/i.test(statement)) {
      this.#hasEscapes ||= /^SET\s+standard_conforming_strings\s*=\s*off\b/i.test(statement);
      this.#noteEncoding(statement);
    } else {
      this.#noteTransaction(statement);
    }
  }

  /** Notes the beginning of a statement with names or rows. */
  noteNames(statement: string): void {
    if (/`|\bENGINE\s*=/i.test(statement)) {
      this.#dialect ??= 'mysql';
    }
  }

  #begin(dialect: LinotpSource['dialect']): void {
    this.#dialect ??= dialect;
    this.#open += 1;
  }

  #noteTransaction(statement: string): void {
    if (BEGIN.test(statement)) {
      this.#isInTransaction = true;
    } else if (/^COMMIT\b/i.test(statement)) {
      this.#isInTransaction = false;
    } else if (this.#isInTransaction && /^ROLLBACK\b/i.test(statement)) {
      throw new UnreadableDump('the program that wrote it has found errors in the database, and gave up');
    }
  }

  #noteEncoding(statement: string): void {
    const name = ENCODING.exec(statement)?.[1]?.toLowerCase();
    if (name === undefined) {
      return;
    }
    if (!UTF8.includes(name) && !WINDOWS_1252.includes(name)) {
      throw new UnreadableDump(`the encoding ${name} is not read: write the dump in UTF-8`);
    }
    this.#encoding = WINDOWS_1252.includes(name) ? 'windows-1252' : 'utf-8';
  }
}
