import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OPERATOR, TestApplication, wrongResponse } from '../../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:QN08';

let number = 0;

describe.each(['documented', 'linotp'] as const)('/admin/set, in the dialect %s', (dialect) => {
  let application: TestApplication;
  let serial: string;

  beforeAll(async () => {
    application = await TestApplication.open({ dialect });
    await application.addRealm('bank', ['ann']);
  });
  afterAll(() => application.close());
  beforeEach(async () => {
    number += 1;
    serial = `USE${number}`;
    await application.enrolPlain(serial, SUITE);
  });

  const set = async (parameters: Record<string, string>): Promise<string> =>
    (await application.asAdmin('/admin/set', { serial, ...parameters })).text;
  const use = async () => (await application.services.tokens.show(OPERATOR, serial)).use;
  const isAccepted = async (isRight = true, path = '/ocra/check_t'): Promise<boolean> => {
    const { transactionid, question } = await application.challenge(serial);
    const tan = application.respond(SUITE, question);
    const pass = isRight ? tan : wrongResponse(tan);
    const { text } = await application.send(path, { transactionid, serial, pass });
    return /"(result|value)": true/.test(text);
  };
  const minutesAhead = (minutes: number): string =>
    new Date(application.clock.now().getTime() + minutes * 60_000).toISOString();

  it('bounds the period of a token, which is then accepted in it alone', async () => {
    expect(await set({ validityPeriodStart: minutesAhead(2), validityPeriodEnd: minutesAhead(4) })).toContain(
      '"status": true',
    );
    expect(await isAccepted()).toBe(false);
    expect(await isAccepted(true, '/validate/check_s')).toBe(false);
    application.clock.advance(121);
    expect(await isAccepted()).toBe(true);
    expect(await isAccepted(true, '/validate/check_s')).toBe(true);
    application.clock.advance(120);
    expect(await isAccepted()).toBe(false);
    expect(await isAccepted(true, '/validate/check_s')).toBe(false);
    await set({ validityPeriodEnd: '', validityPeriodStart: '' });
    expect(await use()).toMatchObject({ validFrom: null, validUntil: null });
    expect(await isAccepted()).toBe(true);
  });

  it('takes no failure out of its period for a wrong response, as of a disabled token', async () => {
    await set({ validityPeriodStart: minutesAhead(2) });
    expect(await isAccepted(false)).toBe(false);
    expect((await application.services.tokens.show(OPERATOR, serial)).failCount).toBe(0);
  });

  it('reads LinOTP’s times in the time zone of the server', async () => {
    await set({ validityPeriodStart: '01/02/26 08:05', validityPeriodEnd: '31/12/2030 18:00' });
    expect(await use()).toMatchObject({
      validFrom: new Date(2026, 1, 1, 8, 5),
      validUntil: new Date(2030, 11, 31, 18, 0),
    });
    const { text } = await application.asAdmin('/admin/show', { serial });
    if (dialect === 'linotp') {
      expect(text).toContain(String.raw`\"validity_period_start\": \"01/02/26 08:05\"`);
      expect(text).toContain(String.raw`\"validity_period_end\": \"31/12/30 18:00\"`);
    } else {
      expect(text).toContain(`"validuntil": "${new Date(2030, 11, 31, 18, 0).toISOString()}"`);
    }
  });

  it('bounds the number of responses, right and wrong', async () => {
    await set({ countAuthMax: '3' });
    expect(await isAccepted(false)).toBe(false);
    expect(await isAccepted()).toBe(true);
    expect(await isAccepted(false)).toBe(false);
    expect(await use()).toMatchObject({ useCount: 3, successCount: 1, maxUses: 3 });
    expect(await isAccepted()).toBe(false);
    expect(await use()).toMatchObject({ useCount: 3 });
    await set({ countAuth: '0' });
    expect(await isAccepted()).toBe(true);
    await set({ countAuthMax: '0', countAuth: '9' });
    expect(await isAccepted()).toBe(true);
    expect(await use()).toMatchObject({ useCount: 9, maxUses: null });
  });

  it('bounds the number of accepted responses alone', async () => {
    await set({ countAuthSuccessMax: '1' });
    expect(await isAccepted(false)).toBe(false);
    expect(await isAccepted()).toBe(true);
    expect(await isAccepted()).toBe(false);
    await set({ countAuthSuccessMax: '' });
    expect(await isAccepted()).toBe(true);
  });

  it('accepts no response more than its count, whatever the servers and challenges', async () => {
    await set({ countAuthSuccessMax: '2' });
    const there = application.beside();
    const challenges = [];
    for (let index = 0; index < 4; index += 1) {
      challenges.push(await application.challenge(serial));
    }
    const answers = await Promise.all(
      challenges.map(({ transactionid, question }, index) => {
        const pass = application.respond(SUITE, question);
        return (index % 2 === 0 ? application : there).check(transactionid, pass);
      }),
    );
    expect(answers.filter((answer) => JSON.stringify(answer).includes('"result":true'))).toHaveLength(2);
    expect(await use()).toMatchObject({ successCount: 2 });
  });

  it.each([
    ['validityPeriodStart', 'tomorrow'],
    ['validityPeriodEnd', '31/02/26 10:00'],
    ['validityPeriodEnd', '2026-01-01'],
    ['countAuth', '-1'],
    ['countAuthMax', '1.5'],
    ['countAuthSuccessMax', '99999999999'],
    ['countAuthSuccess', 'many'],
  ])('refuses %s=%s by its name, and sets nothing', async (name, value) => {
    const answer = await set({ [name]: value, description: 'new' });
    expect(answer).toContain('"status": false');
    expect(answer).toContain(`'${name}'`);
    expect((await application.services.tokens.show(OPERATOR, serial)).description).toBe('');
  });

  it('refuses a period that ends before it begins, also by a later change', async () => {
    await set({ validityPeriodEnd: '01/01/26 08:00' });
    expect(await set({ validityPeriodStart: '01/01/26 08:00' })).toContain('"status": false');
    expect(await use()).toMatchObject({ validFrom: null });
  });

  it('sets the clock shift of a device, a day at most', async () => {
    expect(await set({ timeShift: '-30' })).toContain('"status": true');
    expect((await application.services.tokens.show(OPERATOR, serial)).timeShift).toBe(-30);
    expect(await set({ timeShift: '86401' })).toContain('time shift');
  });

  it.each([
    ['hashlib', 'sha512'],
    ['OtpLen', '6'],
    ['timeWindow', '300'],
    ['timeStep', '60'],
    ['phone', '+49 1'],
  ])('refuses %s by its name, and sets the others', async (name, value) => {
    const alone = await set({ [name]: value });
    expect(alone).toContain('"status": false');
    expect(alone).toContain(`The parameter '${name}' is not set`);
    const beside = await set({ [name]: value, MaxFailCount: '7' });
    expect(beside).toContain('"status": true');
    expect(beside).toContain(`The parameter '${name}' is not set`);
    expect((await application.services.tokens.show(OPERATOR, serial)).maxFail).toBe(7);
  });
});
