import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type LoadProcess, startLoadProcess } from '../../bench/answering/load-process.ts';
import type { LoadJob } from '../../bench/answering/load-job.ts';

/** Milliseconds: long enough that requests on several connections meet. */
const ANSWER_AFTER = 20;

let load: LoadProcess;
let server: Server;
let job: LoadJob;
let bodies: string[] = [];
let mostAtOnce = 0;
let answer = 'right';

beforeAll(async () => {
  let running = 0;
  server = createServer((request, response) => {
    running += 1;
    mostAtOnce = Math.max(mostAtOnce, running);
    request.setEncoding('utf8').on('data', (piece: string) => bodies.push(piece));
    request.on('end', () => {
      setTimeout(() => {
        running -= 1;
        response.end(answer);
      }, ANSWER_AFTER);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  load = startLoadProcess();
  job = {
    baseUrls: [`http://127.0.0.1:${(server.address() as AddressInfo).port}`],
    method: 'POST',
    path: '/',
    headers: {},
    bodies: ['a', 'b', 'c'],
    isRepeated: false,
    expected: 'right',
    connections: 3,
    warmUp: 0,
    seconds: 60,
  };
});

afterAll(async () => {
  await load.stop();
  server.close();
});

describe('the load client', () => {
  it('sends each form once, and ends when all were sent', async () => {
    bodies = [];
    const result = await load.run({ ...job, connections: 1 });
    expect(bodies).toEqual(['a', 'b', 'c']);
    expect(result).toMatchObject({ answered: 3, failed: 0 });
    expect(result.milliseconds).toHaveLength(3);
    expect(result.seconds).toBeLessThan(job.seconds);
  });

  it('has one request under way on each connection', async () => {
    mostAtOnce = 0;
    await load.run({ ...job, isRepeated: true, connections: 3, seconds: 2 });
    expect(mostAtOnce).toBe(3);
  });

  it('refuses an answer that is not the expected one', async () => {
    answer = 'wrong';
    await expect(load.run(job)).rejects.toThrow('3 of 3 answers of / were not right, first 200: wrong');
    answer = 'right';
  });
});
