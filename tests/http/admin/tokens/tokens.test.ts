import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  applicationOfTests,
  BoundedAdministrators,
  OPERATOR,
  wrongResponse,
} from '../../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';

describe.each(['documented', 'linotp'] as const)('/admin/show, in the dialect %s', (dialect) => {
  const application = applicationOfTests({ dialect });
  let bounded: BoundedAdministrators;

  beforeAll(async () => {
    await application.addRealm('north', ['ann', 'zoe']);
    await application.addRealm('south', ['bob']);
    await application.enrolPlain('T1', SUITE, { user: 'zoe', realm: 'north', description: '=1+1; "x"' });
    await application.enrolPlain('T2', SUITE, { user: 'ann', realm: 'north', description: '100%_sure' });
    await application.enrolPlain('T3', SUITE, { user: 'bob', realm: 'south', description: 'front door' });
    await application.asAdmin('/admin/set', { serial: 'T2', MaxFailCount: '3' });
    bounded = await BoundedAdministrators.of(application);
    await bounded.add('north-desk', 'show', 'north');
  });

  const ask = async (parameters: Record<string, string>, as?: string): Promise<string> => {
    const { text } =
      as === undefined
        ? await application.asAdmin('/admin/show', parameters, 'get')
        : await bounded.get(as, '/admin/show', parameters);
    return text;
  };
  const serials = async (parameters: Record<string, string>, as?: string): Promise<readonly string[]> =>
    [...(await ask(parameters, as)).matchAll(/"(T[1-3])"/g)].map(([, serial = '']) => serial);

  it.each([
    ['TokenSerialnumber', 'desc', ['T3', 'T2', 'T1']],
    ['LinOtp.TokenSerialnumber', '', ['T1', 'T2', 'T3']],
    ['username', 'asc', ['T2', 'T3', 'T1']],
    ['User.username', 'desc', ['T1', 'T3', 'T2']],
    ['maxfail', 'asc', ['T2', 'T1', 'T3']],
    ['TokenId', 'DESC', ['T3', 'T2', 'T1']],
    ['', '', ['T1', 'T2', 'T3']],
  ])('sorts by %j %j', async (sortby, sortdir, expected) => {
    expect(await serials({ sortby, sortdir, page: '1', pagesize: '15', filter: '' })).toEqual(expected);
  });

  it('refuses an order that is none, whatever it holds', async () => {
    for (const sortby of ["serial'; DROP TABLE tokens; --", 'pin', '1', 'constructor']) {
      expect(await ask({ sortby })).toContain("the parameter 'sortby' is one of TokenSerialnumber");
    }
    expect(await ask({ sortdir: 'up' })).toContain("'sortdir' is asc or desc");
    expect(await serials({})).toHaveLength(3);
  });

  it.each([
    ['t2', ['T2']],
    ['ZO', ['T1']],
    ['OCRA', ['T1', 'T2', 'T3']],
    ['front*door', ['T3']],
    ['fr*', ['T3']],
    ['%', ['T2']],
    ['_', ['T2']],
    ['*', ['T1', 'T2', 'T3']],
    [' ', ['T1', 'T2', 'T3']],
    ["' OR 1=1 --", []],
    ['x'.repeat(1_000), []],
  ])('finds by the filter %j', async (filter, expected) => {
    expect(await serials({ filter })).toEqual(expected);
  });

  it('counts what a page is part of', async () => {
    const total = dialect === 'linotp' ? /"tokens": (\d+)/ : /"total": (\d+)/;
    const counted = async (parameters: Record<string, string>, as?: string) =>
      total.exec(await ask({ pagesize: '1', ...parameters }, as))?.[1];
    expect(await counted({})).toBe('3');
    expect(await counted({ viewrealm: 'north,south' })).toBe('3');
    expect(await counted({ viewrealm: 'south' })).toBe('1');
    expect(await counted({ filter: 'T2' })).toBe('1');
    expect(await counted({}, 'north-desk')).toBe('2');
    expect(await counted({ filter: 'T' }, 'north-desk')).toBe('2');
  });

  it('gives a page of a size, and the rest of the tokens on the next', async () => {
    expect(await serials({ pagesize: '2' })).toEqual(['T1', 'T2']);
    expect(await serials({ pagesize: '2', page: '2' })).toEqual(['T3']);
  });

  it('gives a table without formulas, of an administrator’s realms alone', async () => {
    const answer = await application.asAdmin('/admin/show', { outform: 'csv' }, 'get');
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(answer.headers['content-disposition']).toBe('attachment; filename="tokens.csv"');
    const lines = answer.text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toContain(
      dialect === 'linotp' ? 'LinOtp.TokenType;LinOtp.TokenSerialnumber;' : 'serial,type,description,',
    );
    expect(lines[1]).toContain(`"'=1+1; ""x"""`);
    const ofNorth = await ask({ outform: 'CSV' }, 'north-desk');
    expect(ofNorth.trimEnd().split('\r\n')).toHaveLength(3);
    expect(ofNorth).not.toContain('T3');
    const page = await ask({ outform: 'csv', pagesize: '1', page: '2', sortby: 'username' });
    // Words: times have a T, too.
    expect(page.match(/\bT[13]\b/g)).toEqual(['T3']);
  });

  it('refuses another form, and a whole table in an order that takes all tokens at once', async () => {
    expect(await ask({ outform: 'xml' })).toContain("'outform' is json or csv");
    expect(await ask({ outform: 'csv', sortby: 'username' })).toContain("leave out 'sortby'");
  });
});

