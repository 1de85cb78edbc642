import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../src/kernel/errors.ts';
import { until as eventually } from '../support/values/until.ts';
import { isSignedWith, type Received, WebhookReceiver } from '../support/servers/webhook-receiver.ts';
import { applicationOfTests, OPERATOR } from '../support/application/test-application.ts';
import { DeliveringApplication, TestDispatcher } from './delivering-application.ts';

const application = applicationOfTests();
let server: DeliveringApplication;
let receiver: WebhookReceiver;
let other: WebhookReceiver;
let dispatchers: TestDispatcher[] = [];

beforeAll(async () => {
  await application.addRealm('office', ['anna']);
  server = new DeliveringApplication(application);
});

beforeEach(async () => {
  [receiver, other] = await Promise.all([WebhookReceiver.start(), WebhookReceiver.start()]);
});

afterEach(async () => {
  await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop()));
  dispatchers = [];
  await Promise.all([receiver.stop(), other.stop()]);
  await server.removeAll();
  await dispatchedNothing();
});

async function dispatchedNothing(): Promise<void> {
  const dispatcher = new TestDispatcher(application.databaseUrl);
  await dispatcher.store.fanOut(1_000);
  await dispatcher.stop();
}

async function dispatch(...given: Parameters<TestDispatcher['start']>): Promise<TestDispatcher> {
  const dispatcher = new TestDispatcher(application.databaseUrl);
  dispatchers.push(dispatcher);
  return dispatcher.start(...given);
}

const state = (name: string) => application.services.webhooks.show(OPERATOR, name);

/** Waits until the state of a receiver is as told. */
async function until(
  name: string,
  isSo: (found: Awaited<ReturnType<typeof state>>) => boolean,
): Promise<Awaited<ReturnType<typeof state>>> {
  for (;;) {
    const found = await state(name);
    if (isSo(found)) {
      return found;
    }
    await sleep(10);
  }
}

const typesOf = (received: readonly Received[]): readonly string[] =>
  received.map(({ event }) => event.type).toSorted();

