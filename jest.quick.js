import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import base from './jest.config.js';

const TESTS = join(import.meta.dirname, 'tests');
const NEEDS_SERVICES = /support\/(application|browser|database|servers)\//;

const quick = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.test.ts') && !NEEDS_SERVICES.test(readFileSync(join(TESTS, file), 'utf8')),
);

/** The tests of `npm run check`: all that need no database, server or browser.
 * @type {import('jest').Config} */
export default { ...base, testMatch: quick.map((file) => `<rootDir>/tests/${file}`) };
