import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PortalPhone, send } from './portal-phone.ts';
import { codeOn, hiddenField, type PortalAnswer, PortalVisitor, type ShownCode } from './portal-visitor.ts';
import { APP_URL, type RunningPortal, startPortalAndServer } from './running-portal.ts';

let portal: RunningPortal;
let ada: PortalVisitor;
let phone: PortalPhone;

beforeAll(async () => {
  portal = await startPortalAndServer();
  ada = await loggedIn('ada');
  phone = new PortalPhone(portal.application.clock);
});

afterAll(async () => {
  await portal[Symbol.asyncDispose]();
});

async function loggedIn(user: string): Promise<PortalVisitor> {
  const visitor = new PortalVisitor(portal.origin());
  await visitor.logIn(user, portal.passwords.get(user));
  return visitor;
}

async function payment(
  visitor: PortalVisitor,
  fields: Record<string, string> = {},
): Promise<{ order: string; page: PortalAnswer; shown: ShownCode }> {
  const order = hiddenField(await visitor.get('/'), 'order');
  const page = await visitor.post('/payments', { order, amount: '120', payee: 'Bert', ...fields });
  return { order, page, shown: codeOn(page) };
}

async function untilWaiting(): Promise<void> {
  const { metrics } = portal.application;
  while (!(await metrics.text()).includes('\ntankeeper_status_waiting_requests 1\n')) {
    await sleep(10);
  }
}

/** @returns the number of times that the portal carried an order out */
function timesPaid(order: string): number {
  return portal
    .output()
    .split('\n')
    .filter((line) => line === `portal: paid ${order}`).length;
}

describe('the roll-out', () => {
  it('comes first, in both phases, and the first response completes it', async () => {
    const start = await ada.get('/');
    expect(start.path).toBe('/enrol');
    expect(start.text).toContain(`href="${APP_URL}"`);
    const first = codeOn(await ada.post('/enrol', { phase: '1' }));
    expect(await phone.scan(first.code)).toMatchObject({ kind: 'init', serial: 'PORTAL-ada' });

    // A second submit renews the token, and makes no other.
    const again = codeOn(await ada.post('/enrol', { phase: '1' }));
    expect(again.code).not.toBe(first.code);
    await phone.scan(again.code);

    const page = await ada.post('/enrol', { phase: '2' });
    const activationCode = /id="activation-code">([^<]+)</.exec(page.text)?.[1] ?? '';
    const second = codeOn(page);
    expect(await ada.state('/enrol/status')).toEqual({ state: 'open', failcount: 0 });
    expect(await phone.confirm(second.code, activationCode)).toEqual({ message: 'Welcome', accepted: true });
    expect(await ada.state('/enrol/status?wait=20S')).toEqual({ state: 'accepted', failcount: 0 });
    expect((await ada.get('/enrol')).path).toBe('/');
  });

  it('cannot be repeated by the password alone', async () => {
    const thief = await loggedIn('ada');
    const page = await thief.post('/enrol', { phase: '1' });
    expect(page.path).toBe('/');
    expect(page.text).not.toContain('lseqr://');
    const { shown } = await payment(ada);
    expect((await phone.respond(shown.code)).message).toBe('Pay 120 EUR to Bert?');
  });
});

describe('a payment', () => {
  it('is shown by the app as it is, and carried out once it is confirmed', async () => {
    const { order, page, shown } = await payment(ada);
    expect(page.path).toBe(`/payments/${order}`);
    expect(shown.status).toBe(`/payments/${order}/status`);
    expect(await ada.state(shown.status)).toEqual({ state: 'open', failcount: 0 });
    const waiting = ada.state(`${shown.status}?wait=20S`);
    expect(await phone.confirm(shown.code)).toEqual({ message: 'Pay 120 EUR to Bert?', accepted: true });
    expect(await waiting).toEqual({ state: 'accepted', failcount: 0 });
    expect((await ada.get(`/payments/${order}`)).text).toContain('Payment done');
    expect(timesPaid(order)).toBe(1);
  });

  it('is carried out by typed digits', async () => {
    const { order, shown } = await payment(ada);
    const { fields } = await phone.respond(shown.code);
    const wrong = await ada.post(shown.status, { response: '000000' });
    expect(JSON.parse(wrong.text)).toEqual({ state: 'open', failcount: 1 });
    const right = await ada.post(shown.status, { response: fields.pass });
    expect(JSON.parse(right.text)).toEqual({ state: 'accepted', failcount: 0 });
    expect(timesPaid(order)).toBe(1);
  });

  it('is one payment when the form is submitted twice, or at the same time', async () => {
    const order = randomUUID();
    const fields = { order, amount: '120', payee: 'Bert' };
    const pages = await Promise.all([ada.post('/payments', fields), ada.post('/payments', fields)]);
    const [one, other] = pages.map(codeOn);
    expect(other).toEqual(one);
    await phone.confirm(one?.code ?? '');
    expect((await ada.post('/payments', fields)).text).toContain('Payment done');
    expect(timesPaid(order)).toBe(1);
  });

  it('is carried out once when its response comes again', async () => {
    const { order, shown } = await payment(ada);
    const response = await phone.respond(shown.code);
    expect(await Promise.all([send(response), send(response)])).toContain(true);
    expect(await send(response)).toBe(false);
    await ada.state(shown.status);
    const replay = await ada.post(shown.status, { response: response.fields.pass });
    expect(JSON.parse(replay.text)).toMatchObject({ state: 'accepted' });
    expect(timesPaid(order)).toBe(1);
  });

  it('is not carried out by the response of another one', async () => {
    const [first, second] = [await payment(ada), await payment(ada, { amount: '9000' })];
    const { fields } = await phone.respond(first.shown.code);
    await ada.post(second.shown.status, { response: fields.pass });
    expect(await ada.state(second.shown.status)).toMatchObject({ state: 'open' });
    expect(timesPaid(second.order)).toBe(0);
  });

  it('stops at once when the user declines it in the app, and is never carried out', async () => {
    const { order, shown } = await payment(ada);
    const response = await phone.respond(shown.code);
    await ada.state(shown.status);
    const waiting = ada.state(`${shown.status}?wait=20S`);
    await untilWaiting();
    await phone.decline(shown.code, 'declined');
    expect(await waiting).toMatchObject({ state: 'declined' });
    expect(await send(response)).toBe(false);
    expect((await ada.get(`/payments/${order}`)).text).toContain('Payment declined');
    expect((await ada.get('/')).text).toContain('Declined by you');
    expect(timesPaid(order)).toBe(0);
  });

  it('that the user has not ordered is stopped, and the bank is told once', async () => {
    const { order, shown } = await payment(ada);
    await phone.decline(shown.code, 'reported');
    await Promise.all([ada.state(shown.status), ada.state(shown.status)]);
    expect((await ada.get(`/payments/${order}`)).text).toContain('please change it. We call you.');
    expect(portal.output().split(`portal: reported ${order}`)).toHaveLength(2);
    // As housekeeping does.
    await portal.application.rows("DELETE FROM challenges WHERE closed_by = 'reported'");
    expect(await ada.state(shown.status)).toMatchObject({ state: 'declined' });
    expect((await ada.get(`/payments/${order}`)).text).toContain('please change it. We call you.');
    expect(portal.output().split(`portal: reported ${order}`)).toHaveLength(2);
    expect(timesPaid(order)).toBe(0);
  });

  it('is nobody else’s', async () => {
    const emma = await loggedIn('emma');
    const { order, shown } = await payment(ada);
    for (const path of [`/payments/${order}`, shown.status]) {
      expect((await emma.get(path)).status).toBe(404);
      expect((await new PortalVisitor(portal.origin()).get(path)).path).toBe('/login');
    }
    expect((await emma.post(shown.status, { response: '1' })).status).toBe(404);
    expect((await emma.post('/payments', { order, amount: '120', payee: 'Bert' })).status).toBe(404);
  });
});

