import { TextDecoder } from 'node:util';
import { type PasswdAccount, readPasswdLine } from './passwd-line.ts';

/** The reason for which a file is refused, in words that quote nothing of it. */
export class PasswdFault extends Error {
  override readonly name = 'PasswdFault';
}

/** The accounts of a passwd file. */
export interface PasswdContent {
  readonly byLogin: ReadonlyMap<string, PasswdAccount>;
  /** Accounts by id; of several that share an id, as Unix allows, the first one. */
  readonly byId: ReadonlyMap<string, PasswdAccount>;
}

const MAX_LINE_LENGTH = 64 * 1024;
const NEWLINE = 0x0a;

/**
 * Reads a whole file or nothing of it: a user with a broken line must not silently disappear, and a duplicate login
 * must not resolve to the wrong account.
 * @param chunks the file's bytes
 * @param limit the most bytes to read
 * @throws PasswdFault that names the line
 */
export async function readPasswd(chunks: AsyncIterable<Buffer>, limit: number): Promise<PasswdContent> {
  const byLogin = new Map<string, PasswdAccount>();
  const byId = new Map<string, PasswdAccount>();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let number = 0;
  for await (const block of blocksOfLines(chunks, limit)) {
    for (const line of linesOf(decoder, block, number)) {
      number += 1;
      const read = readPasswdLine(line);
      if (read.kind === 'broken') {
        throw brokenLine(number, read.reason);
      }
      if (read.kind === 'account') {
        const { account } = read;
        if (byLogin.has(account.login)) {
          throw brokenLine(number, 'its login stands in an earlier line already');
        }
        byLogin.set(account.login, account);
        if (!byId.has(account.userId)) {
          byId.set(account.userId, account);
        }
      }
    }
  }
  return { byLogin, byId };
}

/** Joins chunks to whole lines, many lines at a time: one at a time takes a multiple of the time. */
async function* blocksOfLines(chunks: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  let total = 0;
  for await (const chunk of chunks) {
    total += chunk.length;
    if (total > limit) {
      throw new PasswdFault(`it has more than ${limit} bytes`);
    }
    rest = Buffer.concat([rest, chunk]);
    const end = rest.lastIndexOf(NEWLINE);
    if (end >= 0) {
      yield rest.subarray(0, end);
      rest = rest.subarray(end + 1);
    }
    if (rest.length > MAX_LINE_LENGTH) {
      throw new PasswdFault(`it has a line of more than ${MAX_LINE_LENGTH} bytes`);
    }
  }
  if (rest.length > 0) {
    yield rest;
  }
}

/** @param before the number of lines before the block */
function linesOf(decoder: TextDecoder, block: Buffer, before: number): Iterable<string> {
  try {
    return decoder.decode(block).split('\n');
  } catch {
    return linesUpToTheBrokenOne(decoder, block, before);
  }
}

function* linesUpToTheBrokenOne(decoder: TextDecoder, block: Buffer, before: number): Generator<string> {
  let number = before;
  for (let start = 0; start <= block.length;) {
    number += 1;
    const end = block.indexOf(NEWLINE, start);
    const line = block.subarray(start, end < 0 ? block.length : end);
    yield decode(decoder, line, number);
    start += line.length + 1;
  }
}

function decode(decoder: TextDecoder, line: Buffer, number: number): string {
  try {
    return decoder.decode(line);
  } catch {
    throw brokenLine(number, 'it is not UTF-8');
  }
}

function brokenLine(number: number, reason: string): PasswdFault {
  return new PasswdFault(`its line ${number} is broken: ${reason}`);
}
