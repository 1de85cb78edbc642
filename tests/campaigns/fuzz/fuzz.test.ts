import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FuzzCampaign } from './fuzz-campaign.ts';
import { campaignSeed, shortOrLong } from '../../support/campaign.ts';
import { FuzzServer } from './fuzz-server.ts';

const REQUESTS = shortOrLong(2_000, 15_000);
/** A failure names it, for CAMPAIGN_SEED. */
const SEED = campaignSeed(20_261_122);
/** The part of requests after which the memory of a server at work is measured first. */
const WARM_UP = 0.25;
const GROWTH = 50 * 1024 * 1024;

const NO_LIMITS = { LIMIT_LOGIN_FAILURES: '10000' };
const LIMITS = {
  LIMIT_EXEMPT: 'none',
  LIMIT_CLIENT_FAILURES: '20',
  LIMIT_REQUESTS_AT_ONCE: '4',
  LIMIT_LOGIN_FAILURES: '20',
  TRUST_PROXY: 'loopback',
};
const VARIANTS = [
  { title: 'the dialect documented', dialect: 'documented', share: 0.45, limited: false },
  { title: 'the dialect linotp', dialect: 'linotp', share: 0.45, limited: false },
  { title: 'limits', dialect: 'documented', share: 0.1, limited: true },
] as const;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-fuzz-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe.each(VARIANTS)('hostile requests to a server with $title', ({ title, dialect, share, limited }) => {
  let server: FuzzServer;
  let campaign: FuzzCampaign;

  beforeAll(async () => {
    server = await FuzzServer.start(join(folder, title.replaceAll(' ', '-')), {
      WIRE_DIALECT: dialect,
      ...(limited ? LIMITS : NO_LIMITS),
    });
    const seed = SEED + VARIANTS.findIndex((variant) => variant.title === title) * 1_000_000;
    campaign = new FuzzCampaign(server, dialect, { refusals: limited, seed });
  });

  afterAll(() => server.stop());

  it('begin where the endpoints do their work', async () => {
    expect(await campaign.open()).toEqual([]);
  });

  it(
    'are answered each, without a fault, a leak of what is inside, or memory that stays taken',
    async () => {
      const requests = Math.ceil(REQUESTS * share);
      const warmUp = Math.ceil(requests * WARM_UP);
      await campaign.send(warmUp);
      const before = await server.memory();
      await campaign.send(requests - warmUp);
      const after = await server.memory();
      expect(after.rss - before.rss).toBeLessThan(GROWTH);
      expect(after.heapUsed - before.heapUsed).toBeLessThan(GROWTH);
    },
    60_000 + REQUESTS * 200,
  );

  it('leave a server that stops in peace', async () => {
    expect(await server.stop()).toBe(0);
    expect(server.incident()).toBeUndefined();
  });
});
