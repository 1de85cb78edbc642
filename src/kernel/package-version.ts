import { readFileSync } from 'node:fs';

/** @returns the version of this package */
export function packageVersion(): string {
  // The relative path is valid from src/kernel/ and from dist/kernel/.
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { readonly version: string };
  return version;
}
