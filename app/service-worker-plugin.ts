import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const FILE_NAME = 'service-worker.js';

/**
 * Puts the list of the build's files, and the hash of their contents, into the service worker.
 * @param publicDir the folder whose files are copied as they are
 */
export function serviceWorkerFiles(publicDir: string): Plugin {
  return {
    name: 'service-worker-files',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const worker = bundle[FILE_NAME];
      if (worker?.type !== 'chunk') {
        throw new Error(`${FILE_NAME} is missing`);
      }
      const contents = new Map<string, string | Uint8Array>([
        ...Object.values(bundle).map(
          (file) => [file.fileName, file.type === 'chunk' ? file.code : file.source] as const,
        ),
        ...readdirSync(publicDir).map((name) => [name, readFileSync(join(publicDir, name))] as const),
      ]);
      const hash = createHash('sha256');
      const names = [...contents.keys()].filter((name) => name !== FILE_NAME).toSorted();
      for (const name of names) {
        hash.update(`${name}\n`).update(contents.get(name) ?? '');
      }
      hash.update(worker.code);
      worker.code = worker.code
        .replace('__APP_FILES__', JSON.stringify(names))
        .replace('__APP_HASH__', JSON.stringify(hash.digest('hex').slice(0, 16)));
    },
  };
}
