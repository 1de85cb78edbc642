import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { parseQrTanUrl } from '../../src/ocra/qrtan-url.ts';
import { type SilentServer, startSilentServer } from '../support/servers/silent-server.ts';
import { OPERATOR, TestApplication } from '../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:QN08';

let listener: SilentServer;
let application: TestApplication;

beforeAll(async () => {
  listener = await startSilentServer();
  application = await TestApplication.open();
  await application.addRealm('bank', ['anna']);
});
afterAll(async () => {
  await application.close();
  await listener.stop();
});

it('opens no URL that a policy, a request or a header names', async () => {
  const url = `http://127.0.0.1:${listener.port}/callback`;
  await application.services.policies.set(OPERATOR, {
    name: 'url',
    scope: 'authentication',
    action: `qrtanurl=${url}`,
    realm: 'bank',
  });
  await application.enrolPlain('OUT1', SUITE, { user: 'anna', realm: 'bank' });
  const challenge = await application.challenge('OUT1', url);
  expect(parseQrTanUrl(challenge.url)).toMatchObject({ callbackUrl: url });
  const response = application.respond(SUITE, challenge.question);
  expect(await application.check(challenge.transactionid, response)).toMatchObject({ result: true });

  const everywhere = {
    url,
    Server: url,
    LDAPURI: url,
    resolver: url,
    fileName: url,
    callback: url,
    user: `anna@${url}`,
    realm: url,
    serial: url,
    data: url,
    file: url,
    qr: 'html',
  };
  for (const path of ['/ocra/request', '/ocra/checkstatus', '/monitoring/userinfo', '/system/getResolver']) {
    const { status } = await application
      .asAdmin(path, everywhere)
      .then((answer) => answer as { status: number });
    expect(status).toBeLessThan(500);
  }
  const { status } = await application
    .send('/ocra/check_t', { transactionid: url, pass: url })
    .set({ Referer: url, Origin: url, 'X-Forwarded-Host': `127.0.0.1:${listener.port}` });
  expect(status).toBeLessThan(500);
  expect(listener.connections()).toBe(0);
});
