import base from '../jest.config.js';

/** The tests of planted faults: the database is there already. @type {import('jest').Config} */
export default { ...base, rootDir: '..', globalSetup: undefined, globalTeardown: undefined };
