import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type Server, type Socket, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectTo } from '../../support/database/database-proxy.ts';
import { databaseOfTests } from '../../support/database/test-database.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';
import { ServerClient } from '../../support/servers/server-client.ts';
import {
  type ServerProcess,
  runTankeeper,
  startServerProcess,
} from '../../support/servers/server-process.ts';
import { PATIENCE_MS } from '../../support/values/until.ts';

/**
 * The fate of the next settlement of a response, on its way to the database or back:
 * `lost`: it never arrives, and the connection ends; `answer lost`: it arrives, and the connection ends without an
 * answer; `answer swallowed`: it arrives, and the connection stays, in silence.
 */
export type SettlementFate = 'lost' | 'answer lost' | 'answer swallowed';

/** The beginning of the message that executes the prepared statement that settles responses: portal and statement. */
const SETTLEMENT = '\0settle-responses\0';
/** Bytes of the header of a message of PostgreSQL's protocol: a type, and a length that counts itself. */
const HEADER = 5;
const BIND = 'B'.charCodeAt(0);

/**
 * A proxy between a server and its database. It reads the server's messages (protocol 3, without TLS), and can disturb
 * one settlement when a test asks for it.
 */
export class SettlementProxy {
  readonly url: string;
  readonly #server: Server;
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  #fate: { readonly kind: SettlementFate; readonly met: () => void } | undefined;

  private constructor(server: Server, target: URL) {
    this.#server = server;
    this.#target = target;
    const url = new URL(target);
    url.search = '';
    url.hostname = '127.0.0.1';
    url.port = String((server.address() as { port: number }).port);
    this.url = url.href;
  }

  /** @param databaseUrl a postgres:// URL, over TCP or a socket */
  static async start(databaseUrl: string): Promise<SettlementProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new SettlementProxy(server, new URL(databaseUrl.replace('@/', '@localhost/')));
    server.on('connection', (socket) => {
      proxy.#join(socket);
    });
    return proxy;
  }

  /**
   * Disturbs the next settlement.
   * @returns resolves when it has met this fate: for the last two, once the database has it
   */
  async next(kind: SettlementFate): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#fate = { kind, met: resolve };
    });
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) {
      socket.destroy();
    }
    await closed;
  }

  #join(client: Socket): void {
    const database = connectTo(this.#target);
    const messages = new FrontendMessages();
    let isDeaf = false;
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
    database.on('data', (piece) => {
      if (!isDeaf) {
        client.write(piece);
      }
    });
    client.on('data', (piece) => {
      const fate = messages.add(piece).some((text) => text.startsWith(SETTLEMENT))
        ? this.#takeFate()
        : undefined;
      if (fate?.kind === 'lost') {
        client.destroy();
        fate.met();
        return;
      }
      database.write(piece);
      if (fate !== undefined) {
        isDeaf = true;
        // The first answer afterwards shows that the database has begun the statement; the commit is still to come, and
        // the client gets no report of it.
        database.once('data', () => {
          if (fate.kind === 'answer lost') {
            client.destroy();
          }
          fate.met();
        });
      }
    });
  }

  #takeFate(): { readonly kind: SettlementFate; readonly met: () => void } | undefined {
    const fate = this.#fate;
    this.#fate = undefined;
    return fate;
  }
}

/** Extracts the executed statements from the messages of a client of PostgreSQL. */
class FrontendMessages {
  #rest = Buffer.alloc(0);
  #hasBegun = false;

