import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { whileHeld, WRITING_A_TOKEN } from '../../support/database/held-statement.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const DATA = '12345678';
const KEY = Buffer.alloc(32, 0xaa);
const NEW_KEY = { otpkey: KEY.toString('hex') };

let application: TestApplication;
let serial: string;
let number = 0;

beforeAll(async () => {
  application = await TestApplication.open();
});
afterAll(() => application.close());

beforeEach(async () => {
  number += 1;
  serial = `ANEW${number}`;
  await application.enrolPlain(serial, SUITE);
});

const answer = async (counter: bigint): Promise<unknown> => {
  const { transactionid } = await application.challenge(serial, DATA);
  return application.check(transactionid, application.respond(SUITE, DATA, { counter, key: KEY }));
};
const shown = () => application.services.tokens.show(OPERATOR, serial);

describe('two enrolments with the same new key', () => {
  it('accept a response once, though it is accepted between them', async () => {
    await whileHeld(
      WRITING_A_TOKEN,
      () => application.enrolPlain(serial, SUITE, NEW_KEY),
      async () => {
        await application.enrolPlain(serial, SUITE, NEW_KEY);
        expect(await answer(4n)).toEqual({ failcount: 0, result: true });
      },
    );
    expect((await shown()).counter).toBe(5n);
    expect(await answer(4n)).toEqual({ failcount: 1, result: false });
    expect(await answer(5n)).toEqual({ failcount: 0, result: true });
  });

  it('begin to count anew where the key was another between them', async () => {
    await whileHeld(
      WRITING_A_TOKEN,
      () => application.enrolPlain(serial, SUITE),
      async () => {
        await application.enrolPlain(serial, SUITE, NEW_KEY);
        expect(await answer(4n)).toEqual({ failcount: 0, result: true });
      },
    );
    expect((await shown()).counter).toBe(0n);
  });
});

describe('a token whose roll-out begins while it is being enabled', () => {
  const enable = {
    'by its serial': () =>
      application.asAdmin('/admin/enable', { serial }).then(({ body }) => body as unknown),
    'at the command line': () =>
      application.services.tokens.enable(OPERATOR, { serial }).catch((error: unknown) => String(error)),
  };

  it.each(Object.entries(enable))('%s stays disabled until it has its key', async (_how, enabling) => {
    await application.services.tokens.disable(OPERATOR, { serial });
    const reported = await whileHeld(WRITING_A_TOKEN, enabling, () =>
      application.services.enrolment.init(OPERATOR, { type: 'ocra', serial, genkey: '1', sharedsecret: '1' }),
    );
    expect(JSON.stringify(reported)).toContain('is not finished: it cannot be enabled');
    expect(await shown()).toMatchObject({ rollout: 'phase1', active: false });
  });
});
