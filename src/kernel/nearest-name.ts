/** Characters; a longer name is text that was pasted, not a typing error. */
const MAX_LENGTH = 128;

/**
 * @param name the written name
 * @param known the names that exist
 * @param maxEdits a narrower bound; by default a third of the characters may differ
 * @returns the one that was probably meant; case does not count
 */
export function nearestName(name: string, known: Iterable<string>, maxEdits = Infinity): string | undefined {
  const written = name.trim().toLowerCase();
  if (written === '' || written.length > MAX_LENGTH) {
    return undefined;
  }
  let nearest: { readonly name: string; readonly edits: number } | undefined;
  for (const one of known) {
    const max = Math.min(Math.ceil(Math.max(one.length, written.length) / 3), one.length - 1, maxEdits);
    const edits = boundedDistance(written, one.toLowerCase(), max);
    if (edits < (nearest?.edits ?? Infinity)) {
      nearest = { name: one, edits };
    }
  }
  return nearest?.name;
}

/** @returns `: did you mean office?` for a message; `otherwise` where no known name is near */
export function didYouMean(name: string, known: Iterable<string>, otherwise = ''): string {
  const nearest = nearestName(name, known);
  return nearest === undefined || nearest === name ? otherwise : `: did you mean ${nearest}?`;
}

/** @returns the edit distance; infinity if it is greater than `max` */
function boundedDistance(one: string, other: string, max: number): number {
  if (Math.abs(one.length - other.length) > max) {
    return Infinity;
  }
  const edits = editDistance(one, other);
  return edits > max ? Infinity : edits;
}

/**
 * The optimal string alignment distance: insertions, deletions, substitutions, and exchanges of two neighbours (F.
 * Damerau, 1964), no part edited twice.
 */
function editDistance(one: string, other: string): number {
  let before: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isExchange = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current.push(
        Math.min(
          at(previous, column) + 1,
          at(current, column - 1) + 1,
          at(previous, column - 1) + (isSame ? 0 : 1),
          isExchange ? at(before, column - 2) + 1 : Infinity,
        ),
      );
    }
    [before, previous] = [previous, current];
  }
  return at(previous, other.length);
}

/** @returns the entry, or infinity outside of the row */
function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
