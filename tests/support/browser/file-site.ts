import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, relative } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { describeWithProgram } from '../servers/system-programs.ts';
import { findChromium, startChromium } from './chromium.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

/** A static web host on a loopback address, which browsers take for a secure context. */
export interface FileSite extends AsyncDisposable {
  readonly origin: string;
  /** The files by path without the leading slash. A test may change them. */
  readonly files: Map<string, string | Buffer>;
}

/** Serves the files. `''` is the page of the root. */
export async function serveFiles(files: ReadonlyMap<string, string | Buffer>): Promise<FileSite> {
  const served = new Map(files);
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname.slice(1);
    const name = path === '' || path.endsWith('/') ? `${path}index.html` : path;
    const content = served.get(name);
    response.writeHead(content === undefined ? 404 : 200, {
      'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream',
      'Cache-Control': 'no-cache',
    });
    response.end(content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    files: served,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** @returns the files below a folder, by their path in it with slashes */
export async function readFolder(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(files.map(async (file) => [relative(folder, file), await readFile(file)] as const)),
  );
}

/** Tests in Chromium on a host of files. */
export function describeSite(
  title: string,
  serve: () => Promise<FileSite>,
  tests: (given: { readonly browser: Browser; readonly site: FileSite }) => void,
): void {
  describeWithProgram(title, findChromium(), 'chromium', (program) => {
    let browser: Browser;
    let site: FileSite;
    beforeAll(async () => {
      [browser, site] = await Promise.all([startChromium(program), serve()]);
    });
    afterAll(async () => {
      await browser.close();
      await site[Symbol.asyncDispose]();
    });
    tests({
      get browser() {
        return browser;
      },
      get site() {
        return site;
      },
    });
  });
}