describe('an event', () => {
  it('comes signed, with the facts of the act and without its secrets', async () => {
    const secret = await server.add('siem', receiver.url, { events: ['response.accepted'] });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await dispatch();
    const serial = await server.enrol({ user: 'anna', realm: 'office' });
    const transaction = await server.respond(serial, 'right');
    await receiver.arrived(1);
    const [got] = receiver.received;
    expect(got && isSignedWith(secret, got)).toBe(true);
    expect(got && isSignedWith('whsec_' + 'A'.repeat(43) + '=', got)).toBe(false);
    expect(Math.abs((got?.timestamp ?? 0) - Date.now() / 1000)).toBeLessThan(60);
    expect(got?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    expect(got?.event).toEqual({
      type: 'response.accepted',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as unknown,
      data: {
        serial,
        user: 'anna',
        realms: ['office'],
        transaction_id: transaction,
        action: 'ocra/check_t',
        client: expect.any(String) as unknown,
        request_id: expect.any(String) as unknown,
      },
    });
    await until('siem', ({ delivered, waiting }) => delivered === 1 && waiting === 0);
  });

  it('tells each kind of act', async () => {
    await server.add('siem', receiver.url);
    await dispatch();
    const serial = await server.enrol();
    await server.respond(serial, 'right');
    for (let wrong = 0; wrong < 10; wrong += 1) {
      await server.respond(serial, 'wrong');
    }
    await application.enrolPlain(serial, 'OCRA-1:HOTP-SHA256-8:QN08', { otpkey: '42'.repeat(32) });
    await receiver.arrived(14);
    expect(typesOf(receiver.received)).toEqual([
      'response.accepted',
      ...Array.from({ length: 10 }, () => 'response.refused'),
      'token.enrolled',
      'token.key_changed',
      'token.locked',
    ]);
    const refused = receiver.received.find(({ event }) => event.type === 'response.refused');
    expect(refused?.event.data).toMatchObject({ serial, reason: 'wrong', realms: [] });
    expect(receiver.received.map(({ body }) => body).join()).not.toMatch(/Pay 100|42424242/);
  });

  it('tells of a transaction that the user declines, declines too late, or reports after a decline, but of no decline that is not signed', async () => {
    await server.add('fraud', receiver.url, { events: ['challenge.declined', 'response.refused'] });
    await dispatch();
    const serial = await server.enrol();
    const { transactionid, question } = await application.challenge(serial, 'Pay 100');
    const send = (decline: string): Promise<unknown> =>
      Promise.resolve(application.send('/ocra/check_t', { transactionid, decline }));
    await send('00'.repeat(20));
    await send(application.decline('OCRA-1:HOTP-SHA256-8:QN08', transactionid, question, 'reported'));
    await send(application.decline('OCRA-1:HOTP-SHA256-8:QN08', transactionid, question, 'declined'));
    const plain = await application.challenge(serial, 'Pay 150');
    for (const kind of ['declined', 'declined', 'reported', 'reported'] as const) {
      const decline = application.decline(
        'OCRA-1:HOTP-SHA256-8:QN08',
        plain.transactionid,
        plain.question,
        kind,
      );
      await application.send('/ocra/check_t', { transactionid: plain.transactionid, decline });
    }
    const late = await application.challenge(serial, 'Pay 200');
    const suite = 'OCRA-1:HOTP-SHA256-8:QN08';
    await application.check(late.transactionid, application.respond(suite, late.question));
    const lateDecline = application.decline(suite, late.transactionid, late.question, 'declined');
    await application.send('/ocra/check_t', { transactionid: late.transactionid, decline: lateDecline });
    await receiver.arrived(4);
    expect(receiver.received.map(({ event: { type, data } }) => [type, data.reason, data.too_late])).toEqual([
      ['challenge.declined', 'reported', undefined],
      ['challenge.declined', 'declined', undefined],
      ['challenge.declined', 'reported', undefined],
      ['challenge.declined', 'declined', 'closed'],
    ]);
    expect(receiver.received[0]?.event.data).toMatchObject({ serial, transaction_id: transactionid });
  });

  it('goes only to receivers of its type and realm', async () => {
    await server.add('locks', receiver.url, { events: ['token.enrolled'], realms: ['Office'] });
    await server.add('all', other.url, { events: ['token.enrolled'] });
    await dispatch();
    await server.enrol();
    const inOffice = await server.enrol({ user: 'anna', realm: 'office' });
    await other.arrived(2);
    await receiver.arrived(1);
    expect(receiver.received.map(({ event }) => event.data.serial)).toEqual([inOffice]);
    expect(receiver.ids.every((id) => other.ids.includes(id))).toBe(true);
  });
});

describe('a receiver', () => {
  it('that fails gets the event again, under the same id', async () => {
    const secret = await server.add('siem', receiver.url);
    // Cut off first: on a connection that is used again, the sender repeats a lost request by itself.
    receiver.next.push('cut off', 500, 302);
    receiver.headers = { Location: other.url };
    const dispatcher = await dispatch();
    await server.enrol();
    let before = '';
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await receiver.arrived(attempt);
      const earlier = before;
      const failed = await until('siem', ({ lastFailure }) => lastFailure !== earlier);
      expect(failed).toMatchObject({ delivered: 0, givenUp: 0, waiting: 1 });
      before = failed.lastFailure;
      expect(await application.services.webhooks.retry(OPERATOR, 'siem')).toBe(1);
    }
    await receiver.arrived(4);
    const { lastFailure } = await until('siem', ({ delivered }) => delivered === 1);
    expect(lastFailure).toBe('HTTP 302');
    expect(new Set(receiver.ids).size).toBe(1);
    expect(receiver.received.every((got) => isSignedWith(secret, got))).toBe(true);
    // The redirect was not followed.
    expect(other.received).toEqual([]);
    expect(dispatcher.logged.join()).not.toContain('thanks');
  });

  it('that hangs holds up no other one, no response and no connection to the database', async () => {
    receiver.reaction = 'hang';
    await server.add('hangs', receiver.url);
    await server.add('works', other.url);
    const dispatcher = await dispatch({ atOnce: 3 });
    for (let token = 0; token < 8; token += 1) {
      await server.enrol();
    }
    await Promise.all([receiver.arrived(3), other.arrived(8)]);
    await until('works', ({ waiting }) => waiting === 0);
    expect(receiver.received).toHaveLength(3);
    // Transactions that were open while the requests hung have ended, though the requests have not.
    const { knex } = dispatcher.database;
    const { rows } = await knex.raw<{ rows: { now: string }[] }>('SELECT clock_timestamp()::text AS now');
    const open = (): Promise<{ rows: object[] }> =>
      knex.raw(
        `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
           AND xact_start < ?::timestamptz`,
        [rows[0]?.now ?? ''],
      );
    while ((await open()).rows.length > 0) {
      await sleep(10);
    }
    expect(await application.services.webhooks.show(OPERATOR, 'hangs')).toMatchObject({ waiting: 8 });
  });

  it('that hangs is given up after the time limit of a request, and tried with few requests then', async () => {
    receiver.reaction = 'hang';
    await server.add('hangs', receiver.url);
    await dispatch({ atOnce: 1, atOnceInTrouble: 1 }, 200);
    await server.enrol();
    const { lastFailure } = await until('hangs', ({ lastFailureAt }) => lastFailureAt !== null);
    expect(lastFailure).toBe('no answer within 0.2 seconds');
  });

  it('that is disabled gets nothing, and what waited once it is enabled', async () => {
    receiver.next.push(503);
    await server.add('siem', receiver.url);
    const first = await dispatch();
    await server.enrol();
    await until('siem', ({ lastFailure }) => lastFailure === 'HTTP 503');
    await application.services.webhooks.enable(OPERATOR, 'siem', false);
    await application.services.webhooks.retry(OPERATOR, 'siem');
    await server.enrol();
    expect(await first.store.receivers()).toEqual([]);
    expect(await state('siem')).toMatchObject({ waiting: 1, active: false });
    await application.services.webhooks.enable(OPERATOR, 'siem', true);
    await receiver.arrived(2);
    expect(new Set(receiver.ids).size).toBe(1);
  });

  it('verifies by either secret while its secret is replaced', async () => {
    const before = await server.add('siem', receiver.url);
    const after = await application.services.webhooks.replaceSecret(OPERATOR, 'siem');
    await dispatch();
    await server.enrol();
    await receiver.arrived(1);
    const [got] = receiver.received;
    expect(before).not.toBe(after);
    expect(got && [before, after].map((secret) => isSignedWith(secret, got))).toEqual([true, true]);
  });
});