describe('the portal', () => {
  it('refuses forms of other sites, of other ports and without an origin', async () => {
    for (const origin of ['https://evil.example', 'http://localhost:1', 'null', '']) {
      expect((await ada.post('/payments', { amount: '1' }, { origin })).status).toBe(403);
    }
  });

  it('refuses a wrong password, an unknown user and hostile fields alike', async () => {
    const visitor = new PortalVisitor(portal.origin());
    for (const [user, password] of [
      ['ada', 'wrong'],
      ['nobody', ''],
      ['<b>', '__proto__'],
      ['constructor', 'constructor'],
    ] as const) {
      const answer = await visitor.logIn(user, password);
      expect([answer.status, answer.text.includes('Name or password is wrong.')]).toEqual([401, true]);
    }
    expect((await visitor.get('/')).path).toBe('/login');
  });

  it.each([
    { amount: '0' },
    { amount: '-1' },
    { amount: '1e3' },
    { payee: '' },
    { payee: '<script>' },
    { payee: 'Bert\u202e' },
    { order: 'x' },
  ])('refuses the order %j', async (fields) => {
    const answer = await ada.post('/payments', {
      order: randomUUID(),
      amount: '120',
      payee: 'Bert',
      ...fields,
    });
    expect(answer.status).toBe(400);
  });

  it.each([
    ['http', ''],
    ['https', '; Secure'],
  ])('gives the session to its own pages alone, over %s', async (protocol, more) => {
    const answer = await fetch(`${portal.origin()}/login`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: portal.origin(), 'x-forwarded-proto': protocol },
      body: new URLSearchParams({ user: 'ada', password: portal.passwords.get('ada') ?? '' }),
    });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(`^portal=[-\\da-f]{36}; Path=/; HttpOnly${more}; SameSite=Lax$`),
    ]);
  });

  it('escapes what it shows, and sends a strict policy', async () => {
    const { page } = await payment(ada, { payee: "Bert O'Hara" });
    expect(page.text).toContain('Bert O&#39;Hara');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toContain('unsafe');
    expect(page.text).not.toMatch(/<script>|<style| style=| on\w+=/);
  });

  it('serves the component and its own files, but no source', async () => {
    expect((await ada.get('/tankeeper-challenge.js')).text).toContain('SPDX-License-Identifier: MIT');
    expect((await ada.get('/portal.css')).status).toBe(200);
    for (const path of ['/server.js', '/..%2fserver.js', '/package.json', '/nothing']) {
      expect((await ada.get(path)).status).toBe(404);
    }
  });

  it('says 401 to the component after a restart, which knows no session and pays nothing', async () => {
    const { order, shown } = await payment(ada);
    await portal.restart();
    ada = new PortalVisitor(portal.origin());
    expect((await ada.get(shown.status, 'application/json')).status).toBe(401);
    await phone.confirm(shown.code);
    await ada.logIn('ada', portal.passwords.get('ada'));
    // The token is known to the server: no second roll-out.
    expect((await ada.get('/')).path).toBe('/');
    expect((await ada.get(`/payments/${order}`)).status).toBe(404);
    expect(timesPaid(order)).toBe(0);
  });

  it('keeps secrets out of its output', () => {
    const output = portal.output();
    for (const secret of [portal.apiToken, ...portal.passwords.values(), 'lseqr://']) {
      expect(output).not.toContain(secret);
    }
  });
});
