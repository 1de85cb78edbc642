import { join } from 'node:path';
import { defineConfig } from 'vite';

/** @returns the modules that are loaded with the pages of these areas; their list is loaded with the navigation */
function pagesOf(...areas: readonly string[]): RegExp {
  return new RegExp(`console[\\\\/]src[\\\\/](?:${areas.join('|')})[\\\\/](?!pages\\.ts)`);
}

/** The build of the console: static files that the server serves at /console, at any path of a proxy. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  resolve: {
    alias: [
      { find: /^react$/, replacement: join(import.meta.dirname, 'preact-as-react.js') },
      { find: /^react-dom$/, replacement: 'preact/compat' },
      { find: /^react(?:-dom)?(\/(?:client|jsx-runtime))$/, replacement: 'preact/compat$1' },
    ],
  },
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
      output: {
        // Fewer files compress better: what most pages use, the pages of daily work, and those of the installation.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: 'libraries', test: /preact-as-react|node_modules[\\/](?!uplot|@noble|@scure|qr[\\/])/ },
            { name: 'helpdesk', test: pagesOf('helpdesk', 'audit') },
            {
              name: 'installation',
              test: pagesOf(
                'realms',
                'resolvers',
                'keys',
                'licence',
                'webhooks',
                'settings',
                'policies',
                'consequences',
                'account',
                'administrators',
              ),
            },
          ],
        },
      },
    },
  },
});
