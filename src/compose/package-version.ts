import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** @returns the version of this package */
export function packageVersion(): string {
  // At the same distance from src/compose/ and from dist/compose/.
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}
