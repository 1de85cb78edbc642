import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { publishResults } from '../../../bench/result-page.ts';
import { campaignSeed, shortOrLong } from '../../support/campaign.ts';
import { DurablePostgres } from '../once-only/durable-postgres.ts';
import { ServerFleet } from '../once-only/server-fleet.ts';
import { runTankeeper, startServerProcess } from '../../support/servers/server-process.ts';
import { isSignedWith, type Reaction, WebhookReceiver } from '../../support/servers/webhook-receiver.ts';
import { isAcceptance } from '../once-only/checker.ts';
import { HistoryClient } from '../once-only/client.ts';
import { runLoad } from '../once-only/load.ts';

/** Seconds of load and kills. */
const SECONDS = shortOrLong(8, 60);
const SEED = campaignSeed(25);
const LIMIT_MS = (SECONDS * 4 + 600) * 1_000;
/** Fewer would show nothing. */
const MIN_ACCEPTED = 10;
const PASSWORD = 'correct horse battery staple';
/** The behaviours of the receiver in turn: most requests are taken, some of them without an answer. */
const REACTIONS: readonly Reaction[] = [200, 200, 204, 'cut off', 200, 500, 200, 200, 'hang', 200];

let folder: string;
let postgres: DurablePostgres;
let environment: Readonly<Record<string, string>>;
let fleet: ServerFleet;
let client: HistoryClient;
let receiver: WebhookReceiver;
let healthy: WebhookReceiver;
const secrets = new Map<string, string>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-webhooks-'));
  postgres = await DurablePostgres.start(folder);
  [receiver, healthy] = await Promise.all([WebhookReceiver.start(), WebhookReceiver.start()]);
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, PASSWORD, { mode: 0o600 });
  environment = {
    DATABASE_URL: postgres.url,
    DATA_DIR: join(folder, 'server'),
    ADMIN_PASSWORD_FILE: passwordFile,
  };
  // Creates the installation. The servers of the load know the receivers from their start.
  const start = () => startServerProcess(environment);
  expect(await (await ServerFleet.start([start])).stop()).toEqual([0]);
  for (const [name, { url }] of [
    ['moody', receiver],
    ['healthy', healthy],
  ] as const) {
    const added = await command('add', name, url);
    secrets.set(name, (JSON.parse(added) as { secret: string }).secret);
  }
  fleet = await ServerFleet.start([start, start, start]);
  client = await HistoryClient.open(fleet.servers[0]?.baseUrl ?? '', PASSWORD);
});

afterAll(async () => {
  const codes = await fleet.stop();
  await postgres.stop();
  await Promise.all([receiver.stop(), healthy.stop()]);
  rmSync(folder, { recursive: true });
  expect(codes).toEqual([0, 0, 0]);
});

async function command(...words: readonly string[]): Promise<string> {
  const { code, output } = await runTankeeper(['webhook', ...words, '--json'], environment);
  if (code !== 0) {
    throw new Error(output);
  }
  return output.slice(output.search(/^[[{]\n/m));
}

/**
 * Kills servers, the database's postmaster and its backends in turn, until the time is over and enough was done in it.
 * @returns the number of kills
 */
async function killUntil(deadline: number, isEnough: () => boolean): Promise<number> {
  let kills = 0;
  for (let turn = 0; performance.now() < deadline || !isEnough(); turn += 1) {
    await sleep(700);
    // The first server is never killed.
    const killed =
      turn % 4 === 3
        ? await postgres.kill(turn % 8 === 3 ? 'postmaster' : 'backend')
        : await fleet.kill(1 + (turn % 2));
    kills += killed === undefined ? 0 : 1;
  }
  await fleet.settled();
  return kills;
}

/** Makes deliveries due that wait for the end of a pause or a claim, until all have arrived. */
async function drained(): Promise<void> {
  for (;;) {
    const found = JSON.parse(await command('list')) as { waiting: number; given_up: number }[];
    expect(found.map(({ given_up: givenUp }) => givenUp)).toEqual([0, 0]);
    if (found.every(({ waiting }) => waiting === 0)) {
      return;
    }
    await command('retry', 'moody');
    await command('retry', 'healthy');
    await sleep(500);
  }
}

it(
  'brings each committed act to each receiver, under one id, through kill -9 of servers and database',
  async () => {
    receiver.next.push(...Array.from({ length: 500 }, () => REACTIONS).flat());
    const ending = new AbortController();
    const load = { client, servers: fleet.urls, prefix: 'HOOK', portals: 8, seed: SEED, pause: 5 };
    const running = runLoad(load, ending.signal);
    const kills = await killUntil(
      performance.now() + SECONDS * 1_000,
      () => client.records.filter(isAcceptance).length > MIN_ACCEPTED,
    );
    ending.abort();
    await running;
    receiver.next.length = 0;
    await drained();

    const acts = await postgres.ask<{ transaction: string; outcome: string }>(
      `SELECT transaction_id AS transaction, outcome FROM audit
       WHERE action = 'ocra/check_t' AND outcome = ANY ($1) ORDER BY id`,
      [['accepted', 'wrong', 'exhausted', 'locked', 'closed', 'dropped', 'expired', 'disabled']],
    );
    const accepted = acts
      .filter(({ outcome }) => outcome === 'accepted')
      .map(({ transaction }) => transaction);
    expect(accepted.length).toBeGreaterThan(MIN_ACCEPTED);
    const told = client.records
      .filter(isAcceptance)
      .map(({ args }) => ('transaction' in args ? (args.transaction ?? '') : ''));
    expect(told.filter((transaction) => !accepted.includes(transaction))).toEqual([]);
    for (const [name, { received }] of [
      ['moody', receiver],
      ['healthy', healthy],
    ] as const) {
      expect(received.filter((got) => !isSignedWith(secrets.get(name) ?? '', got))).toEqual([]);
      const byId = new Map(received.map((got) => [got.id, got]));
      const events = [...byId.values()].map(({ event }) => event);
      const responses = events.filter(({ type }) => type.startsWith('response.'));
      // One id for each act, at least one delivery of each, and none of an act that was not committed.
      const of = (type: string): readonly unknown[] =>
        responses.filter((event) => event.type === type).map(({ data }) => data.transaction_id);
      expect(of('response.accepted').toSorted()).toEqual(accepted.toSorted());
      expect(of('response.refused')).toHaveLength(acts.length - accepted.length);
    }
    const repeated = ({ ids }: WebhookReceiver): number => ids.length - new Set(ids).size;
    expect(repeated(receiver)).toBeGreaterThan(0);
    await publishResults({
      name: 'webhooks',
      title: 'Webhooks',
      command: 'CAMPAIGN=long npm run test:campaigns -- tests/campaigns/webhooks/webhooks.test.ts',
      measures:
        '`kill -9` of servers, backends and postmaster under load, with a receiver that fails, hangs and cuts off: [Faults](../faults.md#webhooks).',
      sections: [
        {
          head: ['measured', 'result'],
          rows: [
            ['seconds of load', SECONDS],
            ['kills', kills],
            ['committed responses', acts.length],
            ['of these accepted', accepted.length],
            ['requests to the receiver that fails', receiver.ids.length],
            ['of these repeated', repeated(receiver)],
            ['requests to the healthy receiver', healthy.ids.length],
            ['of these repeated', repeated(healthy)],
            ['responses without an event, or with two', 0],
          ],
        },
      ],
    });
  },
  LIMIT_MS,
);
