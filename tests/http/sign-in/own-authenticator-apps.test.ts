import { beforeEach, describe, expect, it } from '@jest/globals';
import { base32nopad } from '@scure/base';
import {
  ALL,
  allow,
  answerTo,
  application,
  askedBy,
  auditOf,
  failureOf,
  openAccounts,
  someone,
  user,
  type Visitor,
} from '../../support/application/account-visitor.ts';
import { valueOf } from '../../support/application/browser.ts';
import { OPERATOR, wrongResponse } from '../../support/application/test-application.ts';
import { whileHeld, WRITING_A_TOKEN } from '../../support/database/held-statement.ts';
import { totpAt } from '../../support/values/authenticator-app.ts';

const WRONG = [401, 'The response is wrong'];
const NOT_THERE = [404, 'There is nothing at this path'];
const TYPE = { type: 'totp' };

openAccounts();
beforeEach(() => allow(`${ALL}, enroltotp`));

interface App {
  readonly serial: string;
  readonly uri: string;
  /** @returns the code that the app shows now */
  readonly code: () => string;
}

/** Begins to enrol an authenticator app, as far as the QR code. */
async function begin(visitor: Visitor): Promise<App> {
  const response = answerTo(askedBy(await visitor.post('/self/enrol', TYPE)));
  const enrolled = valueOf(await visitor.post('/self/enrol/finish', { response, ...TYPE }));
  const { serial, key_uri: uri } = enrolled as { serial: string; key_uri: string };
  const key = base32nopad.decode(new URL(uri).searchParams.get('secret') ?? '');
  return { serial, uri, code: () => totpAt(application.clock.now(), key) };
}

const prove = (visitor: Visitor, serial: string, response: string) =>
  visitor.post('/self/enrol/prove', { serial, response });

async function validate(pass: string): Promise<unknown> {
  return valueOf(await application.send('/validate/check', { user, realm: 'customers', pass }));
}

const shown = (serial: string) => application.services.tokens.show(OPERATOR, serial);

async function stateOf(visitor: Visitor, serial: string): Promise<unknown> {
  return (await visitor.tokens()).find((token) => token.serial === serial)?.state;
}

