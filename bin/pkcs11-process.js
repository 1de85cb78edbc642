// Not a command: src/security/pkcs11/pkcs11-module.ts starts it.
import { runProgram } from './program.js';

await runProgram({
  source: new URL('../src/security/pkcs11/pkcs11-process.ts', import.meta.url),
  build: new URL('../dist/security/pkcs11/pkcs11-process.js', import.meta.url),
});
