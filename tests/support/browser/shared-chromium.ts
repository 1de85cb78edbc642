import { chromium } from 'playwright-core';

import setUpDatabase from '../database/global-setup.ts';
import { leaveForTeardown } from '../database/global-teardown.ts';
import { findSystemProgram } from '../servers/program-paths.ts';
import { CHROMIUM_ARGUMENTS, findChromium, SHARED_CHROMIUM } from './chromium.ts';

/** The set-up of the campaigns: that of all tests, and one Chromium that every page without a profile of its own is opened in. */
export default async function setUp(): Promise<void> {
  await setUpDatabase();
  const program = findChromium();
  if (program === undefined) {
    return;
  }
  const server = await chromium.launchServer({
    // Without windows of its own a new context costs a fifth.
    executablePath: findSystemProgram('chromium-headless-shell') ?? program,
    args: CHROMIUM_ARGUMENTS,
    headless: true,
  });
  process.env[SHARED_CHROMIUM] = server.wsEndpoint();
  leaveForTeardown(() => server.close());
}
