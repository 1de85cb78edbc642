import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { testProgram } from '../servers/test-build.ts';
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

/** @returns the files of the app as this run's build made them, by their path; without those of the component */
export async function builtApp(): Promise<Map<string, Buffer>> {
  const files = await readFolder(builtFolder('app'));
  return new Map([...files].filter(([path]) => !/^component\/|\.(?:br|gz)$/.test(path)));
}

/** @returns the folder of a site of this run's build */
export function builtFolder(name: 'app' | 'console'): string {
  return join(dirname(testProgram()), name);
}

/** @returns the text of the one file of the component for portals */
export async function builtComponent(): Promise<string> {
  const files = await readFolder(join(dirname(testProgram()), 'app/component'));
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
