import { Agent, type IncomingMessage, request } from 'node:http';

/** An answer, and how long it took. */
export interface FormAnswer {
  readonly status: number;
  readonly body: string;
  /** From just before the request is written to the last byte of the answer, in milliseconds. */
  readonly milliseconds: number;
}

/** A request with a form. */
export interface FormRequest {
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds that the client itself wastes while the time runs: a difference that a measurement has to find. */
  readonly planted?: number;
}

/** A client that posts forms, one after the other, over one connection that is kept. */
export class FormProbe {
  readonly #baseUrl: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  post({ path, parameters = {}, headers = {}, planted = 0 }: FormRequest): Promise<FormAnswer> {
    const body = new URLSearchParams(parameters).toString();
    return new Promise((resolve, reject) => {
      const outgoing = request(`${this.#baseUrl}${path}`, {
        agent: this.#agent,
        method: 'POST',
        headers: {
          'Content-Type': 'application/x-www-form-urlencoded',
          'Content-Length': Buffer.byteLength(body),
          ...headers,
        },
      });
      let begun = 0;
      outgoing.once('error', reject);
      outgoing.once('response', (response: IncomingMessage) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => {
          pieces.push(piece);
        });
        response.once('error', reject);
        response.once('end', () => {
          const milliseconds = performance.now() - begun;
          const text = Buffer.concat(pieces).toString('utf8');
          resolve({ status: response.statusCode ?? 0, body: text, milliseconds });
        });
      });
      begun = performance.now();
      while (performance.now() < begun + planted);
      outgoing.end(body);
    });
  }

  /** Ends the connection. */
  close(): void {
    this.#agent.destroy();
  }
}
