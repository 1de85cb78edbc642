import { request as httpRequest } from 'node:http';
import { hexTransactionIds } from '../../src/challenges/challenge-factory.ts';
import { buildServices, type Services } from '../../src/services.ts';
import { createDescribedApp } from '../support/description/described-app.ts';
import { type RunningServer, startServer } from '../../src/http/serving/server.ts';
import { type Clock } from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { AdministratorStore } from '../../src/administrators/administrator-store.ts';
import { UNGUARDED } from '../support/application/unguarded.ts';
import { appMetrics } from '../../src/compose/http-server.ts';
import { ServiceMetrics } from '../../src/observability/metrics.ts';
import { testKeys } from '../support/application/test-keys.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';

/** A request as it was recorded. */
export interface RawRequest {
  readonly method: string;
  /** Exactly as it goes into the request line. */
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

export interface RawResponse {
  readonly status: number;
  readonly contentType: string;
  readonly cookies: readonly string[];
  readonly body: string;
}

interface ReplayParts {
  readonly clock: Clock;
}

/** A server in the dialect `linotp` over an empty database, listening on a port of its own. */
export class ReplayServer {
  readonly services: Services;
  readonly test: TestDatabase;
  readonly #server: RunningServer;

  private constructor(test: TestDatabase, services: Services, server: RunningServer) {
    this.test = test;
    this.services = services;
    this.#server = server;
  }

  static async start({ clock }: ReplayParts): Promise<ReplayServer> {
    const test = await createTestDatabase();
    const silent = (): void => undefined;
    const log = { error: silent, warn: silent, info: silent, debug: silent };
    const services = buildServices({
      database: test.database,
      keys: testKeys(),
      hasher: {
        hash: (password) => Promise.resolve(`test:${password}`),
        verify: (hash, password) => Promise.resolve(hash === `test:${password}`),
        verifyNothing: () => Promise.resolve(false),
        isForeign: () => false,
      },
      clock,
      random: systemRandom,
      log,
      sessionLifetime: 3600,
      resolverTimeout: 30,
      challengeRetention: 604_800,
      passwordsAtOnce: 2,
      statusWaits: 500,
      transactionIds: hexTransactionIds,
      configurationWindow: 0,
    });
    const app = createDescribedApp({
      services,
      readiness: () => Promise.resolve('ready'),
      config: { trustProxy: [], dialect: 'linotp', serviceVersion: undefined, monitoringPost: 'on' },
      metrics: appMetrics(new ServiceMetrics({ clock }), services.monitoring),
      guards: UNGUARDED,
      log,
      clock,
      random: systemRandom,
    });
    return new ReplayServer(test, services, await startServer(app, { host: '127.0.0.1', port: 0 }));
  }

  /** Without a slash at its end. */
  get baseUrl(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** An administrator with a password that may be shorter than ours have to be, as recorded. */
  async addAdministrator(name: string, password: string): Promise<void> {
    await new AdministratorStore(this.test).insert(name, `test:${password}`, {
      actor: '',
      action: 'administrator/add',
      client: '',
      requestId: '',
    });
  }

  send({ method, path, headers, body }: RawRequest): Promise<RawResponse> {
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        { host: '127.0.0.1', port: this.#server.port, agent: false, method, path, headers: headers.flat() },
        (response) => {
          const pieces: Buffer[] = [];
          response.on('data', (piece: Buffer) => pieces.push(piece));
          response.on('error', reject);
          response.on('end', () => {
            resolve({
              status: response.statusCode ?? 0,
              contentType: response.headers['content-type'] ?? '',
              cookies: response.headers['set-cookie'] ?? [],
              body: Buffer.concat(pieces).toString('utf8'),
            });
          });
        },
      );
      request.on('error', reject);
      request.end(body);
    });
  }

  async stop(): Promise<void> {
    await this.#server.close(1_000);
    await this.services.closeSources();
    await this.test.drop();
  }
}
