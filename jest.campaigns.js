import base from './jest.config.js';

/** The campaigns: programs and directories, models, kills, races, hostile requests, browsers. CAMPAIGN=long: the long form.
 * @type {import('jest').Config} */
export default {
  ...base,
  roots: ['<rootDir>/tests/campaigns'],
  globalSetup: '<rootDir>/tests/support/browser/shared-chromium.ts',
  // Most start programs of their own.
  testTimeout: 600_000,
  testPathIgnorePatterns: ['/node_modules/'],
};
