/*
 * Keeps the files of one build, so that the app starts without a network. Only these files are ever cached; every other
 * request goes its own way. A new version waits until its user agrees, or the app is started the next time.
 */

/** The part of ServiceWorkerGlobalScope that is used here: TypeScript's library for it excludes that of pages. */
interface ServiceWorkerScope {
  readonly registration: { readonly scope: string };
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: LifeEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<unknown>) => void): void;
}
interface LifeEvent {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

/** Put in by the build: paths relative to the scope, and the hash of their contents. */
declare const __APP_FILES__: readonly string[];
declare const __APP_HASH__: string;

const PREFIX = 'tankeeper-app-';
const CACHE = PREFIX + __APP_HASH__;
const PAGE = 'index.html';

const worker = self as unknown as ServiceWorkerScope;
const files = new Set(__APP_FILES__.map((path) => new URL(path, worker.registration.scope).href));

worker.addEventListener('install', (event) => {
  event.waitUntil(keepFiles());
});

worker.addEventListener('activate', (event) => {
  event.waitUntil(removeOldFiles().then(() => worker.clients.claim()));
});

worker.addEventListener('message', ({ data }) => {
  if (typeof data === 'object' && data !== null && 'type' in data && data.type === 'install') {
    void worker.skipWaiting();
  }
});

worker.addEventListener('fetch', (event) => {
  const file = fileOf(event.request);
  if (file !== undefined) {
    event.respondWith(answer(file));
  }
});

async function keepFiles(): Promise<void> {
  const cache = await caches.open(CACHE);
  // Past the browser's own cache, which may hold files of another build.
  await cache.addAll(
    [...files].map((url) => new Request(url, { cache: 'reload', credentials: 'same-origin' })),
  );
}

async function removeOldFiles(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(
    names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)),
  );
}

/** @returns the address of the file that answers the request; undefined if it is none of the app's */
function fileOf({ method, url }: Request): string | undefined {
  if (method !== 'GET') {
    return undefined;
  }
  const { origin, pathname } = new URL(url);
  const plain = origin + pathname;
  const file = plain === worker.registration.scope ? new URL(PAGE, plain).href : plain;
  return files.has(file) ? file : undefined;
}

async function answer(file: string): Promise<Response> {
  const cache = await caches.open(CACHE);
  return (await cache.match(file)) ?? fetch(file);
}
