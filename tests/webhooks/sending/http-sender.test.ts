import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { signMessage } from '../../../src/webhooks/webhook.ts';
import { HttpWebhookSender, ReceiverNames } from '../../../src/webhooks/sending/http-sender.ts';
import { startSilentServer } from '../../support/servers/silent-server.ts';
import { WebhookReceiver } from '../../support/servers/webhook-receiver.ts';
import { PATIENCE_MS } from '../../support/values/until.ts';

const MESSAGE = signMessage(
  { id: 'id', type: 'webhook.test', occurredAt: new Date(0), data: '{}' },
  new Date(0),
  [Buffer.alloc(32)],
);
const NEVER = new AbortController().signal;

let receiver: WebhookReceiver;
let sender: HttpWebhookSender;
/** The answers of the name service, in turn; the last one stays. */
let answers: (readonly LookupAddress[])[];

beforeEach(async () => {
  receiver = await WebhookReceiver.start();
  answers = [[{ address: '127.0.0.1', family: 4 }]];
  const names = new ReceiverNames(() =>
    Promise.resolve((answers.length > 1 ? answers.shift() : answers[0]) ?? []),
  );
  sender = new HttpWebhookSender({ userAgent: 'tankeeper/test', timeoutMs: PATIENCE_MS, names });
});

afterEach(async () => {
  sender.close();
  await receiver.stop();
});

const at = (url: string, allowsHttp = false) =>
  sender.send({ url, allowsHttp, isBounded: false }, MESSAGE, NEVER);
const named = (): string => receiver.url.replace('127.0.0.1', 'siem.test');

describe('a request to a receiver', () => {
  it('goes to the addresses of its name, as they are checked at this moment', async () => {
    expect(await at(named())).toEqual({ status: 200 });
    receiver.headers = { Connection: 'close' };
    expect(await at(named())).toEqual({ status: 200 });
    // The name leads to another place now.
    answers = [[{ address: '169.254.169.254', family: 4 }]];
    expect((await at(named())).failure).toContain('metadata');
    answers = [
      [
        { address: '127.0.0.1', family: 4 },
        { address: '10.0.0.1', family: 4 },
      ],
    ];
    expect((await at(named())).failure).toContain('another machine');
    answers = [[]];
    expect((await at(named())).failure).toContain('no address');
    expect(receiver.received).toHaveLength(2);
  });

  it('to an address that is refused is not sent, whatever was stored', async () => {
    expect((await at('http://169.254.169.254/', true)).failure).toContain('metadata');
    expect((await at('http://10.255.255.1/')).failure).toContain('another machine');
  });

  it('ends after its time limit, or when it is told to', async () => {
    const silent = await startSilentServer();
    const url = `http://127.0.0.1:${silent.port}/`;
    const impatient = new HttpWebhookSender({ userAgent: 'tankeeper/test', timeoutMs: 300 });
    expect(await impatient.send({ url, allowsHttp: false, isBounded: false }, MESSAGE, NEVER)).toEqual({
      failure: 'no answer within 0.3 seconds',
    });
    impatient.close();
    const stopped = await sender.send(
      { url, allowsHttp: false, isBounded: false },
      MESSAGE,
      AbortSignal.timeout(20),
    );
    expect(stopped.failure).toContain('failed');
    await silent.stop();
  });

  it.each(['', 'x'.repeat(20_000)])(
    'keeps no connection whose answer does not end after its status (%#)',
    async (begun) => {
      const endless = createServer((_request, response) => {
        response.write(begun);
        response.flushHeaders();
      });
      endless.listen(0, '127.0.0.1');
      await once(endless, 'listening');
      const { port } = endless.address() as AddressInfo;
      expect(await at(`http://127.0.0.1:${port}/`)).toEqual({ status: 200 });
      // Resolves once no connection is open.
      endless.close();
      await once(endless, 'close');
    },
  );

  it('to a host without TLS fails, and quotes nothing of its answer', async () => {
    const { failure } = await at(receiver.url.replace('http:', 'https:'));
    expect(failure).toMatch(/^the request failed \([A-Z0-9_]+\)$/);
  });
});

describe('simultaneous look-ups', () => {
  it('of a name are one, and those of other names wait for two', async () => {
    const running: string[] = [];
    const ends: (() => void)[] = [];
    const names = new ReceiverNames((host) => {
      running.push(host);
      return new Promise((resolve) => {
        ends.push(() => {
          resolve([{ address: '10.0.0.1', family: 4 }]);
        });
      });
    });
    const lookup = names.lookupFor({ url: 'https://a.test/', allowsHttp: false, isBounded: false });
    const found = ['a', 'a', 'b', 'c'].map(
      (host) =>
        new Promise((resolve) => {
          lookup(host, {}, (error, address) => {
            resolve(error ?? address);
          });
        }),
    );
    expect(running).toEqual(['a', 'b']);
    ends.splice(0).forEach((end) => {
      end();
    });
    expect(await Promise.all(found.slice(0, 3))).toEqual(['10.0.0.1', '10.0.0.1', '10.0.0.1']);
    ends.forEach((end) => {
      end();
    });
    expect(await found[3]).toBe('10.0.0.1');
    expect(running).toEqual(['a', 'b', 'c']);
  });
});
