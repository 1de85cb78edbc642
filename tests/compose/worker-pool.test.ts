import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { restartDelay, WorkerPool } from '../../src/compose/workers/worker-pool.ts';
import type { ProcessExit, WorkerProcess } from '../../src/compose/workers/worker-process.ts';

/** A process in name only. */
class FakeWorker implements WorkerProcess {
  readonly pid: number;
  readonly heard: string[] = [];
  #message: (message: unknown) => void = () => undefined;
  #exit: (exit: ProcessExit) => void = () => undefined;

  constructor(pid: number) {
    this.pid = pid;
  }

  send(message: object): boolean {
    this.heard.push('notify' in message ? String(message.notify) : '');
    return true;
  }

  kill(): void {
    this.end({ exitCode: null, signal: 'SIGKILL' });
  }

  onMessage(listener: (message: unknown) => void): void {
    this.#message = listener;
  }

  onExit(listener: (exit: ProcessExit) => void): void {
    this.#exit = listener;
  }

  notify(name: string, value?: unknown): void {
    this.#message({ notify: name, value });
  }

  end(exit: ProcessExit = { exitCode: 0, signal: null }): void {
    this.#exit(exit);
  }
}

let workers: FakeWorker[];
let pool: WorkerPool;
let lines: Readonly<Record<string, unknown>>[];

beforeEach(() => {
  jest.useFakeTimers();
  workers = [];
  lines = [];
  const note = (message: string, fields: object = {}): void => {
    lines.push({ message, ...fields });
  };
  pool = new WorkerPool({
    workers: 2,
    fork: () => {
      const worker = new FakeWorker(100 + workers.length);
      workers.push(worker);
      return worker;
    },
    answers: {},
    log: { debug: note, info: note, warn: note, error: note },
    ended: () => undefined,
  });
});
afterEach(() => {
  jest.useRealTimers();
});

function worker(index: number): FakeWorker {
  const found = workers[index];
  if (found === undefined) {
    throw new Error(`worker ${index} was not started`);
  }
  return found;
}

async function started(): Promise<void> {
  const starting = pool.start();
  workers.forEach((one) => {
    one.notify('hello');
    one.notify('ready', 5001);
  });
  await starting;
}

describe('a pool of workers', () => {
  it('has started when all of them listen', async () => {
    const starting = pool.start();
    worker(0).notify('hello');
    worker(0).notify('ready', 5001);
    expect(pool.running).toBe(1);
    worker(1).notify('hello');
    worker(1).notify('ready', 5001);
    expect(await starting).toBe(5001);
    expect(workers.map(({ heard }) => heard)).toEqual([['start'], ['start']]);
  });

  it('fails to start with the reason of the first that cannot', async () => {
    const starting = pool.start();
    worker(1).notify('failed', { code: 'address.unavailable', message: 'Cannot listen' });
    worker(1).end({ exitCode: 1, signal: null });
    await expect(starting).rejects.toMatchObject({ code: 'address.unavailable', message: 'Cannot listen' });
  });

  it('fails to start if one ends without a reason', async () => {
    const starting = pool.start();
    worker(0).end({ exitCode: null, signal: 'SIGABRT' });
    await expect(starting).rejects.toThrow('A worker ended while it started (SIGABRT)');
  });

  it('starts a worker again at once that had answered for a while', async () => {
    await started();
    await jest.advanceTimersByTimeAsync(11_000);
    worker(0).end({ exitCode: null, signal: 'SIGSEGV' });
    expect(pool.running).toBe(1);
    await jest.advanceTimersByTimeAsync(0);
    worker(2).notify('ready', 5001);
    expect(pool.running).toBe(2);
    expect(lines).toMatchObject([
      { message: 'A worker has ended, and is started again', worker: 1, pid: 100, signal: 'SIGSEGV' },
      { message: 'A worker answers again', worker: 1, pid: 102 },
    ]);
  });

  it('waits longer each time for one that ends at once, while the other goes on', async () => {
    await started();
    const waits: number[] = [];
    for (let index = 0; index < 8; index += 1) {
      const before = workers.length;
      worker(index === 0 ? 0 : before - 1).end({ exitCode: 1, signal: null });
      let wait = 0;
      while (workers.length === before) {
        await jest.advanceTimersByTimeAsync(50);
        wait += 50;
      }
      waits.push(wait);
    }
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    expect(pool.running).toBe(1);
  });

  it('stops all, and starts none again', async () => {
    await started();
    worker(0).end();
    const stopping = pool.stop();
    expect(worker(1).heard).toEqual(['start', 'stop']);
    worker(1).end();
    expect(await stopping).toBe(true);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(workers).toHaveLength(2);
  });

  it('reports requests that a worker has cut off', async () => {
    await started();
    const stopping = pool.stop();
    worker(0).notify('cut off');
    worker(0).end();
    worker(1).end();
    expect(await stopping).toBe(false);
  });

  it('kills workers that do not end in time', async () => {
    await started();
    const stopping = pool.stop();
    await jest.advanceTimersByTimeAsync(9_000);
    expect(await stopping).toBe(false);
    expect(pool.running).toBe(0);
  });

  it('hurries workers on an urgent request, also one that came before', async () => {
    await started();
    const stopping = pool.stop(AbortSignal.abort());
    expect(worker(0).heard).toEqual(['start', 'stop', 'stop at once']);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(await stopping).toBe(false);
  });

  it('waits for none that has not begun', async () => {
    const starting = pool.start();
    const stopping = pool.stop();
    expect(await stopping).toBe(true);
    await expect(Promise.race([starting, Promise.resolve('still starting')])).resolves.toBe('still starting');
  });
});

it('the delay of a restart is none at first, then doubles up to ten seconds', () => {
  expect([0, 1, 2, 6, 7, 50].map(restartDelay)).toEqual([0, 250, 500, 8_000, 10_000, 10_000]);
});
