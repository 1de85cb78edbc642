import { join } from 'node:path';
import { defineConfig } from 'vite';

/** The build of the console: static files that the server serves at /console, at any path of a proxy. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: ['chrome111', 'firefox115', 'safari16.4'],
    // Data URLs and inline scripts are against the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: join(import.meta.dirname, 'index.html'),
      // Components of libraries name the side on which servers render them; there is none here.
      checks: { moduleLevelDirective: false },
    },
  },
});
