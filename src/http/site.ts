import { ServiceError } from '../kernel/errors.ts';
import { type Reply, send, tagOf } from './reply.ts';
import type { Guards } from './limits/guards.ts';
import type { ExchangeHandler, ExchangeRequest, ExchangeResponse } from './request/exchange.ts';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

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

const FOR_EVER = 'public, max-age=31536000, immutable';
/** Names that Vite gives to a file by its content: another content has another name. */
const HASHED = /^assets\/.*-[\w-]{8,}\.\w+$/;
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
  return (request, response, next) => {
    const { path, method } = request;
    const { exchange } = response.locals;
    // The path as it was sent: the names of the files need no decoding, and no other path leads to one.
    const file = path.startsWith(`${sitePath}/`) ? fileAt(files, path.slice(sitePath.length + 1)) : undefined;
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
    if (method === 'OPTIONS') {
      send(response, { status: 204, headers: { Allow: METHODS.join(', ') } });
    } else if (file === undefined) {
      send(response, toFolder);
    } else {
      sendSiteFile(request, response, files, file, pageHeaders);
    }
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

/** The content codings that the build makes (RFC 9110 §8.4.1), the smallest first, each with its ending. */
const CODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Sends a file in the smallest coding that the client accepts and the build has made. */
function sendSiteFile(
  request: ExchangeRequest,
  response: ExchangeResponse,
  { folder, tags }: SiteFiles,
  file: string,
  pageHeaders: Readonly<Record<string, string>>,
): void {
  const [coding, ending] = CODINGS.find(
    ([name, end]) => tags.has(file + end) && request.acceptsEncodings(name) === name,
  ) ?? ['', ''];
  const sent = file + ending;
  response.type(extname(file)).set({
    ...pageHeaders,
    ETag: tags.get(sent),
    'Cache-Control': HASHED.test(file) ? FOR_EVER : 'no-cache',
    ...(coding !== '' && { 'Content-Encoding': coding }),
  });
  response.sendFile(sent, { root: folder, acceptRanges: false, cacheControl: false, lastModified: false });
}

/** The files of a built site. */
export interface SiteFiles {
  readonly folder: string;
  /** The entity tag of each file, by its path below the folder. */
  readonly tags: ReadonlyMap<string, string>;
}

/** @returns the file at a path; a page also without `.html`, `index.html` as the empty path */
function fileAt({ tags }: SiteFiles, path: string): string | undefined {
  return [path, `${path || 'index'}.html`].find((name) => tags.has(name));
}

/**
 * @returns the folder of a built site: beside the built program, where scripts/build.js puts it; in development that of
 *   the last build. Undefined: it has not been built
 */
export function builtSite(name: 'app' | 'console'): string | undefined {
  return [`../${name}/`, `../../dist/${name}/`]
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((folder) => existsSync(join(folder, 'index.html')));
}

/** Looks for all files of the folder. What comes later is not seen until the next start. */
export async function readSiteFiles(folder: string): Promise<SiteFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const tags = await Promise.all(
    names.map(async (name) => {
      const path = relative(folder, name).split(sep).join('/');
      return [path, tagOf(await readFile(name))] as const;
    }),
  );
  return { folder, tags: new Map(tags) };
}
