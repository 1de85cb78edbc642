import { Agent, get, type IncomingMessage } from 'node:http';

/** An answer, and how long it took. */
export interface Probed {
  /** From the first byte sent to the last one received, in milliseconds. */
  readonly milliseconds: number;
  readonly body: string;
}

/** A client that keeps its one connection and asks one thing after the other. */
export class HttpProbe {
  readonly #baseUrl: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(baseUrl: string, apiToken: string) {
    this.#baseUrl = baseUrl;
    this.#headers = { Authorization: `Bearer ${apiToken}` };
  }

  /** @throws unless the answer is 200 */
  ask(path: string): Promise<Probed> {
    return new Promise((resolve, reject) => {
      const begun = performance.now();
      const receive = (response: IncomingMessage): void => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => {
          pieces.push(piece);
        });
        response.once('end', () => {
          const milliseconds = performance.now() - begun;
          const body = Buffer.concat(pieces).toString('utf8');
          if (response.statusCode === 200) {
            resolve({ milliseconds, body });
          } else {
            reject(new Error(`GET ${path} was answered ${response.statusCode ?? 0}: ${body}`));
          }
        });
      };
      get(`${this.#baseUrl}${path}`, { agent: this.#agent, headers: this.#headers }, receive).once(
        'error',
        reject,
      );
    });
  }
}
