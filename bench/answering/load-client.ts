import { once } from 'node:events';

import { Client, type Dispatcher } from 'undici';

import type { LoadJob, LoadResult } from './load-job.ts';

/** The load client: a process of its own that runs the jobs that it is sent, one after the other. */

const OK = 200;

/** The requests of one job. */
class LoadRun {
  readonly #job: LoadJob;
  readonly #clients: readonly Client[];
  readonly #milliseconds: number[] = [];
  readonly #texts: string[] = [];
  readonly #begun = performance.now();
  #next = 0;
  #answered = 0;
  #failed = 0;
  #failure: string | undefined;
  #last = 0;

  constructor(job: LoadJob) {
    this.#job = job;
    this.#clients = Array.from({ length: job.connections }, (_, index) => {
      const baseUrl = job.baseUrls[index % job.baseUrls.length] ?? '';
      return new Client(baseUrl, { pipelining: 1, headersTimeout: 60_000, bodyTimeout: 60_000 });
    });
  }

  async run(): Promise<LoadResult> {
    const cpu = process.cpuUsage();
    await Promise.all(this.#clients.map((client) => this.#loop(client)));
    const { user, system } = process.cpuUsage(cpu);
    const passed = performance.now() - this.#begun;
    await Promise.all(this.#clients.map((client) => client.close()));
    return {
      seconds: this.#isUsedUp ? (this.#last - this.#measuredFrom) / 1000 : this.#job.seconds,
      milliseconds: Float64Array.from(this.#milliseconds),
      texts: this.#texts,
      answered: this.#answered,
      failed: this.#failed,
      failure: this.#failure,
      cpu: (user + system) / 1000 / passed,
    };
  }

  get #measuredFrom(): number {
    return this.#begun + this.#job.warmUp * 1000;
  }

  /** True if the forms were used up before the end. */
  get #isUsedUp(): boolean {
    return !this.#job.isRepeated && this.#next > this.#job.bodies.length;
  }

  get #end(): number {
    return this.#measuredFrom + this.#job.seconds * 1000;
  }

  async #loop(client: Client): Promise<void> {
    while (performance.now() < this.#end) {
      const body = this.#takeBody();
      if (body === undefined) {
        return;
      }
      await this.#send(client, body, performance.now());
    }
  }

  #takeBody(): string | undefined {
    const { bodies, isRepeated } = this.#job;
    const body = bodies[isRepeated ? this.#next % bodies.length : this.#next];
    this.#next += 1;
    return body;
  }

  #send(client: Client, body: string, begun: number): Promise<void> {
    const { method, path, headers } = this.#job;
    return new Promise((resolve) => {
      const receive = receiver((status, text) => {
        this.#count(status, text, begun);
        resolve();
      });
      client.dispatch({ path, method, headers, ...(method === 'POST' && { body }) }, receive);
    });
  }

  #count(status: number, text: string, begun: number): void {
    const now = performance.now();
    if (status !== OK || !text.includes(this.#job.expected)) {
      this.#failed += 1;
      this.#failure ??= `${status}: ${text}`;
      return;
    }
    this.#answered += 1;
    if (this.#job.areTextsKept === true) {
      this.#texts.push(text);
    }
    if (now >= this.#measuredFrom && now <= this.#end) {
      this.#last = now;
      this.#milliseconds.push(now - begun);
    }
  }
}

/** @param done gets status and body; status 0 and the error's text where there was no answer */
function receiver(done: (status: number, text: string) => void): Dispatcher.DispatchHandler {
  let status = 0;
  let text = '';
  return {
    onRequestStart: () => undefined,
    onResponseStart: (_controller, code) => {
      status = code;
    },
    onResponseData: (_controller, piece) => {
      text += piece.toString('latin1');
    },
    onResponseEnd: () => {
      done(status, text);
    },
    onResponseError: (_controller, error) => {
      done(0, String(error));
    },
  };
}

process.on('message', (job: LoadJob) => {
  void new LoadRun(job).run().then((result) => process.send?.(result));
});
// Ctrl-C reaches the whole group; the bench itself ends this process, when its channel closes.
process.on('SIGINT', () => undefined);
await once(process, 'disconnect');
