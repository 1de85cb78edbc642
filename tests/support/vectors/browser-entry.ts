import type { CheckedRow } from './checked-row.ts';
import { runAllVectors } from './vector-runs.ts';

/** Checks all vectors in a browser. The page's host serves them in the folder `vectors`. */
export function runServedVectors(): Promise<(readonly CheckedRow[])[]> {
  return runAllVectors(async (file) => (await fetch(`/vectors/${file}`)).text());
}
