/**
 * Prepares the comparison of texts whose length is no secret, in a time that depends on this length alone.
 * @param length of the texts that are compared with `expected`, in UTF-16 units
 * @returns a function that is true for the expected text, and does not stop at the first difference
 */
export function textComparison(expected: string, length: number): (text: string) => boolean {
  // Zeros for another length: no text is equal then, and the comparison takes the same time.
  const units = Array.from({ length }, (_, index) =>
    expected.length === length ? expected.charCodeAt(index) : 0,
  );
  return (text) => {
    let difference = (expected.length ^ length) | (text.length ^ length);
    for (let index = 0; index < length; index += 1) {
      // NaN beyond the end of a shorter text, which is zero here.
      difference |= (units[index] ?? 0) ^ text.charCodeAt(index);
    }
    return difference === 0;
  };
}
