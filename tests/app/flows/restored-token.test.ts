import { describe, expect, it } from '@jest/globals';
import { type Answer, answerChallenge, moveAhead } from '../../../app/src/flows/answer-challenge.ts';
import type { ShownChallenge } from '../../../app/src/flows/open-code.ts';
import { replacedToken, restoredToken } from '../../../app/src/vault/token-change.ts';
import type { StoredToken, Vault } from '../../../app/src/vault/vault.ts';
import type { DeviceToken, ReadyToken } from '../../../src/device/device-token.ts';
import { applicationOfTests } from '../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QA64';
const KEY = '12345678901234567890123456789012';

const server = applicationOfTests();

/** A phone with one token, from a backup that was made before the token's last confirmations. */
class RestoredPhone {
  readonly #serial: string;
  #stored: StoredToken;
  sent = 0;

  private constructor(serial: string) {
    this.#serial = serial;
    const key = Buffer.from(KEY).toString('hex');
    const token = { serial, suite: SUITE, sharedSecret: '00'.repeat(20), key, counter: '7' };
    this.#stored = restoredToken(undefined, { token, name: '', addedAt: 1 }).stored;
  }

  static async after(confirmations: number): Promise<RestoredPhone> {
    const serial = `R${confirmations}`;
    await server.enrolPlain(serial, SUITE);
    const counter = 7 + confirmations;
    await server.rows('UPDATE tokens SET counter = $1 WHERE serial = $2', [counter, serial]);
    return new RestoredPhone(serial);
  }

  readonly #vault = {
    saveToken: (token: DeviceToken) =>
      Promise.resolve(void (this.#stored = replacedToken(this.#stored, token, 1))),
    noteRestored: (_serial: string, restored: StoredToken['restored']) =>
      Promise.resolve(void (this.#stored = { ...this.#stored, restored })),
    addHistory: () => Promise.resolve(),
    updateHistory: () => Promise.resolve(),
  } as unknown as Vault;

  moveAhead(answer: Answer): Promise<void> {
    return moveAhead(this.#vault, answer);
  }

  /** @returns the answer of the server, or what the app makes of it */
  async confirm(): Promise<Answer> {
    const { transactionid: transactionId, question } = await server.challenge(this.#serial, 'Pay 5');
    const shown: ShownChallenge = {
      kind: 'challenge',
      challenge: {
        kind: 'req',
        token: this.#stored.token as ReadyToken,
        message: 'Pay 5',
        question,
        transactionId,
        callbackUrl: 'https://bank.example/ocra/check_t',
        needsPin: false,
      },
      tokenName: '',
      restored: this.#stored.restored,
      destination: { kind: 'sent', host: 'bank.example' },
      earlier: undefined,
    };
    return answerChallenge(this.#vault, shown, { now: new Date() }, async (outgoing) => {
      this.sent += 1;
      const checked = await server.check(transactionId, 'response' in outgoing ? outgoing.response : '');
      return (checked as { result: boolean }).result ? 'accepted' : 'refused';
    });
  }
}

describe('a token of a backup', () => {
  it.each([0, 10])('is in step with the server after %i further confirmations', async (confirmations) => {
    const phone = await RestoredPhone.after(confirmations);
    expect(await phone.confirm()).toMatchObject({ outcome: 'accepted' });
  });

  it.each([11, 20, 480])(
    'is set right by the digits of two codes after %i, with a few refusals',
    async (confirmations) => {
      const phone = await RestoredPhone.after(confirmations);
      const refused = await phone.confirm();
      expect(refused).toMatchObject({ outcome: 'refused', restored: { isAhead: false } });
      await phone.moveAhead(refused);
      const first = await phone.confirm();
      const second = await phone.confirm();
      expect([first, second]).toMatchObject([{ outcome: 'refused' }, { outcome: 'refused' }]);
      const otps = { otp1: first.response, otp2: second.response };
      const answer = await server.asAdmin('/admin/resync', { serial: `R${confirmations}`, ...otps });
      expect(answer.body).toMatchObject({ result: { value: true } });
      expect(await phone.confirm()).toMatchObject({ outcome: 'out-of-step' });
    },
  );

  it('is accepted at the second code where the server resynchronises by itself', async () => {
    await server.asAdmin('/system/setConfig', { AutoResync: 'True' });
    const phone = await RestoredPhone.after(60);
    await phone.moveAhead(await phone.confirm());
    expect(await phone.confirm()).toMatchObject({ outcome: 'refused' });
    expect(await phone.confirm()).toMatchObject({ outcome: 'accepted' });
    await server.asAdmin('/system/setConfig', { AutoResync: 'False' });
  });

  it('is not locked, however often it is used without being moved ahead', async () => {
    const phone = await RestoredPhone.after(100);
    for (let count = 0; count < 12; count += 1) {
      await phone.confirm();
    }
    expect(phone.sent).toBe(3);
  });
});