  /** @returns the contents of the messages that bind values to a statement, of those that this piece completes */
  add(piece: Buffer): string[] {
    this.#rest = Buffer.concat([this.#rest, piece]);
    const texts: string[] = [];
    for (;;) {
      // The first message has no type.
      const before = this.#hasBegun ? 1 : 0;
      if (this.#rest.length < before + 4) {
        return texts;
      }
      const end = before + this.#rest.readInt32BE(before);
      if (this.#rest.length < end) {
        return texts;
      }
      if (this.#hasBegun && this.#rest[0] === BIND) {
        texts.push(this.#rest.toString('latin1', HEADER, end));
      }
      this.#hasBegun = true;
      this.#rest = this.#rest.subarray(end);
    }
  }
}

/** Far above what is promised, far below what would hold up a client for good. */
const BOUND_MS = 25_000;

let proxy: SettlementProxy;
let servers: Readonly<Record<'documented' | 'linotp', ServerProcess>>;
let client: ServerClient;

afterAll(async () => {
  const ends = await Promise.all(Object.values(servers).map((server) => server.stop()));
  await proxy.stop();
  expect(ends.map(({ code }) => code)).toEqual([0, 0]);
});
const folder = temporaryFolder();
const database = databaseOfTests();

beforeAll(async () => {
  proxy = await SettlementProxy.start(database.url);
  const environment = { DATABASE_URL: proxy.url, DATA_DIR: folder, DATABASE_STATEMENT_TIMEOUT: '3' };
  const documented = await startServerProcess(environment);
  servers = { documented, linotp: await startServerProcess({ ...environment, WIRE_DIALECT: 'linotp' }) };
  client = await ServerClient.open(documented);
});

const FATES: readonly (readonly [SettlementFate, 'accepted' | 'open'])[] = [
  ['lost', 'open'],
  ['answer lost', 'accepted'],
  ['answer swallowed', 'accepted'],
];

describe.each(FATES)(
  'a right response whose settlement, on the way to the database, is %s',
  (fate, outcome) => {
    it.each(['documented', 'linotp'] as const)(
      'is answered as an error; then it is asked what became of it, and it counts once (%s)',
      async (dialect) => {
        client.turnTo(servers.documented);
        const transaction = await client.openTransaction(`${fate.replaceAll(' ', '-')}-${dialect}`);
        client.turnTo(servers[dialect]);
        const met = proxy.next(fate);
        const answered = await client.check(transaction);
        await met;
        // Never `false`, which would say that the response was wrong.
        expect(answered.status).toBe(503);
        expect(answered.retryAfter).toMatch(/^\d+$/);
        expect(answered.body.result?.status).toBe(false);
        expect(answered.body.result?.value).toBeUndefined();
        expect(answered.body.result?.error?.message).toContain('the database is not available');
        expect(answered.milliseconds).toBeLessThan(BOUND_MS);

        client.turnTo(servers.documented);
        const { transactionid, serial } = transaction;
        const isAccepted = outcome === 'accepted';
        expect(await client.status(transaction)).toEqual([
          { serial, transactionid, received_tan: isAccepted, valid_tan: isAccepted, failcount: 0 },
        ]);

        // The client tries again, as clients do.
        const again = await client.check(transaction);
        expect(again.body.result?.value).toEqual({ failcount: 0, result: !isAccepted });
        expect((await client.check(transaction)).body.result?.value).toEqual({ failcount: 0, result: false });
        expect(await acceptances(serial)).toBe(1);
        // The next response is right for the counter that follows, so the counter has moved once.
        const next = await client.openTransaction(serial, 1n);
        expect((await client.check(next)).body.result?.value).toEqual({ failcount: 0, result: true });
      },
    );
  },
);

describe('a connection on which an answer never came', () => {
  it('is not used any more, and not kept', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.get('/monitoring/config')));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    const deadline = performance.now() + PATIENCE_MS;
    while (!(await isWithinPools()) && performance.now() < deadline) {
      await sleep(100);
    }
    expect(await isWithinPools()).toBe(true);
  });
});

describe('the audit trail, when nobody knew whether rows of it were committed', () => {
  it('verifies, as nothing was linked to them since', async () => {
    const environment = { DATABASE_URL: database.url, DATA_DIR: folder };
    const verified = await runTankeeper(['audit', 'verify'], environment);
    expect(verified).toMatchObject({ code: 0, output: expect.stringContaining('all as they were sealed') });
  });
});

/** @returns true if the servers have no more connections than their pools may have, and two beside each */
async function isWithinPools(): Promise<boolean> {
  const { rows } = await database.database.knex.raw<{ rows: { application: string; count: string }[] }>(
    `SELECT application_name AS application, count(*) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'tankeeper %' GROUP BY 1`,
  );
  return rows.every(
    ({ application, count }) => Number(count) <= (application === 'tankeeper server' ? 28 : 2),
  );
}

async function acceptances(serial: string): Promise<number> {
  const rows: unknown[] = await database.database
    .knex('audit')
    .where({ subject: serial, outcome: 'accepted' })
    .select('id');
  return rows.length;
}
