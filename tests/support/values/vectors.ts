import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../vectors');

/** A number beyond 2^53 as the value of a key. JSON.parse would round it, so it is read as text. */
const LONG_INTEGER = /("[^"\\]*": )(-?\d{16,})(?=[,}\]\s])/g;

/** @returns the JSON text read, with integers of sixteen digits or more as text, exactly */
export function parseExactly(json: string): unknown {
  return JSON.parse(json.replace(LONG_INTEGER, '$1"$2"'));
}

/** @returns the rows of a vector file with one JSON object a line */
export function readRows<Row>(file: string): Row[] {
  return readFileSync(join(FOLDER, `${file}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseExactly(line) as Row);
}

/** @returns the `vectors` of a vector file that is one JSON object */
export function readVectors<Row>(file: string): Row[] {
  const { vectors } = parseExactly(readFileSync(join(FOLDER, `${file}.json`), 'utf8')) as {
    readonly vectors: Row[];
  };
  return vectors;
}