describe('several servers', () => {
  it('deliver each event once while none of them fails', async () => {
    await server.add('siem', receiver.url);
    await Promise.all([dispatch(), dispatch()]);
    for (let token = 0; token < 40; token += 1) {
      await server.enrol();
    }
    await until('siem', ({ delivered }) => delivered === 40);
    expect(receiver.ids).toHaveLength(40);
    expect(new Set(receiver.ids).size).toBe(40);
  });

  it('repeat what a killed one had claimed, under the same id', async () => {
    await server.add('siem', receiver.url);
    const killed = new TestDispatcher(application.databaseUrl);
    dispatchers.push(killed);
    await server.enrol();
    expect(await killed.store.fanOut(10)).toBe(1);
    const [{ id: webhookId } = { id: '' }] = await killed.store.receivers();
    const [claim] = await killed.store.claim([{ webhookId, free: 5 }], 5_000);
    // It was delivered, and never settled.
    expect(claim?.attempts).toBe(1);
    expect(await killed.store.claim([{ webhookId, free: 5 }], 5_000)).toEqual([]);
    await dispatch();
    await receiver.arrived(1);
    expect(receiver.ids).toEqual([claim?.id]);
  });

  it('do not record a failure over the claim of another one', async () => {
    await server.add('siem', receiver.url);
    const late = new TestDispatcher(application.databaseUrl);
    dispatchers.push(late);
    await server.enrol();
    await late.store.fanOut(10);
    const [{ id: webhookId } = { id: '' }] = await late.store.receivers();
    const [first] = await late.store.claim([{ webhookId, free: 1 }], 0);
    const [second] = await late.store.claim([{ webhookId, free: 1 }], 60_000);
    expect([first?.id, second?.attempts]).toEqual([second?.id, 2]);
    await late.store.settle([
      { deliveryId: first?.deliveryId ?? '', attempts: 1, webhookId, failure: 'x', delay: 0 },
    ]);
    expect(await late.store.claim([{ webhookId, free: 1 }], 0)).toEqual([]);
  });
});

