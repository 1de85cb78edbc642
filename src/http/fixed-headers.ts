import helmet from 'helmet';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { ExchangeBeginning } from './request/exchange.ts';

/** Forbids caches to store an answer: each is for one moment and one client. */
const UNCACHED = [
  ['Cache-Control', 'no-store'],
  ['Pragma', 'no-cache'],
] as const;

/** Sets the headers that are the same in all answers: those of helmet, and that no cache stores the answer. */
export function setFixedHeaders(): ExchangeBeginning {
  const headers = [...helmetHeaders(), ...UNCACHED];
  return (_request, response) => {
    for (const [name, value] of headers) {
      response.setHeader(name, value);
    }
  };
}

/** Runs helmet once: with its default options it sets the same headers in each answer, by a dozen handlers. */
function helmetHeaders(): (readonly [name: string, value: string])[] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  const headers: (readonly [name: string, value: string])[] = [];
  response.setHeader = (name, value) => {
    headers.push([name, String(value)]);
    return response;
  };
  helmet()(request, response, (error) => {
    if (error !== undefined) {
      throw new Error('helmet has failed', { cause: error });
    }
  });
  return headers;
}
