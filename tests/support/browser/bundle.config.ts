import { defineConfig } from 'vite';

/** One ES module of a test's entry (BUNDLE_ENTRY), for browsers. */
export default defineConfig({
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    minify: false,
    lib: { entry: process.env.BUNDLE_ENTRY ?? '', formats: ['es'], fileName: () => 'bundle.js' },
    rolldownOptions: { output: { codeSplitting: false } },
  },
});
