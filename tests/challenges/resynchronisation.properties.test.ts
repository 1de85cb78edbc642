import { type Token, type TokenStateChange, UNBOUND_USE } from '../../src/tokens/token.ts';
import { storedToken } from '../support/values/token-values.ts';
import { describe, expect, it } from '@jest/globals';
import { UserDirectory } from '../../src/users/user-directory.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { computeResponse, timeStepAt } from '../../src/ocra/compute.ts';
import { readOcraSettings } from '../../src/configuration/settings.ts';
import { ResponseChecker } from '../../src/challenges/response-check.ts';
import { requireTokenKey, responseInputs } from '../../src/challenges/token-key.ts';
import { resynchronise } from '../../src/challenges/resynchronisation.ts';
import { type OcraSuite, parseOcraSuite } from '../../src/ocra/suite.ts';
import { Vault } from '../../src/keys/vault.ts';
import { configurationOf } from '../support/values/configuration-value.ts';
import fc from 'fast-check';

const COUNTER = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QN08');
const TIME = parseOcraSuite('OCRA-1:HOTP-SHA256-8:QN08-T1M');
const KEY = Buffer.alloc(32, 5);
const NOON = new Date('2026-11-20T12:00:00Z');
const vault = new Vault({ keys: [Buffer.alloc(32, 7)], random: systemRandom });
const CONFIGURATION = configurationOf({ settings: new Map([['AutoResync', 'True']]) });
const settings = readOcraSettings(CONFIGURATION.settings);
const clock = { at: NOON, now: (): Date => clock.at };
const check = new ResponseChecker({
  vault,
  clock,
  means: { turn: () => Promise.resolve() },
  users: new UserDirectory({
    sources: () => {
      throw new Error('nobody is asked');
    },
  }),
});

const QUESTIONS = ['11111111', '22222222'] as const;
/** Of a suite with time, the position is in minutes from noon. */
const answer = fc.record({
  question: fc.constantFrom(...QUESTIONS),
  position: fc.integer({ min: 0, max: 60 }),
});
const act = fc.oneof(
  fc.record({ kind: fc.constant('answer' as const), given: answer }),
  fc.record({ kind: fc.constant('answer' as const), given: answer }),
  fc.record({ kind: fc.constant('resync' as const), given: answer, second: answer }),
  fc.record({ kind: fc.constant('time' as const), minutes: fc.constantFrom(1, 2, 5, 20, -1, -5, -20) }),
);
type GeneratedAnswer = ReturnType<(typeof answer)['generate']>['value'];

function response(suite: OcraSuite, { question, position }: GeneratedAnswer): string {
  return computeResponse(suite, KEY, {
    question,
    counter: BigInt(position),
    timeStep: timeStepAt(suite, new Date(NOON.getTime() + position * 60_000)),
  });
}

describe.each([
  ['counter', COUNTER],
  ['clock', TIME],
])('responses and resynchronisations of a token with a %s in any order', (_, suite) => {
  it('use no response twice and never move the counter back', async () => {
    let acceptances = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 40 }), async (acts) => {
        clock.at = NOON;
        let token = storedToken('T1', { algorithm: suite.text, syncWindow: 40 });
        token = { ...token, secrets: { ...token.secrets, seed: vault.seal(KEY, 'seed', 'T1') } };
        const used = new Set<string>();
        for (const each of acts) {
          const change = await changeBy(suite, token, each);
          const markers = (change?.replayMarkers ?? token.replayMarkers).filter(
            (marker) => !token.replayMarkers.includes(marker) && !marker.endsWith(':'),
          );
          expect(markers.filter((marker) => used.has(marker))).toEqual([]);
          markers.forEach((marker) => used.add(marker));
          expect((change?.counter ?? token.counter) >= token.counter).toBe(true);
          if (change?.counter !== undefined) {
            acceptances += 1;
            expect(markers.length).toBeGreaterThan(0);
          }
          token = { ...token, ...change, secrets: token.secrets, use: UNBOUND_USE };
        }
      }),
      { numRuns: 60 },
    );
    expect(acceptances).toBeGreaterThan(0);
  });
});

async function changeBy(
  suite: OcraSuite,
  token: Token,
  each: ReturnType<(typeof act)['generate']>['value'],
): Promise<TokenStateChange | null> {
  switch (each.kind) {
    case 'time':
      clock.at = new Date(clock.at.getTime() + each.minutes * 60_000);
      return null;
    case 'answer':
      return answered(token, each.given.question, response(suite, each.given));
    case 'resync':
      return resynchronise(
        responseInputs(vault, requireTokenKey(vault, token), settings, token, clock.now()),
        settings,
        token,
        {
          first: { question: each.given.question, response: response(suite, each.given) },
          second: { question: each.second.question, response: response(suite, each.second) },
        },
      );
  }
}

async function answered(token: Token, question: string, pass: string): Promise<TokenStateChange | null> {
  const given = check.prepare(pass, '');
  given.search.begin(1);
  const [verdict] = (await check.verify(CONFIGURATION, token, [question], given)) ?? [];
  return verdict?.kind === 'right' ? verdict.advance : (verdict?.remember ?? null);
}
