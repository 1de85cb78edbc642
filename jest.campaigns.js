import base from './jest.config.js';

/** The campaigns against models, kills, races, hostile requests and in browsers: in a short form, or with CAMPAIGN=long.
 * @type {import('jest').Config} */
export default {
  ...base,
  roots: ['<rootDir>/tests/campaigns'],
  globalSetup: '<rootDir>/tests/support/browser/shared-chromium.ts',
  // Most start programs of their own.
  testTimeout: 600_000,
  testPathIgnorePatterns: ['/node_modules/'],
};
