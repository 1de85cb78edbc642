import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

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
  async ask(path: string): Promise<Probed> {
    const begun = performance.now();
    const request = get(`${this.#baseUrl}${path}`, { agent: this.#agent, headers: this.#headers });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const body = await text(response);
    const milliseconds = performance.now() - begun;
    if (response.statusCode !== 200) {
      throw new Error(`GET ${path} was answered ${response.statusCode ?? 0}: ${body}`);
    }
    return { milliseconds, body };
  }
}
