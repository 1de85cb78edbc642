import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Token } from '../../src/accounts/token.ts';
import { UserDirectory } from '../../src/accounts/user-directory.ts';
import { systemRandom } from '../../src/kernel/clock.ts';
import { computeResponse } from '../../src/ocra/compute.ts';
import { readOcraSettings } from '../../src/ocra/ocra-settings.ts';
import { ResponseCheck } from '../../src/ocra/response-check.ts';
import { responseInputs } from '../../src/ocra/response-inputs.ts';
import { resynchronise } from '../../src/ocra/resynchronisation.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { requireTokenKey } from '../../src/ocra/token-key.ts';
import { SecretVault } from '../../src/security/secret-vault.ts';
import { setupOf } from '../support/setup-value.ts';
import { tokenValue } from '../support/token-values.ts';

const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QN08');
const KEY = Buffer.alloc(32, 5);
const NOW = new Date('2026-11-20T12:00:00Z');
const vault = new SecretVault({ keys: [Buffer.alloc(32, 7)], random: systemRandom });
const settings = readOcraSettings(new Map([['AutoResync', 'True']]));
const check = new ResponseCheck({
  vault,
  users: new UserDirectory({
    sources: () => {
      throw new Error('nobody is asked');
    },
  }),
  clock: { now: () => NOW },
});

const QUESTIONS = ['11111111', '22222222'] as const;
const answer = fc.record({
  question: fc.constantFrom(...QUESTIONS),
  counter: fc.integer({ min: 0, max: 60 }),
});
const act = fc.oneof(
  fc.record({ kind: fc.constant('answer' as const), given: answer }),
  fc.record({ kind: fc.constant('resync' as const), given: answer, second: answer }),
);

function response({ question, counter }: { question: string; counter: number }): string {
  return computeResponse(SUITE, KEY, { question, counter: BigInt(counter) });
}

describe('responses and resynchronisations in any order', () => {
  it('use no response twice and never move the counter back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 40 }), async (acts) => {
        let token: Token = {
          ...tokenValue('T1', { ocraSuite: SUITE.text, syncWindow: 40 }),
          ...{ id: '1', createdAt: NOW, lastSuccessAt: null, syncMark: null },
        };
        token = { ...token, secrets: { ...token.secrets, seed: vault.seal(KEY, 'seed', 'T1') } };
        const used = new Set<string>();
        for (const each of acts) {
          const change =
            each.kind === 'answer'
              ? await answered(token, each.given)
              : resynchronise(
                  responseInputs(vault, requireTokenKey(vault, token), settings, token, NOW),
                  settings,
                  token,
                  {
                    first: { question: each.given.question, response: response(each.given) },
                    second: { question: each.second.question, response: response(each.second) },
                  },
                );
          const marks = (change?.spent ?? token.spent).filter((mark) => !token.spent.includes(mark));
          expect(marks.filter((mark) => used.has(mark))).toEqual([]);
          marks.forEach((mark) => used.add(mark));
          expect((change?.counter ?? token.counter) >= token.counter).toBe(true);
          if (change?.counter !== undefined) {
            expect(marks.length).toBeGreaterThan(0);
          }
          token = { ...token, ...change, secrets: token.secrets };
        }
      }),
      { numRuns: 60 },
    );
  });
});

async function answered(
  token: Token,
  given: { question: string; counter: number },
): Promise<{ counter?: bigint; spent?: readonly string[]; syncMark?: string | null } | null> {
  const verdict = await check.look(setupOf({}), settings, token, given.question, response(given));
  return verdict?.kind === 'right' ? verdict.advance : (verdict?.remember ?? null);
}
