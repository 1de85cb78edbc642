import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { computeResponse } from '../../src/ocra/compute.ts';
import { parseAlgorithm } from '../../src/ocra/otp.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { pinVerifier } from '../../src/tokens/token-settings.ts';
import { callerNamed } from '../support/values/callers.ts';
import { ANNA, KEY, keyedToken, type OcraHouse, OcraSite, vault } from '../support/database/ocra-house.ts';

const HOTP = 'HOTP-SHA1-6';
const OPEN = { client: '192.0.2.9', requestId: 'request-1' };
const ANOTHER = vault.seal(KEY, 'seed', 'another');
const RIGHT = computeResponse(parseAlgorithm(HOTP), KEY, { question: '', counter: 0n });

const site = new OcraSite();
beforeAll(() => site.open());
afterAll(() => site.close());

/** Two tokens of Anna, HOTP1 and OCRA1 with an open challenge, and HOTP2 with another key. */
async function houseWith(spoiled: Readonly<Record<string, 'seed' | 'pin'>>): Promise<OcraHouse> {
  const hotp = { owner: ANNA, type: 'hmac', algorithm: HOTP };
  const other = keyedToken('HOTP2', hotp);
  const house = await site.house({
    tokens: [
      keyedToken('HOTP1', hotp),
      {
        ...other,
        secrets: { ...other.secrets, seed: vault.seal(Buffer.alloc(20, 9), 'seed', 'HOTP2') },
      },
      keyedToken('OCRA1', { owner: ANNA }),
    ],
  });
  await house.ocra.requestChallenge(callerNamed('admin'), { serial: 'OCRA1', data: 'Pay' });
  for (const [serial, what] of Object.entries(spoiled)) {
    const pin = vault.seal(pinVerifier('pin', systemRandom), 'pin', 'another');
    await house.held.set(serial, what === 'seed' ? { seed: ANOTHER } : { pin });
  }
  return house;
}

const ask = (house: OcraHouse, pass: string): Promise<unknown> =>
  house.validation.check(OPEN, { user: 'anna', realm: 'alpha', pass });

describe('a token whose secrets cannot be read', () => {
  it.each([{ HOTP2: 'seed' }, { HOTP2: 'pin' }, { OCRA1: 'seed' }, { OCRA1: 'pin' }] as const)(
    'does not block the others, nor let responses be guessed at them: %j',
    async (spoiled) => {
      const house = await houseWith(spoiled);
      expect(await ask(house, '000000')).toBe(false);
      expect(await house.tokens.findBySerial('HOTP1')).toMatchObject({ failCount: 1 });
      expect(await ask(house, RIGHT)).toBe(true);
    },
  );

  it('does not block an open challenge', async () => {
    const house = await houseWith({ HOTP1: 'seed', HOTP2: 'seed' });
    expect(await ask(house, '00000000')).toBe(false);
    expect(await house.tokens.findBySerial('OCRA1')).toMatchObject({ failCount: 1 });
  });

  it('is a fault where there is no other', async () => {
    const house = await houseWith({ HOTP1: 'seed', HOTP2: 'pin', OCRA1: 'seed' });
    await expect(ask(house, RIGHT)).rejects.toMatchObject({ code: 'secret.unreadable' });
  });
});
