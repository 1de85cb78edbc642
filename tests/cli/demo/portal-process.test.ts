import { expect, it } from '@jest/globals';
import { startPortal } from '../../../src/cli/demo/portal.ts';

/** The portal ends at once, as it ends by Ctrl-C during its start. */
const INCOMPLETE = {};

it('tells why the portal does not start', async () => {
  await expect(startPortal(INCOMPLETE, 20_000, new AbortController().signal)).rejects.toThrow(
    'the portal did not start:\nportal: TANKEEPER_URL is missing',
  );
});

it('gives up a start that its user ends, without a complaint', async () => {
  const reason = new Error('Ctrl-C');
  await expect(startPortal(INCOMPLETE, 20_000, AbortSignal.abort(reason))).rejects.toBe(reason);
});
