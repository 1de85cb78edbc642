import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vite';
import { serviceWorkerFiles } from './service-worker-plugin.ts';

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
  version: string;
};

/** The build of the app: static files that any host may serve, at any path. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  define: { __APP_VERSION__: JSON.stringify(version) },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [serviceWorkerFiles(join(import.meta.dirname, 'public'))],
  worker: { format: 'es' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: ['chrome111', 'firefox115', 'safari16.4'],
    // Data URLs and inline scripts are against the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: {
        index: join(import.meta.dirname, 'index.html'),
        account: join(import.meta.dirname, 'account.html'),
        'service-worker': join(import.meta.dirname, 'src/service-worker/service-worker.ts'),
      },
      output: {
        // Its address stays, as browsers look for new versions there.
        entryFileNames: ({ name }) =>
          name === 'service-worker' ? 'service-worker.js' : 'assets/[name]-[hash].js',
      },
    },
  },
});