describe.each(['documented', 'linotp'] as const)('/admin/userlist by pages, in the dialect %s', (dialect) => {
  const application = applicationOfTests({ dialect });
  const logins = Array.from({ length: 20 }, (_, index) => `user${String(index).padStart(2, '0')}`);

  beforeAll(() => application.addRealm('north', logins));

  const ask = async (parameters: Record<string, string>) => {
    const given = { username: '*', realm: 'north', ...parameters };
    return (await application.ask('/admin/userlist', given, 'get')) as Page;
  };
  interface Page {
    readonly value?: readonly { readonly username: string }[];
    readonly queried?: number;
    readonly error?: { readonly message: string };
  }

  it('has exactly rp users on a page, each once, and none beyond the end', async () => {
    const listed: string[] = [];
    for (let page = 1; ; page += 1) {
      const { value = [], queried } = await ask({ page: String(page), rp: '7' });
      expect(queried).toBe(value.length);
      if (value.length === 0) {
        expect(page).toBe(4);
        break;
      }
      listed.push(...value.map(({ username }) => username));
    }
    expect(listed).toEqual(logins);
  });

  it('has a usual number of users on a page, and all without one', async () => {
    expect((await ask({ page: '1' })).queried).toBe(16);
    expect((await ask({ rp: '3' })).queried).toBe(3);
    expect((await ask({ page: '0', rp: '3' })).value?.[0]?.username).toBe('user00');
    expect((await ask({})).queried).toBe(20);
    expect((await ask({ page: '', rp: '' })).queried).toBe(20);
  });

  it.each([{ page: 'one' }, { page: '-1' }, { page: '1.5' }, { rp: 'x', page: '1' }, { rp: '0' }])(
    'refuses %j',
    async (parameters) => {
      expect((await ask(parameters)).error?.message).toContain('must be a whole number');
    },
  );
});

const ROLL_OUT = { type: 'ocra', genkey: '1', realm: 'bank' };
const NO_PINS = ['', ' ', '\t ', '\u00a0', '\u3000', '\u200b', '\u2800', '\u00ad\u3164', '\u0001'];

let number = 0;

