import base from './jest.config.js';

/** The campaigns: long runs against models, kills, races and hostile requests.
 * @type {import('jest').Config} */
export default {
  ...base,
  roots: ['<rootDir>/tests/campaigns'],
  // Most start programs of their own.
  testTimeout: 600_000,
  testPathIgnorePatterns: ['/node_modules/'],
};
