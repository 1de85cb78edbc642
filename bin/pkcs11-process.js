// Not a command: src/security/pkcs11/pkcs11-module.ts starts it.
import { runProgram } from './program.js';

await runProgram('security/pkcs11/pkcs11-process');
