import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that has arrived. */
export interface Received {
  readonly id: string;
  readonly timestamp: number;
  readonly signatures: readonly string[];
  readonly body: string;
  readonly event: {
    readonly type: string;
    readonly timestamp: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

/** The behaviour of the receiver for a request: answers with a status, never, or ends the connection. */
export type Reaction = number | 'hang' | 'cut off';

/** A receiver of webhooks on 127.0.0.1, which verifies signatures as the specification says. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  /** Reactions to the next requests, in order; after them `reaction`. */
  readonly next: Reaction[] = [];
  reaction: Reaction = 200;
  /** Headers of its answers. */
  headers: Readonly<Record<string, string>> = {};
  #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on('request', (request, response) => {
      void receiver.#take(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  /** @returns the ids of the received requests, in their order */
  get ids(): readonly string[] {
    return this.received.map(({ id }) => id);
  }

  /** Resolves once so many requests have arrived. */
  async arrived(number: number): Promise<void> {
    while (this.received.length < number) {
      await once(this.#server, 'taken');
    }
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) {
      pieces.push(piece as Buffer);
    }
    const body = Buffer.concat(pieces).toString('utf8');
    this.received.push({
      id: String(request.headers['webhook-id']),
      timestamp: Number(request.headers['webhook-timestamp']),
      signatures: String(request.headers['webhook-signature']).split(' '),
      body,
      event: JSON.parse(body) as Received['event'],
    });
    const reaction = this.next.shift() ?? this.reaction;
    if (typeof reaction === 'number') {
      response.writeHead(reaction, this.headers).end('thanks');
    } else if (reaction === 'cut off') {
      request.socket.destroy();
    }
    this.#server.emit('taken');
  }
}

/** @returns true if one of the signatures is that of the secret, `whsec_…` */
export function isSignedWith(secret: string, { id, timestamp, body, signatures }: Received): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const right = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  return signatures.some((signature) => {
    const [version, given = ''] = signature.split(',');
    const bytes = Buffer.from(given, 'base64');
    return version === 'v1' && bytes.length === right.length && timingSafeEqual(bytes, right);
  });
}
