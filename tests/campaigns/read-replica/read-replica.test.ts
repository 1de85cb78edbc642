import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SqlCountReplica } from '../../../src/storage/counts/count-replica.ts';
import { openDatabase } from '../../../src/storage/database/database.ts';
import { DatabaseProxy } from '../../support/database/database-proxy.ts';
import {
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from '../../support/servers/replicated-postgres.ts';
import { ServerClient } from '../../support/servers/server-client.ts';
import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';
import { describeWithProgram, findPostgres } from '../../support/servers/system-programs.ts';
import { PATIENCE_MS } from '../../support/patience.ts';

const LAG = 'tankeeper-replica-lag';

/** The answer of /monitoring/tokens. */
interface Counted {
  readonly status: number;
  /** The number of tokens. */
  readonly total: number | undefined;
  /** The header; null: the counts are those of the primary. */
  readonly lag: string | null;
}

describeWithProgram('a read replica', findPostgres(), 'postgresql', (programs) => {
  let folder: string;
  let postgres: ReplicatedPostgres;
  let network: DatabaseProxy;
  let server: ServerProcess;
  let client: ServerClient;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tankeeper-read-replica-'));
    postgres = await startReplicatedPostgres(programs);
    network = await DatabaseProxy.start(postgres.replicaUrl);
    server = await startServerProcess({
      DATABASE_URL: postgres.primaryUrl,
      DATABASE_READ_URL: network.url,
      DATA_DIR: folder,
    });
    client = await ServerClient.open(server);
    await postgres.caughtUp();
  });

  afterAll(async () => {
    const { code } = await server.stop();
    await network.stop();
    await postgres.remove();
    rmSync(folder, { recursive: true });
    expect(code).toBe(0);
  });

  async function addToken(serial: string): Promise<void> {
    await client.post('/admin/init', {
      type: 'ocra',
      serial,
      genkey: '1',
      ocrasuite: 'OCRA-1:HOTP-SHA1-6:QN08',
    });
  }

  async function counted(): Promise<Counted> {
    const { status, body, headers } = await client.post('/monitoring/tokens', { realms: '*' });
    const value = body.result?.value as { readonly Summary: { readonly total: number } } | undefined;
    return { status, total: value?.Summary.total, lag: headers.get(LAG) };
  }

  /** Asks until this is the source of the counts: a busy server may leave the replica aside for a while. */
  async function countedFrom(source: 'replica' | 'primary'): Promise<Counted> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const answer = await counted();
      if ((answer.lag === null) === (source === 'primary')) {
        return answer;
      }
      if (performance.now() > deadline) {
        throw new Error(`The counts do not come from the ${source}: ${JSON.stringify(answer)}`);
      }
      await sleep(100);
    }
  }

  function logged(text: string): number {
    return server.output().split(text).length - 1;
  }

  it('gives the counts of tokens and active users, with no lag', async () => {
    await addToken('REPLICA1');
    await addToken('REPLICA2');
    await postgres.caughtUp();
    expect(await countedFrom('replica')).toEqual({ status: 200, total: 2, lag: '0' });
    const active = await client.post('/monitoring/activeUsers', {});
    expect(active.headers.get(LAG)).toBe('0');
    expect(active.body.result?.value).toMatchObject({ total: 0 });
  });

  it('is not read for what is no count', async () => {
    for (const path of ['config', 'storageEncryption', 'license']) {
      const { status, body, headers } = await client.post(`/monitoring/${path}`, {});
      expect([path, status, body.result?.status, headers.get(LAG)]).toEqual([path, 200, true, null]);
    }
  });

  it('shows its lag while its replay pauses, and the older counts', async () => {
    await postgres.onReplica('SELECT pg_wal_replay_pause()');
    try {
      await addToken('REPLICA3');
      await sleep(2_000);
      const { total, lag } = await countedFrom('replica');
      expect(total).toBe(2);
      expect(Number(lag)).toBeGreaterThanOrEqual(2);
      expect(Number(lag)).toBeLessThan(60);
    } finally {
      await postgres.onReplica('SELECT pg_wal_replay_resume()');
    }
    await postgres.caughtUp();
    expect(await countedFrom('replica')).toEqual({ status: 200, total: 3, lag: '0' });
  });

  it('is left aside while it lags further than the bound', async () => {
    const lines: string[] = [];
    const log = (message: string): void => {
      lines.push(message);
    };
    const database = openDatabase({ connection: postgres.replicaUrl });
    let now = 0;
    const replica = new SqlCountReplica({
      database,
      elapsed: () => now,
      maxLag: 1,
      log: { error: log, warn: log, info: log, debug: log },
    });
    try {
      expect(await replica.read()).toMatchObject({ lag: 0 });
      await postgres.onReplica('SELECT pg_wal_replay_pause()');
      await addToken('REPLICA4');
      await sleep(1_500);
      expect(await replica.read()).toBeUndefined();
      await postgres.onReplica('SELECT pg_wal_replay_resume()');
      await postgres.caughtUp();
      expect(await replica.read()).toBeUndefined();
      now = 5_000;
      expect(await replica.read()).toMatchObject({ lag: 0 });
    } finally {
      await database.close();
    }
    expect(lines).toEqual([
      expect.stringMatching(/^The read replica is not used .* it lags \d+ seconds$/),
      'The read replica is used for counts again',
    ]);
  });

  it('does not keep anybody waiting while it is silent', async () => {
    const { total } = await countedFrom('replica');
    network.freeze();
    const begun = performance.now();
    expect(await counted()).toEqual({ status: 200, total, lag: null });
    expect(performance.now() - begun).toBeLessThan(10_000);
    const again = performance.now();
    expect(await counted()).toEqual({ status: 200, total, lag: null });
    expect(performance.now() - again).toBeLessThan(1_000);
    network.thaw();
    expect(await countedFrom('replica')).toEqual({ status: 200, total, lag: '0' });
  });

  it('is replaced by the primary while it is stopped, which is logged once, and the server stays ready', async () => {
    const before = [logged('The read replica is not used'), logged('The read replica is used')];
    await postgres.stopReplica();
    await addToken('REPLICA5');
    const { total } = await countedFrom('primary');
    expect(total).toBe(5);
    expect((await fetch(`${server.baseUrl}/readyz`)).status).toBe(200);
    await postgres.startReplica();
    await postgres.caughtUp();
    expect(await countedFrom('replica')).toEqual({ status: 200, total: 5, lag: '0' });
    const deadline = performance.now() + PATIENCE_MS;
    while (logged('The read replica is used') === before[1] && performance.now() < deadline) {
      await sleep(20);
    }
    const after = [logged('The read replica is not used'), logged('The read replica is used')];
    expect(after).toEqual(before.map((lines) => lines + 1));
  });
});
