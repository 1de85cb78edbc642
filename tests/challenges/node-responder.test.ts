import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { nodeResponder } from '../../src/challenges/response-check.ts';
import { responder } from '../../src/ocra/compute.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';

describe("the responses by Node's hashes", () => {
  it('equal those by the HMAC of `ocra/`, for each hash, key and data input', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('SHA1', 'SHA256', 'SHA512'),
        fc.constantFrom(0, 4, 6, 8, 10),
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        fc.uint8Array({ maxLength: 300 }),
        fc.uint8Array({ maxLength: 300 }),
        (hash, digits, key, dataInput, otherInput) => {
          const suite = parseOcraSuite(`OCRA-1:HOTP-${hash}-${digits}:QA64`);
          const respond = nodeResponder(suite, key);
          const expected = responder(suite, key);
          for (const input of [dataInput, dataInput, otherInput, dataInput]) {
            expect(respond(input)).toBe(expected(input));
          }
        },
      ),
    );
  });

  it('need a key', () => {
    expect(() => nodeResponder(parseOcraSuite('OCRA-1:HOTP-SHA1-6:QN08'), new Uint8Array())).toThrow(
      /the key is empty/,
    );
  });
});
