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
    const { rate } = this.#job;
    await (rate === undefined
      ? Promise.all(this.#clients.map((client) => this.#loop(client)))
      : this.#arrive(rate));
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

  /** Lets requests arrive evenly. One that finds no free connection waits, and its time runs. */
  async #arrive(rate: number): Promise<void> {
    const free = [...this.#clients];
    const waiting: number[] = [];
    const running = new Set<Promise<void>>();
    const serve = (): void => {
      while (free.length > 0 && waiting.length > 0) {
        const client = free.pop();
        const arrived = waiting.shift();
        const body = this.#takeBody();
        if (client === undefined || arrived === undefined || body === undefined) {
          return;
        }
        const sent = this.#send(client, body, arrived).then(() => {
          running.delete(sent);
          free.push(client);
          serve();
        });
        running.add(sent);
      }
    };
    let arrivals = 0;
    while (performance.now() < this.#end) {
      const due = Math.floor(((performance.now() - this.#begun) / 1000) * rate);
      for (; arrivals < due; arrivals += 1) {
        waiting.push(performance.now());
      }
      serve();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    while (running.size > 0) {
      await Promise.all(running);
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
    const { promise, resolve } = settled();
    const receive = receiver((status, text) => {
      this.#count(status, text, begun);
      resolve();
    });
    client.dispatch({ path, method, headers, ...(method === 'POST' && { body }) }, receive);
    return promise;
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
    // Of requests that arrive by themselves, those that the end finds waiting are the slowest: they count, too.
    const at = this.#job.rate === undefined ? now : begun;
    if (at >= this.#measuredFrom && at <= this.#end) {
      this.#last = now;
      this.#milliseconds.push(now - begun);
    }
  }
}

function settled(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
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
