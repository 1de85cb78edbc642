import { createServer, request, type OutgoingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UNGUARDED } from '../support/application/unguarded.ts';
import { TestApplication } from '../support/application/test-application.ts';

/** A request as it goes over the wire. */
export interface RawRequest {
  readonly method: string;
  /** Exactly as it goes into the request line. */
  readonly path: string;
  /** An array is sent as it is: each name before its value, and nothing else. */
  readonly headers: OutgoingHttpHeaders | readonly string[];
  readonly body: string | null;
}

export interface RawAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly cookies: readonly string[];
  readonly body: Buffer;
}

/** A server in the dialect `linotp` over a database of its own, with a folder for the files of its resolvers. */
export class ReplayServer {
  readonly application: TestApplication;
  readonly folder: string;
  readonly #server: Server;

  private constructor(application: TestApplication, server: Server, folder: string) {
    this.application = application;
    this.folder = folder;
    this.#server = server;
  }

  static async start(): Promise<ReplayServer> {
    const folder = mkdtempSync(join(tmpdir(), 'tankeeper-replay-'));
    const application = await TestApplication.open({
      dialect: 'linotp',
      resolverFileDirs: [folder],
      guards: UNGUARDED,
    });
    const server = createServer(application.app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ReplayServer(application, server, folder);
  }

  /** Sends a request as it is, over a connection of its own. */
  send({ method, path, headers, body }: RawRequest): Promise<RawAnswer> {
    const { port } = this.#server.address() as AddressInfo;
    return new Promise((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () => {
          resolve({
            status: answer.statusCode ?? 0,
            contentType: answer.headers['content-type'] ?? '',
            cookies: answer.headers['set-cookie'] ?? [],
            body: Buffer.concat(parts),
          });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(body ?? undefined);
    });
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
    await this.application.close();
    rmSync(this.folder, { recursive: true });
  }
}
