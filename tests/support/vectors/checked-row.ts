import { isServiceError } from '../../../src/kernel/errors.ts';
import { decodeHex } from '../../../src/ocra/hex.ts';

/** A row of a vector file, its name in the ledger, and its result. */
export interface CheckedRow {
  readonly name: string;
  readonly holds: boolean;
}

/** @returns text as the ledger writes it: in ASCII, other characters as \uXXXX */
export function ledgerText(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * @returns the result of `attempt`, or undefined if it is refused with a ServiceError; any other error is a fault and
 * passes through
 */
export async function unlessRefused<Value>(
  attempt: () => Value | Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await attempt();
  } catch (error) {
    if (isServiceError(error)) {
      return undefined;
    }
    throw error;
  }
}

/** @returns the bytes of a vector; throws if it is not hexadecimal */
export function fromHex(text: string): Uint8Array {
  const bytes = decodeHex(text);
  if (bytes === undefined) {
    throw new Error(`not hexadecimal: ${text}`);
  }
  return bytes;
}

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
