import { type DumpColumn, readName, UnreadableDump } from './dump-text.ts';

/** The beginning of a statement that makes a table. */
export const CREATE_TABLE = /^CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?/i;
const CONSTRAINT = /^(?:PRIMARY|UNIQUE|KEY|INDEX|CONSTRAINT|CHECK|FOREIGN|FULLTEXT|SPATIAL)\b/i;
/** bytea, BLOB and their kind. */
const BINARY = /^\s*(?:bytea|(?:tiny|medium|long)?blob|(?:var)?binary)\b/i;
/** Characters; an expression such as the next one has no room for its steps through more than some millions. */
const MAX_LENGTH = 1 << 20;
const TEXT = /'(?:[^'\\]|''|\\[^])*'/g;

/** @returns the name of the table that a statement makes, and its columns; undefined for one without columns */
export function readTable(
  statement: string,
): { readonly table: string; readonly columns: readonly DumpColumn[] } | undefined {
  if (statement.length > MAX_LENGTH) {
    throw new UnreadableDump('the description of a table is too long');
  }
  const head = CREATE_TABLE.exec(statement)?.[0].length ?? 0;
  const name = readName(statement, head);
  const open = statement.indexOf('(', name?.end ?? statement.length);
  if (name === undefined || open < 0) {
    return undefined;
  }
  // A default or a comment may have commas and parentheses.
  const body = statement.slice(open + 1, statement.lastIndexOf(')')).replace(TEXT, "''");
  const columns = topLevelParts(body)
    .filter((part) => !CONSTRAINT.test(part))
    .flatMap((part) => readColumn(`${part} `));
  return { table: name.value, columns };
}

function readColumn(definition: string): readonly DumpColumn[] {
  const name = readName(definition, 0);
  return name === undefined
    ? []
    : [{ name: name.value.toLowerCase(), isBinary: BINARY.test(definition.slice(name.end)) }];
}

/** Reads a comma list of names. @param known the columns of the table */
export function readColumns(list: string, known: readonly DumpColumn[]): readonly DumpColumn[] {
  return list
    .split(',')
    .flatMap((part) => readColumn(`${part.trim()} `))
    .map(({ name }) => known.find((column) => column.name === name) ?? { name, isBinary: false });
}

/** Splits at commas outside of parentheses. */
function topLevelParts(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const character = text.charAt(at);
    depth += character === '(' ? 1 : character === ')' ? -1 : 0;
    if (at === text.length || (character === ',' && depth === 0)) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return parts.filter((part) => part !== '');
}
