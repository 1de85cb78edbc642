import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { retryDelay } from '../../src/webhooks/delivery-dispatcher.ts';
import { OPERATOR, TestApplication } from '../support/application/test-application.ts';
import { callerNamed } from '../support/values/callers.ts';
import { isSignedWith, WebhookReceiver } from '../support/servers/webhook-receiver.ts';

const URL = 'https://siem.example.com/';

let application: TestApplication;
let receiver: WebhookReceiver;

beforeAll(async () => {
  application = await TestApplication.open();
  await application.addRealm('office');
  receiver = await WebhookReceiver.start();
});

afterAll(async () => {
  await receiver.stop();
  await application.close();
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
    expect(await service().deliveries('a')).toEqual([]);
    await service().remove(OPERATOR, 'a');
  });

  it.each([
    ['http://siem.example.com/', 'begins with https://'],
    ['http://127.0.0.1/', 'begins with https://'],
    ['https://127.0.0.1/', 'no public address'],
    ['https://10.0.0.1/', 'no public address'],
    ['https://[fd00::1]/', 'no public address'],
    ['https://169.254.169.254/', 'metadata'],
  ])('takes from administrators no receiver at %s', async (url, reason) => {
    const admin = callerNamed('admin');
    await expect(service().add(admin, { name: 'a', url })).rejects.toThrow(reason);
    await expect(service().add(admin, { name: 'a', url, allowsHttp: true })).rejects.toThrow(
      'at the machine',
    );
    expect(await service().list(OPERATOR)).toEqual([]);
  });

  it('sends nothing to an inner address behind a name that an administrator has given', async () => {
    const { port } = new globalThis.URL(receiver.url);
    await service().add(callerNamed('admin'), { name: 'inner', url: `https://localhost:${port}/` });
    expect(await service().show(OPERATOR, 'inner')).toMatchObject({ isBounded: true });
    const { failure } = await service().test(callerNamed('admin'), 'inner');
    expect(failure).toMatch(/nothing is sent there: .* is no public address/);
    expect(receiver.received).toEqual([]);
    await service().remove(OPERATOR, 'inner');
  });

  it.each([
    [{ name: 'a b', url: URL }, 'letters, digits'],
    [{ name: 'a', url: 'http://siem.example.com/' }, 'this machine only'],
    [{ name: 'a', url: URL, events: ['token.stolen'] }, "no events of the type 'token.stolen'"],
    [{ name: 'a', url: URL, events: ['token.lokced'] }, "'token.lokced', but of"],
    [{ name: 'a', url: URL, realms: ['offize'] }, "no realm 'offize'"],
    [{ name: 'a', url: URL, events: [] }, 'one type of events at least'],
  ])('refuses %j', async (request, reason) => {
    await expect(service().add(OPERATOR, request)).rejects.toThrow(reason);
    expect(await service().list(OPERATOR)).toEqual([]);
  });

  it('adds a name once, and no more than 32', async () => {
    for (let number = 0; number < 32; number += 1) {
      await service().add(OPERATOR, { name: `n${number}`, url: URL });
    }
    await expect(service().add(OPERATOR, { name: 'n1', url: URL })).rejects.toThrow('already');
    await expect(service().show(OPERATOR, 'n99')).rejects.toThrow("no webhook 'n99'");
    await expect(service().add(OPERATOR, { name: 'more', url: URL })).rejects.toThrow('the most');
    for (let number = 0; number < 32; number += 1) {
      await service().remove(OPERATOR, `n${number}`);
    }
  });

  it('tests a receiver at once, with a signed event', async () => {
    const secret = await service().add(OPERATOR, { name: 'siem', url: receiver.url });
    const { status, eventId } = await service().test(OPERATOR, 'siem');
    expect(status).toBe(200);
    const [got] = receiver.received;
    expect(got && isSignedWith(secret, got)).toBe(true);
    expect(got).toMatchObject({ id: eventId, event: { type: 'webhook.test', data: {} } });
    receiver.next.push(404);
    expect((await service().test(OPERATOR, 'siem')).failure).toBe('HTTP 404');
    await service().remove(OPERATOR, 'siem');
  });
});

describe('the pause before a repetition', () => {
  const least = { bytes: () => Buffer.alloc(0), below: () => 0 };
  const most = { ...least, below: (bound: number) => bound - 1 };

  it('doubles from ten seconds to three hours, varied by a quarter', () => {
    expect([1, 2, 3].map((attempts) => retryDelay(attempts, least))).toEqual([7_500, 15_000, 30_000]);
    expect([1, 2, 3].map((attempts) => retryDelay(attempts, most))).toEqual([12_500, 25_000, 50_000]);
    expect([20, 5_000].map((attempts) => retryDelay(attempts, most))).toEqual([13_500_000, 13_500_000]);
  });
});
