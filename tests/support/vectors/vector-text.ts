/*
 * The runners in this folder import nothing of Node and of Jest: Jest and a browser compute the same vectors with the
 * same code.
 */

/** A number beyond 2^53 as the value of a key. JSON.parse would round it, so it is read as text. */
const LONG_INTEGER = /("[^"\\]*": )(-?\d{16,})(?=[,}\]\s])/g;

/** @returns the JSON text read, with integers of sixteen digits or more as text, exactly */
export function parseExactly(json: string): unknown {
  return JSON.parse(json.replace(LONG_INTEGER, '$1"$2"'));
}

/** @returns the rows of a file with one JSON object a line */
export function rowsOf<Row>(text: string): Row[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseExactly(line) as Row);
}
