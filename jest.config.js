/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/tests/support/environment/ordinary-globals.js',
  roots: ['<rootDir>/tests'],
  testMatch: ['**/*.test.ts'],
  // The long ones: `npm run test:campaigns`.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/tests/campaigns/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
        module: { type: 'es6' },
      },
    ],
  },
  globalSetup: '<rootDir>/tests/support/database/global-setup.ts',
  globalTeardown: '<rootDir>/tests/support/database/global-teardown.ts',
  // A busy machine may take ten times as long as a quiet one.
  testTimeout: 120_000,
  // More than the two cores of CI: many tests wait for servers that they have started.
  maxWorkers: 3,
  // The modules of each file stay in memory (jest's ESM mode). With gigabytes of them, a file of 1 s took 68 s.
  workerIdleMemoryLimit: '600MB',
};
