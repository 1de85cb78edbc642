// Not a command: src/keys/wrapped-keys.ts starts it.
import { runProgram } from './program.js';

await runProgram({
  source: new URL('../src/keys/pkcs11-process.ts', import.meta.url),
  build: new URL('../dist/pkcs11-process.js', import.meta.url),
});