describe.each(['documented', 'linotp'] as const)('a token PIN, in the dialect %s', (dialect) => {
  const application = applicationOfTests({ dialect });
  let serial: string;

  beforeAll(() => application.addRealm('bank', ['ann']));

  beforeEach(async () => {
    number += 1;
    serial = `PIN${number}`;
    await application.enrolPlain(serial, SUITE, { user: 'ann', realm: 'bank', pin: '1234', ocrapin: '42' });
  });

  const ask = async (path: string, parameters: Record<string, string>): Promise<string> =>
    JSON.stringify((await application.asAdmin(path, parameters)).body);
  /** As it is shown, without the PIN. */
  const hasPin = async (): Promise<boolean> => {
    const shown = await ask(dialect === 'linotp' ? '/admin/token/show' : '/admin/show', { serial });
    expect(shown).not.toMatch(/1234|5678/);
    return /"has_?pin":true/.test(shown);
  };
  const acts = async (): Promise<unknown[]> =>
    application.rows(
      `SELECT action, outcome FROM audit WHERE subject = '${serial}' AND action <> 'admin/init' ORDER BY id`,
    );

  it.each(NO_PINS)('is not removed by the value %j, whatever the request', async (pin) => {
    for (const [path, more] of [
      ['/admin/set', {}],
      ['/admin/set', { description: 'new' }],
      ['/admin/assign', { user: 'ann', realm: 'bank' }],
    ] as const) {
      const answer = await ask(path, { serial, pin, ...more });
      expect(answer).toContain('To remove the PIN');
      expect(answer).toMatch(/"status":false/);
    }
    expect(await ask('/admin/set', { serial, ocrapin: pin })).toContain('To remove the PIN');
    expect(await hasPin()).toBe(true);
    expect(await acts()).toEqual([]);
  });

  it('is removed by that request alone, which the audit tells from a change', async () => {
    await ask('/admin/set', { serial, pin: '5678' });
    for (const values of [
      { removepin: '' },
      { removepin: 'true' },
      { removepin: '1', pin: '' },
      { removepin: '1', description: 'new' },
      { removepin: '1', removeocrapin: '1' },
    ]) {
      expect(await ask('/admin/set', { serial, ...values })).toMatch(/"status":false/);
    }
    expect(await hasPin()).toBe(true);
    expect(await ask('/admin/set', { serial, removepin: '1' })).toMatch(/"status":true/);
    expect(await hasPin()).toBe(false);
    await ask('/admin/set', { serial, ocrapin: '99' });
    await ask('/admin/set', { serial, removeocrapin: '1' });
    expect(await acts()).toEqual([
      { action: 'token/set', outcome: 'changed pin' },
      { action: 'token/remove-pin', outcome: 'removed pin' },
      { action: 'token/set', outcome: 'changed ocraPin' },
      { action: 'token/remove-ocra-pin', outcome: 'removed ocraPin' },
    ]);
  });

  it('that is empty changes nothing for a token without one, and the rest of the request is done', async () => {
    const own = `BARE${serial}`;
    await application.enrolPlain(own, SUITE);
    for (const [path, values] of [
      ['/admin/set', { pin: '', MaxFailCount: '5' }],
      ['/admin/set', { ocrapin: '', description: 'of old' }],
      ['/admin/set', { pin: '' }],
      ['/admin/assign', { pin: '', user: 'ann', realm: 'bank' }],
    ] as const) {
      expect(await ask(path, { serial: own, ...values })).toMatch(/"status":true/);
    }
    expect(await application.services.tokens.show(OPERATOR, own)).toMatchObject({
      hasPin: false,
      maxFail: 5,
      description: 'of old',
      owner: { login: 'ann' },
    });
    expect(await ask('/admin/set', { serial: own, pin: ' ', MaxFailCount: '6' })).toContain(
      'To remove the PIN',
    );
  });

  it('stays where the token gets a new key, also that of a suite with P, unless there is a new one', async () => {
    const secrets = async (): Promise<unknown> =>
      application.rows(`SELECT pin, ocra_pin FROM tokens WHERE serial = '${serial}'`);
    await ask('/admin/set', { serial, ocrapin: '99' });
    const before = await secrets();
    for (const empty of [{}, { pin: '', ocrapin: '' }]) {
      expect(await ask('/admin/init', { ...ROLL_OUT, serial, ...empty })).toMatch(/"status":true/);
      expect(await secrets()).toEqual(before);
    }
    await ask('/admin/init', { ...ROLL_OUT, serial, pin: '5678' });
    expect(await secrets()).not.toEqual(before);
    expect(await hasPin()).toBe(true);
  });

  it('of the first phase is not lost by an empty one in the second', async () => {
    const own = `ROLL${serial}`;
    await ask('/admin/init', { ...ROLL_OUT, serial: own, sharedsecret: '1', pin: '1234' });
    await ask('/admin/init', { ...ROLL_OUT, serial: own, activationcode: 'GEZDGNBVGY3TQOJQ01', pin: '' });
    expect(await application.services.tokens.show(OPERATOR, own)).toMatchObject({
      rollout: 'phase2',
      hasPin: true,
    });
  });

  it('is none where an enrolment has an empty field for it, as forms send it', async () => {
    const own = `NONE${serial}`;
    await ask('/admin/init', { ...ROLL_OUT, serial: own, pin: '', ocrapin: '' });
    expect(await application.services.tokens.show(OPERATOR, own)).toMatchObject({ hasPin: false });
    expect(await ask('/admin/init', { ...ROLL_OUT, serial: `B${own}`, pin: ' ' })).toMatch(/"status":false/);
  });
});

