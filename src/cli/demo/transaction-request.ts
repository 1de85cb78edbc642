import type { DemoRequest } from './curl-line.ts';
import type { Expectation } from './expectation.ts';

/** @returns the request that answers a challenge; nobody needs to be logged in for it */
export function checkTransaction(transactionId: string, response: string): DemoRequest {
  return {
    method: 'POST',
    path: '/ocra/check_t',
    asAdministrator: false,
    parameters: { transactionid: transactionId, pass: response },
  };
}

/** @returns what the answer must say */
export function accepted(result: boolean, failCount: number): Expectation {
  return { result: { status: true, value: { result, failcount: failCount } } };
}
