import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type FixedContent, fixedContent } from '../reply.ts';

/** The media types by the ending of a file. A file with any other ending is not served. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.ico': 'image/vnd.microsoft.icon',
  '.woff2': 'font/woff2',
};

/** The content codings of answers (RFC 9110 §8.4.1), the preferred one first. */
const CODINGS = ['br', 'gzip'] as const;

type Coding = (typeof CODINGS)[number] | 'identity';

/** Names that scripts/build.js gives to a file by its content: another content has another name. */
const HASHED = /^assets\/.*-[\w-]{8,}\.\w+$/;

/** The quality of Brotli: almost as small as 11, and ten times as fast. */
const BROTLI_QUALITY = 9;

const compress = {
  br: promisify(brotliCompress),
  gzip: promisify(gzip),
};

/** The content in a coding. */
type CodedContent = FixedContent & { readonly coding: Coding };

/** A file of a site. */
export interface SiteFile {
  /** True if the name stands for the content: caches may keep it for ever. */
  readonly isImmutable: boolean;
  /** @returns the content in that coding, or as it is where the coding makes it no smaller */
  in(coding: Coding): Promise<CodedContent>;
}

/** The files of a site by their paths below its own; a page also without `.html`, `index.html` as the empty path. */
export type SiteFiles = ReadonlyMap<string, SiteFile>;

/**
 * @returns the folder of a built site: beside the built program, where scripts/build.js puts it; in development that of
 *   the last build. Undefined: it has not been built
 */
export function builtSite(name: 'app' | 'console'): string | undefined {
  return [`../../${name}/`, `../../../dist/${name}/`]
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((folder) => existsSync(join(folder, 'index.html')));
}

/** Reads all files of the folder. A change of the folder is not seen until the next start. */
export async function readSiteFiles(folder: string): Promise<SiteFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(
    names.map(async (name) => {
      const path = name.slice(join(folder, sep).length).split(sep).join('/');
      return [path, await readFile(name)] as const;
    }),
  );
  return siteFilesOf(new Map(contents));
}

/** @param contents by the path of the file */
export function siteFilesOf(contents: ReadonlyMap<string, Buffer>): SiteFiles {
  const served = [...contents].filter(([path]) => Object.hasOwn(TYPES, extname(path)));
  const files = new Map(served.map(([path, content]) => [encodeURI(path), siteFile(path, content)]));
  for (const [path, file] of [...files].filter(([name]) => name.endsWith('.html'))) {
    files.set(path === 'index.html' ? '' : path.slice(0, -'.html'.length), file);
  }
  return files;
}

function siteFile(path: string, content: Buffer): SiteFile {
  const contentType = TYPES[extname(path)] ?? '';
  const made = new Map<Coding, Promise<CodedContent>>();
  const make = async (coding: Coding): Promise<CodedContent> => {
    const coded = coding === 'identity' ? content : await compressContent(coding, content);
    return coded.length < content.length
      ? { ...fixedContent(contentType, coded), coding }
      : { ...fixedContent(contentType, content), coding: 'identity' };
  };
  const isText = contentType.includes('charset');
  return {
    isImmutable: HASHED.test(path),
    in: (requested) => {
      const coding = isText ? requested : 'identity';
      const content = made.get(coding) ?? make(coding);
      made.set(coding, content);
      return content;
    },
  };
}

function compressContent(coding: (typeof CODINGS)[number], content: Buffer): Promise<Buffer> {
  return coding === 'gzip'
    ? compress.gzip(content, { level: 9 })
    : compress.br(content, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
          [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
        },
      });
}

/**
 * @param accepted the header `Accept-Encoding` (RFC 9110 §12.5.3)
 * @returns the preferred coding that it names with a weight above 0
 */
export function chosenCoding(accepted = ''): Coding {
  const named = new Map(
    accepted
      .toLowerCase()
      .split(',')
      .map((one) => {
        const [name = '', weight = 'q=1'] = one.split(';').map((part) => part.trim());
        return [name, Number(/^q=([\d.]+)$/.exec(weight)?.[1] ?? 0)] as const;
      }),
  );
  return CODINGS.find((coding) => (named.get(coding) ?? 0) > 0) ?? 'identity';
}
