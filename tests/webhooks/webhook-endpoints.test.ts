import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OPERATOR, applicationOfTests } from '../support/application/test-application.ts';
import { WebhookReceiver } from '../support/servers/webhook-receiver.ts';
import { callerNamed } from '../support/values/callers.ts';
import { DeliveringApplication, TestDispatcher } from './delivering-application.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const SECRET = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/);
const SIEM = { name: 'siem' };
const CHANGES = ['add', 'set', 'rotate-secret', 'enable', 'disable', 'test', 'retry', 'remove'];

let receiver: WebhookReceiver;
afterAll(() => receiver.stop());
const application = applicationOfTests();

beforeAll(async () => {
  await application.addRealm('office');
  receiver = await WebhookReceiver.start();
});

/** @returns the value of the answer */
async function value(act: string, given: Record<string, string> = SIEM): Promise<unknown> {
  const { body } = (await application.asAdmin(`/admin/webhook/${act}`, given)) as {
    body: { result: { value: unknown } };
  };
  return body.result.value;
}

function signingRow(): Promise<object[]> {
  return application.rows('SELECT secret, previous_secret, is_enabled FROM webhooks');
}

describe('the endpoints of webhooks', () => {
  it('add a receiver, list it without its secret, switch it, and remove it', async () => {
    const url = ' https://siem.example.com/ ';
    const added = await value('add', { ...SIEM, url, events: 'token.locked', realms: 'Office' });
    expect(added).toEqual({ secret: SECRET });
    expect(await value('rotate-secret')).toEqual({ secret: SECRET });
    expect(await value('disable')).toBe(true);
    const shown = {
      name: 'siem',
      url: 'https://siem.example.com/',
      events: ['token.locked'],
      realms: ['office'],
      active: false,
      is_public_only: true,
      created_at: TIME,
      waiting: 0,
      oldest_waiting_at: null,
      given_up: 0,
      delivered: 0,
      last_success_at: null,
      last_failure_at: null,
      last_failure: '',
    };
    const event = { type: 'token.key_changed', meaning: expect.any(String) };
    expect(await value('list', {})).toEqual([shown]);
    expect(await value('show')).toEqual(shown);
    expect(await value('events', {})).toEqual(expect.arrayContaining([event]));
    expect(await value('enable')).toBe(true);
    expect(await value('list', {})).toMatchObject([{ active: true }]);
    expect(await value('deliveries')).toEqual([]);
    expect(await value('retry')).toBe(0);
    expect(await value('remove')).toBe(0);
    expect(await value('list', {})).toEqual([]);
  });

  it('change what is given of a receiver, and keep its secret', async () => {
    await value('add', { ...SIEM, url: 'https://siem.example.com/' });
    const before = await signingRow();
    const moved = { ...SIEM, url: ' https://new.example.com/in ', events: 'token.locked', realms: 'Office' };
    expect(await value('set', moved)).toBe(true);
    const changed = { url: 'https://new.example.com/in', events: ['token.locked'], realms: ['office'] };
    expect(await value('list', {})).toMatchObject([{ ...changed, is_public_only: true }]);
    expect(await value('set', { ...SIEM, realms: '' })).toBe(true);
    expect(await value('list', {})).toMatchObject([{ ...changed, realms: [] }]);
    expect(await signingRow()).toEqual(before);
    const answer = await application.asAdmin('/admin/audit/search', { action: 'webhook/set' }, 'get');
    expect(answer.body).toMatchObject({
      result: {
        value: { rows: [{ outcome: 'changed realms' }, { outcome: 'changed url, events, realms' }] },
      },
    });
    await value('remove');
  });

  it.each([
    ['an address of an inner network', { url: 'https://10.0.0.5/' }, 'no public address'],
    ['the metadata service of a cloud', { url: 'https://169.254.169.254/' }, 'metadata'],
    ['http', { url: 'http://siem.example.com/' }, 'begins with https://'],
    ['http to this machine', { url: 'http://127.0.0.1/' }, 'begins with https://'],
    ['an unknown event', { events: 'token.lost' }, "no events of the type 'token.lost'"],
    ['no event', { events: '' }, 'one type of events at least'],
    ['an unknown realm', { realms: 'elsewhere' }, "no realm 'elsewhere'"],
  ])('refuse a receiver with %s, and a change to it, and change nothing', async (_what, change, reason) => {
    const given = { ...SIEM, url: 'https://siem.example.com/' };
    await value('add', given);
    const before = await value('list', {});
    for (const [act, name] of [
      ['set', SIEM.name],
      ['add', 'another'],
    ] as const) {
      const answer = await application.asAdmin(`/admin/webhook/${act}`, { ...given, ...change, name });
      expect(answer.body).toHaveProperty('result.error.message', expect.stringContaining(reason));
    }
    expect(await value('list', {})).toEqual(before);
    await value('remove');
  });

  it('bind a receiver that was added at the machine as soon as its address is changed over HTTP', async () => {
    const inner = 'http://10.0.0.5/events';
    await application.services.webhooks.add(OPERATOR, { ...SIEM, url: inner, allowsHttp: true });
    expect(await value('set', { ...SIEM, url: inner, events: 'token.locked' })).toBe(true);
    const kept = { url: inner, allowsHttp: true, isBounded: false, events: ['token.locked'] };
    expect(await application.services.webhooks.list(OPERATOR)).toMatchObject([kept]);
    await application.asAdmin('/admin/webhook/set', { ...SIEM, url: 'http://10.0.0.6/events' });
    expect(await application.services.webhooks.list(OPERATOR)).toMatchObject([kept]);
    expect(await value('set', { ...SIEM, url: 'https://siem.example.com/' })).toBe(true);
    expect(await application.services.webhooks.list(OPERATOR)).toMatchObject([
      { url: 'https://siem.example.com/', allowsHttp: false, isBounded: true },
    ]);
    await value('remove');
  });

  it('show the deliveries that wait, and the answer to a test', async () => {
    await application.services.webhooks.add(OPERATOR, { ...SIEM, url: receiver.url });
    receiver.next.push(404);
    expect(await value('test')).toEqual({
      status: 404,
      failure: 'HTTP 404',
      duration_ms: expect.any(Number),
      event_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(await value('test')).toMatchObject({ status: 200, failure: null });
    await new DeliveringApplication(application).enrol();
    const dispatcher = new TestDispatcher(application.databaseUrl);
    await dispatcher.store.fanOut(10);
    await dispatcher.stop();
    expect(await value('deliveries')).toEqual([
      {
        event_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        type: 'token.enrolled',
        occurred_at: TIME,
        attempts: 0,
        next_attempt_at: TIME,
        given_up_at: null,
        last_failure: '',
      },
    ]);
    expect(await value('retry')).toBe(1);
    expect(await value('remove')).toBe(1);
  });

  it.each(['deliveries', 'show', ...CHANGES.slice(1)])('say so where %s names no receiver', async (act) => {
    await value('add', { ...SIEM, url: 'https://siem.example.com/' });
    const answer = await application.asAdmin(`/admin/webhook/${act}`, { name: 'sime' });
    expect(answer.body).toHaveProperty('result.error.message', "There is no webhook 'sime'");
    await value('remove');
  });
});

const service = () => application.services.webhooks;

describe('the administration of webhooks', () => {
  it('shows the path of a URL to those only who may change it', async () => {
    const reader = callerNamed('admin', { rights: ['system:read'] });
    await service().add(OPERATOR, { name: 'a', url: 'https://siem.example.com/T0/secret?key=1' });
    expect(await service().list(callerNamed('admin', { rights: ['system:write', 'system:read'] }))).toEqual([
      expect.objectContaining({ url: 'https://siem.example.com/T0/secret?key=1' }),
    ]);
    // The path of a URL may be what lets in.
    expect(await service().show(reader, 'a')).toMatchObject({ url: 'https://siem.example.com' });
    await service().remove(OPERATOR, 'a');
  });

  it('takes from administrators no receiver by http://, even where they allow it', async () => {
    const given = { name: 'a', url: 'http://127.0.0.1/', allowsHttp: true };
    await expect(service().add(callerNamed('admin'), given)).rejects.toThrow('at the machine');
    expect(await service().list(OPERATOR)).toEqual([]);
  });

  it('sends nothing to an inner address behind a name that an administrator has given', async () => {
    const { port } = new URL(receiver.url);
    await service().add(callerNamed('admin'), { name: 'inner', url: `https://localhost:${port}/` });
    expect(await service().show(OPERATOR, 'inner')).toMatchObject({ isBounded: true });
    const before = [...receiver.received];
    const { failure } = await service().test(callerNamed('admin'), 'inner');
    expect(failure).toMatch(/nothing is sent there: .* is no public address/);
    expect(receiver.received).toEqual(before);
    await service().remove(OPERATOR, 'inner');
  });

  it('adds a name once, and no more than 32', async () => {
    const add = (name: string) => service().add(OPERATOR, { name, url: 'https://siem.example.com/' });
    const names = Array.from({ length: 32 }, (_, number) => `n${number}`);
    for (const name of names) {
      await add(name);
    }
    await expect(add('n1')).rejects.toThrow('already');
    await expect(add('more')).rejects.toThrow('the most');
    for (const name of names) {
      await service().remove(OPERATOR, name);
    }
  });
});
