import type { SourceValue } from '../linotp-source.ts';
import { decodeAs, type DumpColumn, type DumpSyntax } from './dump-text.ts';

const ESCAPES: Readonly<Partial<Record<string, string>>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/**
 * Reads a row of PostgreSQL's COPY in its text format.
 * @param line bytes as characters of the same number, without the line end
 */
export function readCopiedRow(
  line: string,
  syntax: DumpSyntax,
  columns: readonly DumpColumn[],
): readonly SourceValue[] {
  return line.split('\t').map((text, index) => readValue(text, syntax, columns[index]?.isBinary === true));
}

function readValue(text: string, syntax: DumpSyntax, isBinary: boolean): SourceValue {
  if (text === '\\N') {
    return null;
  }
  const plain = text.replace(/\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|[^])/g, (_, escaped: string) => {
    if (/^x./.test(escaped)) {
      return String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    }
    return /^[0-7]/.test(escaped)
      ? String.fromCharCode(Number.parseInt(escaped, 8))
      : (ESCAPES[escaped] ?? escaped);
  });
  return decodeAs(plain, syntax, isBinary);
}
