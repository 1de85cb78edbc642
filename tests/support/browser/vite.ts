import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readFolder } from './file-site.ts';

const execute = promisify(execFile);

/**
 * Bundles a module for browsers, with everything that it imports.
 * @param entry the path of a TypeScript module
 * @returns the text of one ES module with the exports of the entry
 */
export async function bundleForBrowser(entry: string): Promise<string> {
  const files = await runVite('tests/support/browser/bundle.config.ts', { BUNDLE_ENTRY: entry });
  return String(files.get('bundle.js'));
}

/** Builds the app of the checkout as `npm run app:build` does. @returns its files by their path */
export function buildApp(): Promise<Map<string, Buffer>> {
  return runVite('app/vite.config.ts', {});
}

/** Builds the console of the checkout as `npm run build` does. @returns its files by their path */
export function buildConsole(): Promise<Map<string, Buffer>> {
  return runVite('console/vite.config.ts', {});
}

/** Builds the component for portals. @returns the text of its one file */
export async function buildComponent(): Promise<string> {
  const files = await runVite('app/component/vite.config.ts', {});
  return String(files.get('tankeeper-challenge.js'));
}

/** Runs in a process of its own: Vite's native parts refuse the objects of Jest's realm. */
async function runVite(config: string, environment: Record<string, string>): Promise<Map<string, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'tankeeper-vite-'));
  try {
    await execute(
      process.execPath,
      [
        'node_modules/vite/bin/vite.js',
        'build',
        '--config',
        config,
        '--outDir',
        folder,
        '--logLevel',
        'warn',
      ],
      { env: { ...process.env, ...environment, NODE_ENV: 'production', NODE_OPTIONS: '' } },
    );
    return await readFolder(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
