import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { decidePass } from '../../src/validation/pass.ts';
import { PassStore, type SeenByPass } from '../../src/validation/pass-store.ts';
import { ANNA, BERND, keyedToken, OcraSite } from '../support/database/ocra-house.ts';
import { ACT, storedToken } from '../support/values/token-values.ts';

const site = new OcraSite();
beforeAll(() => site.open());
afterAll(() => site.close());

it('accepts no pass of a user for a token that was given to another one since it was read', async () => {
  const held = ['HOTP1', 'HOTP2'].map((serial) =>
    keyedToken(serial, { owner: ANNA, type: 'hmac', algorithm: 'HOTP-SHA1-6' }),
  );
  const { tokens, held: place } = await site.house({ tokens: held });
  const read = await tokens.list({ owner: ANNA });
  await tokens.update('HOTP1', { owner: BERND }, ACT);
  await tokens.removeAll(['HOTP2'], ACT);
  const seen: (readonly string[])[] = [];
  const decide = (by: SeenByPass): ReturnType<Parameters<PassStore['settle']>[2]> => {
    seen.push(by.tokens.map(({ serial }) => serial));
    const right = {
      verdict: { kind: 'right', advance: { counter: 1n } },
      isPin: true,
      hasSecret: true,
    } as const;
    const tried = by.tokens.slice(0, 1).map((token) => ({ token, ...right }));
    const first = read[0] ?? storedToken('HOTP1');
    return Promise.resolve(
      decidePass({ tokens: tried, open: undefined, guessed: undefined, first }, new Date()),
    );
  };
  const { result } = await new PassStore({ database: place.database }).settle(
    { owner: ANNA },
    read,
    decide,
    ACT,
  );
  expect({ result, seen }).toEqual({ result: false, seen: [['HOTP1', 'HOTP2'], []] });
  expect(await tokens.findBySerial('HOTP1')).toMatchObject({ counter: 0n, lastSuccessAt: null });
});
