#!/usr/bin/env node
import { runProgram } from './program.js';

await runProgram({
  source: new URL('../src/main.ts', import.meta.url),
  build: new URL('../dist/main.js', import.meta.url),
});