describe('the enrolment of an authenticator app', () => {
  it('shows a QR code with the name of the server and of the person, and is completed by the first code', async () => {
    const receiver = { name: 'siem', url: 'https://siem.example.com/', events: ['token.enrolled'] };
    await application.services.webhooks.add(OPERATOR, receiver);
    const visitor = await someone().signIn();
    const { serial, uri, code } = await begin(visitor);
    expect(serial).toMatch(/^TOTP/);
    expect(uri).toMatch(
      new RegExp(`^otpauth://totp/tan.example.com:${user}\\?secret=[A-Z2-7]{32}&issuer=tan.example.com$`),
    );
    expect(await stateOf(visitor, serial)).toBe('rollout');
    expect(failureOf(await prove(visitor, serial, wrongResponse(code())))).toEqual(WRONG);
    expect(await shown(serial)).toMatchObject({ failCount: 1, active: false, rollout: 'phase1' });
    expect(valueOf(await prove(visitor, serial, code()))).toBe(true);
    expect(await shown(serial)).toMatchObject({ failCount: 0, active: true, rollout: 'complete' });
    const actor = `user:${user}@customers`;
    const audited = (await auditOf('self/enrol/prove')).filter(({ subject }) => subject === serial);
    expect(audited).toMatchObject([
      { actor, outcome: 'accepted' },
      { actor, outcome: 'wrong' },
    ]);
    const events = await application.rows<{ data: string }>(
      "SELECT data FROM webhook_events WHERE type = 'token.enrolled'",
      [],
    );
    expect(events.map(({ data }) => data).join()).toContain(serial);
  });

  it('takes the code that proves it nowhere else, and the next one as a pass or to sign in', async () => {
    const visitor = await someone().signIn();
    const { serial, code } = await begin(visitor);
    await prove(visitor, serial, code());
    expect(await validate(code())).toBe(false);
    application.clock.advance(30);
    expect(await validate(code())).toBe(true);
    application.clock.advance(30);
    const again = someone();
    const { tokens } = valueOf((await again.begin()).response) as { tokens: readonly string[] };
    await again.begin({ token: `${tokens.findIndex((end) => serial.endsWith(end.slice(1)))}` });
    expect((await again.post('/self/sign-in/finish', { response: code() })).status).toBe(200);
  });

  it('takes nothing before, also for those who administer tokens', async () => {
    const { serial, code } = await begin(await someone().signIn());
    expect(await validate(code())).toBe(false);
    expect(valueOf(await application.send('/validate/check_s', { serial, pass: code() }))).toBe(false);
    expect((await application.asAdmin('/admin/enable', { serial })).body).toMatchObject({
      result: { status: false },
    });
    await expect(
      application.services.administrators.setSecondFactor(OPERATOR, 'admin', serial),
    ).rejects.toMatchObject({ code: 'token.unknown' });
    expect(valueOf((await someone().begin()).response)).toMatchObject({ tokens: ['…hone'] });
    expect((await shown(serial)).active).toBe(false);
  });

  it('leaves the passes of the other tokens as they were', async () => {
    const owner = { user, realm: 'customers', otpkey: '00'.repeat(20) };
    await application.services.enrolment.init(OPERATOR, { ...owner, type: 'totp', serial: `${user}-old` });
    await begin(await someone().signIn({ token: '1' }));
    expect(await validate(totpAt(application.clock.now(), new Uint8Array(20)))).toBe(true);
  });

  it('is completed once, where several prove it at once, at two servers', async () => {
    const visitor = await someone().signIn();
    const { serial, code } = await begin(visitor);
    const there = await someone().signIn();
    there.at(application.beside());
    const answers = await Promise.all(
      [visitor, there, visitor, there].map((one) => prove(one, serial, code())),
    );
    expect(answers.filter((answer) => valueOf(answer) === true)).toHaveLength(1);
  });

  it('is over after too many wrong codes', async () => {
    const visitor = await someone().signIn();
    const { serial, code } = await begin(visitor);
    await application.services.tokens.set(OPERATOR, { serial }, { maxFail: 2 });
    for (let wrong = 0; wrong < 2; wrong += 1) {
      await prove(visitor, serial, wrongResponse(code()));
    }
    expect(await stateOf(visitor, serial)).toBe('unfinished');
    expect(failureOf(await prove(visitor, serial, code()))).toEqual(WRONG);
  });

  it('is over once the helpdesk reports it as lost, also while its code is under way', async () => {
    const visitor = await someone().signIn();
    const { serial, code } = await begin(visitor);
    const lose = () => application.services.tokens.lose(OPERATOR, { serial });
    const proven = await whileHeld(WRITING_A_TOKEN, () => prove(visitor, serial, code()), lose);
    expect(failureOf(proven)).toEqual(WRONG);
    expect(await stateOf(visitor, serial)).toBe('unfinished');
    const gone = [200, `No token found with the serial '${serial}'`];
    expect(failureOf(await prove(visitor, serial, code()))).toEqual(gone);
    expect(await shown(serial)).toMatchObject({ lostBy: 'test', active: false, rollout: 'phase1' });
  });

  it.each<[string, (visitor: Visitor) => Promise<unknown>]>([
    ['another one is begun', begin],
    ['it is cancelled', (visitor) => visitor.post('/self/enrol/cancel')],
    ['a phone is reported as lost', (visitor) => visitor.post('/self/lock', { serial: `${user}-old` })],
  ])('is over once %s', async (_case, happens) => {
    const owner = { user, realm: 'customers', otpkey: '00'.repeat(20) };
    await application.services.enrolment.init(OPERATOR, { ...owner, type: 'totp', serial: `${user}-old` });
    const visitor = await someone().signIn({ token: '1' });
    const { serial, code } = await begin(visitor);
    application.clock.advance(1);
    await happens(visitor);
    expect(failureOf(await prove(visitor, serial, code()))).toEqual([
      200,
      `No token found with the serial '${serial}'`,
    ]);
    expect((await visitor.tokens()).map((token) => token.serial)).not.toContain(serial);
  });

  it('asks for as much as the token that confirmed it, and may do no more', async () => {
    const phone = { serial: `${user}-phone` };
    const { tokens } = application.services;
    const visitor = await someone().signIn();
    await tokens.set(OPERATOR, phone, { pin: 'pin', maxFail: 6, use: { maxSuccesses: '5' } });
    const asked = askedBy(await visitor.post('/self/enrol', TYPE));
    const response = `pin${answerTo(asked)}`;
    const enrolled = valueOf(await visitor.post('/self/enrol/finish', { response, ...TYPE }));
    const { serial } = enrolled as { serial: string };
    expect(await shown(serial)).toMatchObject({ hasPin: true, maxFail: 6, use: { maxSuccesses: 4 } });
  });

  it('needs the action of its own, and no other one', async () => {
    const visitor = await someone().signIn();
    const { serial, code } = await begin(visitor);
    await allow(ALL);
    for (const path of ['/self/enrol', '/self/enrol/finish', '/self/enrol/prove']) {
      expect(failureOf(await visitor.post(path, { ...TYPE, serial, response: code() }))).toEqual(NOT_THERE);
    }
    await allow('enroltotp');
    expect(failureOf(await visitor.post('/self/enrol'))).toEqual(NOT_THERE);
    expect(valueOf(await prove(visitor, serial, code()))).toBe(true);
  });

  it('is not proven by anybody else, nor one of the helpdesk', async () => {
    const visitor = await someone().signIn();
    const { serial, code } = await begin(visitor);
    await application.services.tokens.assign(OPERATOR, { serial, user: 'anna1', realm: 'customers' });
    for (const one of [serial, `${user}-phone`]) {
      expect(failureOf(await prove(visitor, one, code()))).toEqual([
        200,
        `No token found with the serial '${one}'`,
      ]);
    }
    expect((await shown(serial)).rollout).toBe('phase1');
  });
});
