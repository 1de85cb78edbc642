import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type PasswdContent,
  PasswdFault,
  readPasswd,
} from '../../../../src/resolvers/sources/passwd/passwd-file.ts';

const LIMIT = 10_000;

function inChunks(content: Buffer, size: number): AsyncIterable<Buffer> {
  return (async function* () {
    for (let at = 0; at < content.length; at += size) {
      await Promise.resolve();
      yield content.subarray(at, at + size);
    }
  })();
}

describe('a passwd file', () => {
  it('is the same however it comes in pieces', async () => {
    const login = fc.string({ unit: fc.constantFrom('a', 'b', 'ö', '☃', '.'), minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(login, { maxLength: 10 }),
        fc.integer({ min: 1, max: 40 }),
        async (logins, size) => {
          const text = logins.map((one, index) => `${one}:x:${index}:0:N ${one},,1,,e:/:/s`).join('\n');
          const { accounts } = await readPasswd(inChunks(Buffer.from(text), size), LIMIT);
          expect(accounts.map(({ login: read }) => read)).toEqual(logins);
          expect(accounts.map(({ user }) => user.surname)).toEqual(logins);
        },
      ),
    );
  });

  it('of any bytes is read or refused with a reason', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .string({ unit: fc.constantFrom(':', '\n', 'a', '1', '#', ',', '\r'), maxLength: 300 })
        .map((one) => Buffer.from(one)),
    );
    await fc.assert(
      fc.asyncProperty(bytes, fc.integer({ min: 1, max: 400 }), async (content, size) => {
        const outcome = await readPasswd(inChunks(Buffer.from(content), size), LIMIT).catch(
          (error: unknown) => error,
        );
        if (outcome instanceof Error) {
          expect(outcome).toBeInstanceOf(PasswdFault);
        } else {
          const { accounts } = outcome as PasswdContent;
          expect(accounts.every((one) => one.login.trim() !== '' && one.userId.trim() !== '')).toBe(true);
        }
      }),
    );
  });
});