const PLAIN_SUITE = 'OCRA-1:HOTP-SHA256-8:QN08';

describe.each(['documented', 'linotp'] as const)('/admin/set, in the dialect %s', (dialect) => {
  const application = applicationOfTests({ dialect });
  let serial: string;

  beforeAll(() => application.addRealm('bank', ['ann']));
  beforeEach(async () => {
    number += 1;
    serial = `USE${number}`;
    await application.enrolPlain(serial, PLAIN_SUITE);
  });

  const set = async (parameters: Record<string, string>): Promise<string> =>
    (await application.asAdmin('/admin/set', { serial, ...parameters })).text;
  const use = async () => (await application.services.tokens.show(OPERATOR, serial)).use;
  const isAccepted = async (isRight = true, path = '/ocra/check_t'): Promise<boolean> => {
    const { transactionid, question } = await application.challenge(serial);
    const tan = application.respond(PLAIN_SUITE, question);
    const pass = isRight ? tan : wrongResponse(tan);
    const { text } = await application.send(path, { transactionid, serial, pass });
    return /"(result|value)": true/.test(text);
  };
  /** True if a wrong response counts for nothing, as of a disabled token. */
  const isUncounted = async (): Promise<boolean> =>
    !(await isAccepted(false)) && (await application.services.tokens.show(OPERATOR, serial)).failCount === 0;
  const minutesAhead = (minutes: number): string =>
    new Date(application.clock.now().getTime() + minutes * 60_000).toISOString();

  it('bounds the period of a token, which is then accepted in it alone', async () => {
    await set({ validityPeriodStart: minutesAhead(2), validityPeriodEnd: minutesAhead(4) });
    expect(await isUncounted()).toBe(true);
    expect(await isAccepted()).toBe(false);
    expect(await isAccepted(true, '/validate/check_s')).toBe(false);
    application.clock.advance(121);
    expect(await isAccepted()).toBe(true);
    expect(await isAccepted(true, '/validate/check_s')).toBe(true);
    application.clock.advance(120);
    expect(await isAccepted()).toBe(false);
    expect(await isAccepted(true, '/validate/check_s')).toBe(false);
    expect(await isUncounted()).toBe(true);
    await set({ validityPeriodEnd: '', validityPeriodStart: '' });
    expect(await use()).toMatchObject({ validFrom: null, validUntil: null });
    expect(await isAccepted()).toBe(true);
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
        const pass = application.respond(PLAIN_SUITE, question);
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
    ['CounterWindow', '0'],
    ['SyncWindow', '0'],
    ['SyncWindow', '10001'],
    ['MaxFailCount', '0'],
    ['MaxFailCount', '1000001'],
    ['MaxFailCount', '1.5'],
    ['MaxFailCount', ''],
    ['timeShift', '1e3'],
  ])('refuses %s=%s by its name, and sets the others', async (name, value) => {
    const before = await application.services.tokens.show(OPERATOR, serial);
    expect(await set({ [name]: value })).toContain('"status": false');
    const answer = await set({ [name]: value, description: 'new', pin: '1234' });
    expect(answer).toContain('"status": true');
    expect(answer).toContain(`The parameter '${name}' is not set: the `);
    expect(answer).not.toContain(`"set ${name}"`);
    expect(answer).not.toContain('1234');
    expect(await application.services.tokens.show(OPERATOR, serial)).toEqual({
      ...before,
      description: 'new',
      hasPin: true,
      revision: String(Number(before.revision) + 1),
    });
  });

  it('names each of several that cannot be, and sets none where there are no others', async () => {
    const zeros = { CounterWindow: '0', SyncWindow: '0', MaxFailCount: '0' };
    for (const answer of [await set(zeros), await set({ ...zeros, description: 'new' })]) {
      for (const name of ['counter window', 'sync window', 'fail counter limit']) {
        expect(answer).toContain(`${name} must be a whole number`);
      }
    }
    expect(await set(zeros)).toContain('"status": false');
  });

  it('sets no half of a period whose ends contradict each other', async () => {
    const period = { validityPeriodStart: '01/01/30 08:00', validityPeriodEnd: '01/01/29 08:00' };
    expect(await set(period)).toContain('"status": false');
    const answer = await set({ ...period, description: 'new' });
    for (const name of Object.keys(period)) {
      expect(answer).toContain(`The parameter '${name}' is not set`);
    }
    expect(await use()).toMatchObject({ validFrom: null, validUntil: null });
    expect(await set({ ...period, validityPeriodStart: 'tomorrow' })).toContain(
      "'validityPeriodStart' is not set",
    );
    expect(await use()).toMatchObject({ validFrom: null, validUntil: new Date(2029, 0, 1, 8) });
  });

  it('refuses for all tokens of a user what one of them cannot have', async () => {
    const others = `${serial}B`;
    await application.addRealm(`of${serial}`, ['ann']);
    for (const each of [serial, others]) {
      await (each === serial ? undefined : application.enrolPlain(each, PLAIN_SUITE));
      await application.services.tokens.assign(OPERATOR, { serial: each, user: 'ann', realm: `of${serial}` });
    }
    await application.asAdmin('/admin/set', { serial: others, validityPeriodEnd: '01/01/26 08:00' });
    const { text } = await application.asAdmin('/admin/set', {
      user: 'ann',
      realm: `of${serial}`,
      validityPeriodStart: '01/01/27 08:00',
      MaxFailCount: '7',
    });
    expect(text).toContain("The parameter 'validityPeriodStart' is not set");
    for (const each of [serial, others]) {
      expect(await application.services.tokens.show(OPERATOR, each)).toMatchObject({
        maxFail: 7,
        use: { validFrom: null },
      });
    }
  });

  it('refuses a period that ends before it begins, also by a later change', async () => {
    await set({ validityPeriodEnd: '01/01/26 08:00' });
    expect(await set({ validityPeriodStart: '01/01/26 08:00' })).toContain('"status": false');
    expect(await use()).toMatchObject({ validFrom: null });
    const later = { validityPeriodStart: '01/01/27 08:00', validityPeriodEnd: '01/01/28 08:00' };
    expect(await set(later)).not.toContain('is not set');
    const earlier = { validityPeriodStart: '01/01/24 08:00', validityPeriodEnd: '01/01/25 08:00' };
    expect(await set(earlier)).not.toContain('is not set');
    expect(await use()).toMatchObject({ validUntil: new Date(2025, 0, 1, 8) });
  });

  it('sets the clock shift of a device, a day at most', async () => {
    expect(await set({ timeShift: '-30' })).toContain('"status": true');
    expect((await application.services.tokens.show(OPERATOR, serial)).timeShift).toBe(-30);
    expect(await set({ timeShift: '86401' })).toContain('time shift');
  });

  it.each([
    ['hashlib', 'sha512', 'part of the OCRA suite'],
    ['OtpLen', '6', 'part of the OCRA suite'],
    ['timeWindow', '300', 'ocra.timeWindow'],
    ['timeStep', '60', 'part of the OCRA suite'],
    ['phone', '+49 1', "The parameter 'phone' is not set"],
  ])('refuses %s of an OCRA token, and sets the others', async (name, value, reason) => {
    const alone = await set({ [name]: value });
    expect(alone).toContain('"status": false');
    expect(alone).toContain(reason);
    const beside = await set({ [name]: value, MaxFailCount: '7' });
    expect(beside).toContain('"status": true');
    expect(beside).toContain(`The parameter '${name}' is not set`);
    expect((await application.services.tokens.show(OPERATOR, serial)).maxFail).toBe(7);
  });
});
