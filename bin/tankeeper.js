#!/usr/bin/env node
// Runs the sources where they are (a checkout), else the build (the image, a packed module).
import { existsSync } from 'node:fs';

const source = new URL('../src/main.ts', import.meta.url);
const build = new URL('../dist/main.js', import.meta.url);

if (existsSync(source)) {
  const { register } = await import('tsx/esm/api').catch(() => {
    console.error('tankeeper: the development dependencies are missing. Run `npm ci` first.');
    process.exit(1);
  });
  register();
  await import(source.href);
} else if (existsSync(build)) {
  await import(build.href);
} else {
  console.error('tankeeper: neither src/ nor dist/ is here. Run `npm run build`.');
  process.exit(1);
}
