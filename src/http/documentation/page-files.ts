import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type FixedContent, fixedContent } from '../conditional-reply.ts';

/** The files of Swagger UI that the page loads, with their types. */
export const PAGE_FILES = {
  'swagger-ui-bundle.js': 'text/javascript',
  'swagger-ui.css': 'text/css',
} as const;

export type PageFile = keyof typeof PAGE_FILES;

/** The folder into which scripts/build.js copies the files: the package is a development dependency. */
const COPIES = new URL('./swagger-ui/', import.meta.url);

/** @returns a function that reads a file of Swagger UI, each once */
export function pageFiles(): (name: PageFile) => Promise<FixedContent> {
  const read = new Map<PageFile, Promise<FixedContent>>();
  return (name) => {
    const content = read.get(name) ?? load(name);
    read.set(name, content);
    return content;
  };
}

async function load(name: PageFile): Promise<FixedContent> {
  const folder = existsSync(COPIES)
    ? COPIES
    : pathToFileURL(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  return fixedContent(`${PAGE_FILES[name]}; charset=utf-8`, await readFile(new URL(name, folder)));
}
