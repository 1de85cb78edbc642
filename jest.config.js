/** @type {import('jest').Config} */
export default {
  roots: ['<rootDir>/tests'],
  testMatch: ['**/*.test.ts'],
  // The long ones: `npm run test:campaigns`.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/tests/campaigns/'],
  testRunner: '<rootDir>/tests/support/environment/test-runner.js',
  // tsx compiles what is loaded.
  transform: {},
  injectGlobals: false,
  globalSetup: '<rootDir>/tests/support/database/global-setup.ts',
  globalTeardown: '<rootDir>/tests/support/database/global-teardown.ts',
  // A busy machine may take ten times as long as a quiet one.
  testTimeout: 120_000,
  // More than the two cores of CI: many tests wait for servers that they have started.
  maxWorkers: 3,
  // Modules are never unloaded: a worker keeps what its test files hold.
  workerIdleMemoryLimit: '600MB',
};
