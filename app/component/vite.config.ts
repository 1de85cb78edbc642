import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vite';

const FOLDER = import.meta.dirname;
const licence = readFileSync(join(FOLDER, 'LICENSE'), 'utf8').trimEnd().replaceAll('\n', '\n * ');

/** The build of the component: one ES module, which a portal may copy with the licence at its beginning. */
export default defineConfig({
  root: FOLDER,
  publicDir: false,
  build: {
    outDir: '../dist/component',
    emptyOutDir: true,
    target: ['chrome111', 'firefox114', 'safari16.4'],
    lib: {
      entry: join(FOLDER, 'tankeeper-challenge.ts'),
      formats: ['es'],
      fileName: () => 'tankeeper-challenge.js',
    },
    rolldownOptions: {
      output: {
        codeSplitting: false,
        banner: `/*!\n * SPDX-License-Identifier: MIT\n *\n * ${licence}\n */`,
      },
    },
  },
});
