/**
 * `npm run dev`: the server on the embedded database in data/dev, anew after each change of a file that it has loaded, and
 * console and app with hot reload. Vite hands their requests to the server.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer, type ViteDevServer } from 'vite';

const ROOT = join(import.meta.dirname, '..');
const DATA = join(ROOT, 'data/dev');
const PASSWORD_FILE = join(DATA, 'admin-password');
const PORT = process.env.PORT ?? '8080';
const CONSOLE_PORT = process.env.CONSOLE_PORT ?? '5173';
const APP_PORT = process.env.APP_PORT ?? '5174';
const SERVER = `http://127.0.0.1:${PORT}`;

function adminPassword(): string {
  if (!existsSync(PASSWORD_FILE)) {
    mkdirSync(DATA, { recursive: true, mode: 0o700 });
    writeFileSync(PASSWORD_FILE, randomBytes(12).toString('base64url'), { mode: 0o600 });
  }
  return readFileSync(PASSWORD_FILE, 'utf8');
}

/** @param own the requests of the page that are for the server */
async function startPages(name: 'app' | 'console', port: string, own: string): Promise<ViteDevServer> {
  const pages = await createServer({
    configFile: join(ROOT, name, 'vite.config.ts'),
    base: `/${name}/`,
    // One for both would be thrown away by each in turn.
    cacheDir: join(ROOT, `node_modules/.vite/${name}`),
    server: { host: '127.0.0.1', port: Number(port), strictPort: true, proxy: { [own]: SERVER } },
    plugins: [
      {
        name: 'styles-of-vite',
        // Vite puts styles into the page, which the app's policy forbids.
        transformIndexHtml: (html) => html.replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, ''),
      },
    ],
    logLevel: 'warn',
  });
  return pages.listen();
}

const password = adminPassword();
const pages = await Promise.all([
  startPages('console', CONSOLE_PORT, '^/(?!console/(?!api/))'),
  startPages('app', APP_PORT, '^/(?!app/)'),
]);
process.stdout.write(`
  server   ${SERVER}/
  console  http://127.0.0.1:${CONSOLE_PORT}/console/   user admin, password ${password}
  app      http://127.0.0.1:${APP_PORT}/app/
  SQL      DATA_DIR=data/dev npm run sql
`);
const server = spawn(process.execPath, ['--watch', '--import', 'tsx', 'src/main.ts', 'serve'], {
  cwd: ROOT,
  stdio: 'inherit',
  env: {
    LOG_FORMAT: 'text',
    // Each change of a file ends the server by SIGTERM.
    DRAIN_TIME: '0',
    ...process.env,
    PORT,
    DATA_DIR: DATA,
    ADMIN_PASSWORD_FILE: PASSWORD_FILE,
  },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => server.kill(signal));
}
const [code] = (await once(server, 'exit')) as [number | null];
await Promise.all(pages.map((page) => page.close()));
process.exitCode = code ?? 0;
