import { type CheckedRow, runAllVectors } from './vectors.ts';

/** Checks all vectors in a browser. The page's host serves them in the folder `vectors`. */
export function runServedVectors(): Promise<(readonly CheckedRow[])[]> {
  return runAllVectors(async (file) => (await fetch(`/vectors/${file}`)).text());
}
