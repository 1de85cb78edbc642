import { beforeAll, expect, it } from '@jest/globals';
import { base32nopad } from '@scure/base';
import type { Page } from 'playwright-core';
import { emptyDeviceState } from '../../../src/cli/device/device-file.ts';
import { readByApp } from '../../../src/cli/device/virtual-device.ts';
import { computeResponse } from '../../../src/ocra/compute.ts';
import { parseAlgorithm } from '../../../src/ocra/otp.ts';
import { OPERATOR } from '../../support/application/test-application.ts';
import {
  addAdministrator,
  ADMIN_MAY_ALL,
  describeConsole,
  expectNoProblem,
  setPolicies,
  signIn,
} from '../../support/browser/console-site.ts';
import { serveFiles } from '../../support/browser/file-site.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { readQrCode } from '../../support/values/qr-code.ts';

const PROBE = `"><img src=x onerror="document.title='probe'"><svg/onload=document.title='probe'>`;
const ACTIVATION_CODE = 'GEZDGNBVGY3TQOJQ01';
const SOUTH = /SOUTH1"|cleo"|"south"/;
const SUCCEEDED = /"status": ?true/;
const FAILED = /"status": ?false/;

/** Requests that tell of the south those who may see it. */
const TELLING = [
  ['/admin/show', {}],
  ['/admin/show', { serial: 'SOUTH1' }],
  ['/admin/token/list', {}],
  ['/admin/token/list', { realm: 'south' }],
  ['/admin/token/show', { serial: 'SOUTH1' }],
  ['/admin/helpdesk/search', { text: 'SOUTH' }],
  ['/admin/helpdesk/search', { text: 'cleo' }],
  ['/admin/helpdesk/person', { user: 'cleo', realm: 'south' }],
  ['/admin/userlist', { realm: 'south', username: '*' }],
  ['/admin/installation/overview', {}],
  ['/admin/audit/search', {}],
  ['/admin/audit/export', {}],
] as const;
/** Requests that are refused to the helpdesk of the north. */
const REFUSED = [
  ['/admin/disable', { serial: 'SOUTH1' }],
  ['/admin/remove', { serial: 'SOUTH1' }],
  ['/system/getPolicy', {}],
  ['/admin/policy/explain', { administrator: 'admin' }],
  ['/admin/admin/list', {}],
  ['/admin/webhook/list', {}],
  ['/admin/key/list', {}],
] as const;

