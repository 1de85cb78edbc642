// Not a command: src/security/pkcs11/pkcs11-module.ts starts it. Runs the sources where they are, else the build.
import { existsSync } from 'node:fs';

const source = new URL('../src/security/pkcs11/pkcs11-process.ts', import.meta.url);
const build = new URL('../dist/security/pkcs11/pkcs11-process.js', import.meta.url);

if (existsSync(source)) {
  const { register } = await import('tsx/esm/api');
  register();
  await import(source.href);
} else {
  await import(build.href);
}
