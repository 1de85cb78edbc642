import base from './jest.config.js';

/** The tests of `npm run check`: all that start no process of their own.
 * @type {import('jest').Config} */
export default {
  ...base,
  testPathIgnorePatterns: [
    ...base.testPathIgnorePatterns,
    ...[
      'app',
      'browser',
      'cli',
      'compose',
      'embedded-postgres',
      'portal',
      'resolvers/sources/ldap',
      'resolvers/sources/sql',
    ].map((folder) => `<rootDir>/tests/${folder}/`),
  ],
};