/** One person enrols an app, another one watches: through the pages of both, as their screens show them. */
describeConsole('a day with the console', (given) => {
  beforeAll(async () => {
    const { application } = given.site;
    await application.addRealm('north', ['anna']);
    await application.addRealm('south', ['cleo']);
    await application.enrolPlain('SOUTH1', 'OCRA-1:HOTP-SHA256-8:C-QN08', { user: 'cleo', realm: 'south' });
    await addAdministrator(given.site, 'desk');
    await setPolicies(
      given.site,
      ...ADMIN_MAY_ALL,
      ['north', 'admin', '*', 'desk', 'north'],
      ['counts-north', 'monitoring', '*', 'desk', 'north'],
      ['answers', 'authentication', `qrtanurl=${given.site.origin}/ocra/check_t`, '*'],
    );
  });

  it('enrols an app in both phases, watches a payment, and finds all of it again', async () => {
    const { application } = given.site;
    const [desk, officer] = await Promise.all([
      given.open({ path: '/search', name: 'desk' }),
      given.open({ path: '/' }),
    ]);
    await shows(officer.page, 'Tokens, all', '1');

    // The app reads the codes from pictures of the screen.
    await desk.page.getByRole('searchbox').fill('anna');
    await desk.page.getByRole('link', { name: 'anna', exact: true }).click();
    await desk.page.getByRole('link', { name: 'New token', exact: true }).click();
    await desk.page.getByLabel(/^Description/).fill(PROBE);
    await desk.page.getByRole('button', { name: 'Show the first QR code' }).click();
    const questions = {
      activationCode: () => Promise.resolve(ACTIVATION_CODE),
      ocraPin: () => Promise.resolve(''),
    };
    const firstCode = await codeOn(desk.page, 'First QR code of the roll-out');
    const first = await readByApp(application.clock, emptyDeviceState(), firstCode, questions);
    for (const code of [ACTIVATION_CODE.replace('01', '99'), ACTIVATION_CODE]) {
      await desk.page.getByLabel('Activation code', { exact: true }).fill(code);
      await desk.page.getByRole('button', { name: 'Show the second QR code' }).click();
    }
    const secondCode = await codeOn(desk.page, 'Second QR code of the roll-out');
    const second = await readByApp(application.clock, first.state, secondCode, questions);
    if (second.answer.kind !== 'nonce') {
      throw new Error('the second code is none of a roll-out');
    }
    const { serial } = second.answer;
    await application.check(second.answer.transactionId, second.answer.response);
    await desk.page.getByText(`The token ${serial} is ready.`).waitFor();
    const kept = await desk.page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, document.documentElement.outerHTML])',
    );
    expect([firstCode, secondCode, ACTIVATION_CODE].filter((secret) => kept.includes(secret))).toEqual([]);
    await shows(officer.page, 'Tokens, all', '2');
    await shows(officer.page, 'Tokens, active', '2');

    // A payment from the portal, answered by the app.
    const { transactionid, url } = await application.challenge(serial, `100 EUR to ${PROBE}`);
    const third = await readByApp(application.clock, second.state, url, questions);
    if (third.answer.kind !== 'req') {
      throw new Error('the code of the payment is none of a challenge');
    }
    await application.check(transactionid, third.answer.response);
    await officer.page.goto(`${given.site.origin}/console/#/transactions/${transactionid}`);
    await officer.page
      .getByRole('region', { name: 'What happened' })
      .getByText(/accepted/i)
      .first()
      .waitFor();
    await officer.page.getByText('100 EUR to').first().waitFor();
    await officer.page.goto(`${given.site.origin}/console/#/audit`);
    for (const action of ['admin/init', 'ocra/check_t']) {
      await officer.page.getByText(action, { exact: true }).first().waitFor();
    }
    await officer.page.goto(`${given.site.origin}/console/#/tokens/${serial}`);
    await officer.page.getByText(PROBE.slice(0, 20)).first().waitFor();
    for (const { page, problems } of [desk, officer]) {
      await expectSoon(() => page.title()).not.toContain('probe');
      expectNoProblem(problems);
    }
  });

  it('enrols an authenticator app, and brings it into step by two codes', async () => {
    const { application } = given.site;
    const { page, problems } = await given.open({ path: '/enrol' });
    await page.getByLabel('Authenticator app').check();
    await page.getByLabel(/HOTP/).check();
    await page.getByRole('button', { name: 'Make the token' }).click();
    const url = new URL(await codeOn(page, 'QR code for the authenticator app'));
    await page.getByText(url.href, { exact: true }).waitFor();
    expect(url.protocol + url.host).toBe('otpauth:hotp');
    await page.getByRole('button', { name: 'Done, hide the key' }).click();
    await page.getByRole('link', { name: 'To the token' }).click();
    await page.getByText('HOTP, SHA-1, 6 digits').waitFor();
    const key = base32nopad.decode(url.searchParams.get('secret') ?? '');
    const otp = (counter: bigint): string =>
      computeResponse(parseAlgorithm('HOTP-SHA1-6'), key, { question: '', counter });
    await page.getByRole('button', { name: 'Resynchronise' }).click();
    const dialog = page.getByRole('dialog');
    await expectSoon(() => dialog.getByRole('textbox').count()).toBe(2);
    await dialog.getByLabel('First response').fill(otp(100n));
    await dialog.getByLabel('Second response').fill(otp(101n));
    await dialog.getByRole('button', { name: 'Resynchronise' }).click();
    await dialog.getByText('The token is in step again').waitFor();
    const serial = decodeURIComponent(url.pathname).split(':')[1] ?? '';
    expect((await application.services.tokens.show(OPERATOR, serial)).counter).toBe(102n);
    expectNoProblem(problems);
  });

  it('gives the helpdesk of one realm nothing of another, also by requests made by hand', async () => {
    const { page } = await given.open({ path: '/search', name: 'desk' });
    const { page: officer } = await given.open({ path: '/search' });
    for (const [path, parameters] of TELLING) {
      // The request does tell of the south those who may see it.
      expect([path, await asked(officer, path, parameters)]).toEqual([path, expect.stringMatching(SOUTH)]);
    }
    expect(await asked(page, '/admin/show', {})).toMatch(SUCCEEDED);
    for (const [path, parameters] of [...TELLING, ...REFUSED]) {
      const text = await asked(page, path, parameters);
      // A refusal repeats what was asked.
      const told = text.replaceAll(/realm (?:named )?'?south'?|'south'|no user cleo/gi, '');
      expect([path, told]).toEqual([path, expect.not.stringMatching(SOUTH)]);
    }
    for (const [path, parameters] of REFUSED) {
      expect([path, await asked(page, path, parameters)]).toEqual([path, expect.stringMatching(FAILED)]);
    }
    const shown = await given.site.application.asAdmin('/admin/show', { serial: 'SOUTH1' });
    expect(shown.body).toMatchObject({ result: { value: { tokens: [{ active: true }] } } });
  });

  it('takes no request of a page of another site', async () => {
    await using elsewhere = await serveFiles(new Map([['index.html', '<!doctype html><title>x</title>']]));
    const context = await given.browser.newContext({ baseURL: given.site.origin });
    const own = await context.newPage();
    await own.goto(`${given.site.origin}/console/`);
    await signIn(own, 'admin');
    const foreign = await context.newPage();
    await foreign.goto(elsewhere.origin);
    const address = `${given.site.origin}/console/api/admin/disable`;
    const byScript = foreign.waitForEvent('request', (request) => request.url() === address);
    // Its script may not read the answer.
    await expect(
      foreign.evaluate(
        `fetch("${address}", { method: "POST", mode: "no-cors", credentials: "include", body: new URLSearchParams({ serial: "SOUTH1" }) })`,
      ),
    ).rejects.toThrow('Failed to fetch');
    expect((await byScript).method()).toBe('POST');
    const posted = foreign.waitForResponse(address);
    await foreign.setContent(
      `<form method="post" action="${address}"><input name="serial" value="SOUTH1"></form>`,
    );
    await foreign.evaluate('document.forms[0].submit()');
    expect((await posted).status()).toBe(403);
    await expectSoon(() => isActive()).toBe(true);
    // The request itself is right.
    expect(await asked(own, '/admin/disable', { serial: 'SOUTH1' })).toMatch(SUCCEEDED);
    await expectSoon(() => isActive()).toBe(false);
    await context.close();
  });

  async function isActive(): Promise<boolean | undefined> {
    const shown = await given.site.application.asAdmin('/admin/show', { serial: 'SOUTH1' });
    const { result } = shown.body as {
      readonly result: { readonly value: { readonly tokens: readonly { readonly active: boolean }[] } };
    };
    return result.value.tokens[0]?.active;
  }
});

/** Sends a request by hand, with all that the console itself would send. @returns the text of the answer */
function asked(page: Page, path: string, parameters: Readonly<Record<string, string>>): Promise<string> {
  return page.evaluate<string>(`(async () => {
    const csrf = /csrf_access_token=([^;]*)/.exec(document.cookie)[1];
    const response = await fetch("api${path}", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRF-TOKEN": csrf },
      body: JSON.stringify(${JSON.stringify(parameters)}),
    });
    return response.text();
  })()`);
}

async function shows(page: Page, name: string, value: string): Promise<void> {
  const shown = page.locator('dt', { hasText: name }).locator('xpath=following-sibling::dd');
  await shown.getByText(value, { exact: true }).waitFor();
}

async function codeOn(page: Page, name: string): Promise<string> {
  return readQrCode(await page.getByRole('img', { name }).screenshot()) ?? '';
}
