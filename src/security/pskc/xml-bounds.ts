import { ServiceError } from '../../kernel/errors.ts';
import { invalid, lineOf } from './xml-place.ts';

/** Maximum number of tags: ten thousand keys with every possible element have fewer. */
const MAX_TAGS = 400_000;
const MAX_ATTRIBUTES = 100_000;
const MAX_LINES = 1_000_000;
/** Maximum number of characters from one `<` to the next: a certificate has some thousands. */
const MAX_PIECE_LENGTH = 65_536;

/**
 * Checks a document before it is parsed, as a parser needs many times its length in memory and time. Refuses document
 * types (they could define or fetch entities), processing instructions, and more or longer pieces than any key file
 * has.
 * @throws ServiceError 'key-file.invalid'
 */
export function assertHarmless(text: string): void {
  let tags = 0;
  for (let index = text.indexOf('<'); index !== -1;) {
    tags += 1;
    const end = endOfPiece(text, index);
    const next = text.indexOf('<', end);
    if ((next === -1 ? text.length : next) - end > MAX_PIECE_LENGTH) {
      throw invalid(lineOf(text, index), '', `more than ${MAX_PIECE_LENGTH} characters in one piece`);
    }
    if (tags > MAX_TAGS) {
      throw new ServiceError('key-file.invalid', `The key file has more than ${MAX_TAGS} tags`);
    }
    index = next;
  }
  assertFewAttributes(text);
}

/**
 * @returns the document with line ends as XML defines them (XML 1.0 §2.11)
 * @throws ServiceError 'key-file.invalid' for more line ends than any key file has: each replacement takes memory
 */
export function withPlainLineEnds(document: string): string {
  let lines = 0;
  for (let index = document.indexOf('\r'); index !== -1; index = document.indexOf('\r', index + 1)) {
    lines += 1;
    if (lines > MAX_LINES) {
      throw new ServiceError('key-file.invalid', `The key file has more than ${MAX_LINES} lines`);
    }
  }
  return document.replace(/\r\n?/g, '\n');
}

/** @returns the index from which to search the next `<` */
function endOfPiece(text: string, index: number): number {
  if (text.startsWith('<!--', index)) {
    const end = text.indexOf('-->', index + 4);
    return end === -1 ? text.length : end + 3;
  }
  if (text.startsWith('<![CDATA[', index)) {
    return index + 1;
  }
  if (text.startsWith('<!', index)) {
    throw invalid(lineOf(text, index), '', 'a document type is not allowed');
  }
  if (text.startsWith('<?', index) && !(index === 0 && /^<\?xml\s/.test(text))) {
    throw invalid(lineOf(text, index), '', 'a processing instruction is not allowed');
  }
  return index + 1;
}

function assertFewAttributes(text: string): void {
  let attributes = 0;
  for (let index = text.indexOf('='); index !== -1; index = text.indexOf('=', index + 1)) {
    const follower = text.charAt(index + 1);
    attributes += follower === '"' || follower === "'" ? 1 : 0;
    if (attributes > MAX_ATTRIBUTES) {
      throw new ServiceError('key-file.invalid', `The key file has more than ${MAX_ATTRIBUTES} attributes`);
    }
  }
}