describe('what waits', () => {
  it('is given up after some days, kept, and tried again on request', async () => {
    receiver.reaction = 500;
    await server.add('siem', receiver.url);
    await dispatch({ upkeep: { maxKept: 100, giveUpAfter: 0, keepGivenUp: 3_600 } });
    await server.enrol();
    await until('siem', ({ givenUp, waiting }) => givenUp === 1 && waiting === 0);
    receiver.reaction = 200;
    expect(await application.services.webhooks.retry(OPERATOR, 'siem')).toBe(1);
    await until('siem', ({ delivered, givenUp }) => delivered === 1 && givenUp === 0);
  });

  it('is neither given up nor removed for its age while the time is in doubt', async () => {
    receiver.reaction = 500;
    await server.add('siem', receiver.url);
    let asked = 0;
    let isDoubtful = true;
    const dispatcher = await dispatch(
      { upkeep: { maxKept: 100, giveUpAfter: 0, keepGivenUp: 0 } },
      undefined,
      () => {
        asked += 1;
        if (isDoubtful) {
          throw new ServiceError('clock.doubtful', 'The time is in doubt');
        }
        return new Date(Date.now() + 60_000);
      },
    );
    await server.enrol();
    await until('siem', ({ lastFailure }) => lastFailure !== '');
    const before = asked;
    await eventually(() => asked > before + 2);
    await until('siem', ({ givenUp, waiting }) => givenUp === 0 && waiting === 1);
    isDoubtful = false;
    await until('siem', ({ givenUp, waiting }) => givenUp === 0 && waiting === 0);
    expect(dispatcher.logged).not.toContain('cannot be delivered');
  });

  it('is bounded: the oldest are lost, which the log and a metric say', async () => {
    receiver.reaction = 500;
    await server.add('siem', receiver.url);
    const dispatcher = await dispatch({ upkeep: { maxKept: 2, giveUpAfter: 3_600, keepGivenUp: 3_600 } });
    for (let token = 0; token < 5; token += 1) {
      await server.enrol();
    }
    await receiver.arrived(5);
    await until('siem', ({ waiting }) => waiting === 2);
    expect(await dispatcher.metrics.text()).toContain('tankeeper_webhook_dropped_total{webhook="siem"} 3');
    expect(dispatcher.logged.join()).toContain('the oldest are lost');
  });

  it('goes with its receiver', async () => {
    receiver.reaction = 500;
    await server.add('siem', receiver.url);
    await dispatch();
    await server.enrol();
    await until('siem', ({ lastFailure }) => lastFailure !== '');
    expect(await application.services.webhooks.remove(OPERATOR, 'siem')).toBe(1);
    expect(await application.services.webhooks.list(OPERATOR)).toEqual([]);
  });
});

describe('a response', () => {
  const settlements = (sent: readonly string[]): readonly string[] =>
    sent.filter((sql) => sql.includes('UPDATE tokens'));

  it('takes the same statements with receivers as without', async () => {
    const serial = await server.enrol();
    const counted = async (): Promise<readonly string[]> => {
      await application.services.configuration.current();
      const { transactionid, question } = await application.challenge(serial);
      return application.statementsOf(() =>
        application.check(transactionid, application.respond('OCRA-1:HOTP-SHA256-8:QN08', question)),
      );
    };
    const without = await counted();
    await server.add('siem', receiver.url);
    const subscribed = await counted();
    await application.services.webhooks.enable(OPERATOR, 'siem', false);
    const disabled = await counted();
    expect(subscribed).toEqual(without);
    expect(disabled).toEqual(without);
    expect(settlements(subscribed)[0]).toContain('INSERT INTO webhook_events');
  });
});
