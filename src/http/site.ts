import { ServiceError } from '../kernel/errors.ts';
import { conditionalReply, type Reply, send, type FixedContent, fixedContent } from './reply.ts';
import type { Guards } from './limits/guards.ts';
import type { ExchangeHandler, ExchangeRequest } from './request/exchange.ts';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Static pages below one path. */
export interface Site {
  /** Without a slash at its end: in logs and metrics the path of all files. */
  readonly path: `/${string}`;
  /** The value of `Content-Security-Policy`. */
  readonly policy: string;
  /** The value of `Permissions-Policy`. */
  readonly permissions: string;
  /** True if its pages are named after `#`: a path below that of the site leads to the page of that name. */
  readonly hasNamedPages: boolean;
}

/**
 * The QR-TAN app. It may load its own files, and send requests to the services that its QR codes name, by https or on
 * this device. The `<meta>` of app/index.html says the same, for other hosts, but for the frames, which it cannot.
 */
export const APP_SITE: Site = {
  path: '/app',
  policy: [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self' https: http://localhost:* http://127.0.0.1:*",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  permissions: 'camera=(self), geolocation=(), microphone=(), payment=(), usb=()',
  hasNamedPages: false,
};

/** The console of administrators. It may load its own files, and send requests to this server alone. */
export const CONSOLE_SITE: Site = {
  path: '/console',
  policy: [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  permissions:
    'camera=(), geolocation=(), microphone=(), payment=(), usb=(), publickey-credentials-get=(self), publickey-credentials-create=(self)',
  hasNamedPages: true,
};

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

const FOR_EVER = 'public, max-age=31536000, immutable';
const METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** @returns the handler of the site's path and all files below it; it leaves other paths to the next handler */
export function serveSite(
  { path: sitePath, policy, permissions, hasNamedPages }: Site,
  files: SiteFiles,
  { requests }: Pick<Guards, 'requests'>,
): ExchangeHandler {
  const pageHeaders = {
    'Content-Security-Policy': policy,
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Permissions-Policy': permissions,
    Vary: 'Accept-Encoding',
  };
  // Relative, as a proxy may serve it below another path.
  const toFolder: Reply = {
    status: 308,
    headers: { Location: `${sitePath.slice(1)}/`, 'Cache-Control': 'no-cache' },
  };
  return async (request, response, next) => {
    const { path, method, headers } = request;
    const { exchange } = response.locals;
    // The path as it was sent: the names of the files need no decoding, and no other path leads to one.
    const file = path.startsWith(`${sitePath}/`) ? files.get(path.slice(sitePath.length + 1)) : undefined;
    const page = file === undefined ? pageBelow(request, sitePath, hasNamedPages) : undefined;
    if (path !== sitePath && file === undefined && page === undefined) {
      next();
      return;
    }
    exchange.context = { ...exchange.context, path: sitePath };
    requests.admit(exchange.limitedAs);
    if (!METHODS.includes(method)) {
      response.setHeader('Allow', METHODS.join(', '));
      throw new ServiceError('method.not-allowed', `The method ${method} is not allowed here`);
    }
    if (page !== undefined) {
      send(response, toPage(exchange.prefix, page));
      return;
    }
    // It would contradict Cache-Control.
    response.removeHeader('Pragma');
    send(
      response,
      method === 'OPTIONS'
        ? { status: 204, headers: { Allow: METHODS.join(', ') } }
        : file === undefined
          ? toFolder
          : await fileReply(file, headers['accept-encoding'], headers['if-none-match'], pageHeaders),
    );
  };
}

/** @returns the handler that redirects browsers from `/` to the site */
export function serveRoot(
  { path: sitePath }: Pick<Site, 'path'>,
  { requests }: Pick<Guards, 'requests'>,
): ExchangeHandler {
  return (request, response, next) => {
    if (request.path !== '/' || !isOpened(request)) {
      next();
      return;
    }
    const { exchange } = response.locals;
    exchange.context = { ...exchange.context, path: sitePath };
    requests.admit(exchange.limitedAs);
    send(response, toPage(exchange.prefix, { relative: `${sitePath.slice(1)}/`, absolute: `${sitePath}/` }));
  };
}

/** True for a request of a person who opens the address in a browser: programs that take anything get JSON. */
function isOpened(request: ExchangeRequest): boolean {
  return ['GET', 'HEAD'].includes(request.method) && request.accepts(['json', 'html']) === 'html';
}

/** The address of a page: relative, and below the root. */
interface PagePlace {
  readonly relative: string;
  readonly absolute: string;
}

/** @returns the place of the page that a path without a file stands for; undefined: nobody opens it in a browser */
function pageBelow(request: ExchangeRequest, sitePath: string, isNamed: boolean): PagePlace | undefined {
  const below = request.path.slice(sitePath.length);
  if (!request.path.startsWith(`${sitePath}/`) || !isOpened(request)) {
    return undefined;
  }
  // Without a fragment here, browsers keep that of the address that was opened.
  const fragment = isNamed ? `#${below.replace(/\/$/, '')}` : '';
  const up = '../'.repeat(below.split('/').length - 2);
  return { relative: `${up || './'}${fragment}`, absolute: `${sitePath}/${fragment}` };
}

/** @param prefix the path below which a proxy shows this server; empty: the root, or one that is not known */
function toPage(prefix: string, { relative, absolute }: PagePlace): Reply {
  const place = prefix === '' ? relative : `${prefix}${absolute}`;
  return { status: 302, headers: { Location: place, Vary: 'Accept' } };
}

async function fileReply(
  file: SiteFile,
  accepted: string | undefined,
  ifNoneMatch: string | undefined,
  pageHeaders: Readonly<Record<string, string>>,
): Promise<Reply> {
  const { coding, ...content } = await file.in(chosenCoding(accepted));
  const reply = conditionalReply(content, ifNoneMatch);
  return {
    ...reply,
    headers: {
      ...reply.headers,
      ...pageHeaders,
      ...(file.isImmutable && { 'Cache-Control': FOR_EVER }),
      ...(coding !== 'identity' && reply.status === 200 && { 'Content-Encoding': coding }),
    },
  };
}

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
interface SiteFile {
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
  return [`../${name}/`, `../../dist/${name}/`]
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
