/** The position of a value in the layout. */
interface Position {
  /** Indentation of its lines. */
  readonly indent: number;
  /** Characters before it on its first line, without the indentation. */
  readonly head: number;
}

/**
 * Formats JSON for reading: a value that fits into a line stays on one line.
 * @param width characters of a line; a long text may be longer
 * @returns lines, indented by two, without a line end at the end
 */
export function compactJson(
  value: unknown,
  width: number,
  { indent, head }: Position = { indent: 0, head: 0 },
): string {
  const flat = inOneLine(value);
  if (indent + head + flat.length <= width || value === null || typeof value !== 'object') {
    return flat;
  }
  const items = entriesOf(value).map(
    ([name, item]) =>
      ' '.repeat(indent + 2) + name + compactJson(item, width, { indent: indent + 2, head: name.length + 1 }),
  );
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${items.join(',\n')}\n${' '.repeat(indent)}${close}`;
}

function inOneLine(value: unknown): string {
  if (value === null || typeof value !== 'object') {
    return JSON.stringify(value);
  }
  const items = entriesOf(value).map(([name, item]) => name + inOneLine(item));
  if (Array.isArray(value)) {
    return `[${items.join(', ')}]`;
  }
  return items.length === 0 ? '{}' : `{ ${items.join(', ')} }`;
}

/** @returns the prefix of each item, and the item */
function entriesOf(value: object): [string, unknown][] {
  return Array.isArray(value)
    ? value.map((item: unknown) => ['', item])
    : Object.entries(value).map(([key, item]) => [`${JSON.stringify(key)}: `, item]);
}
