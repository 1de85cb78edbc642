import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emptyDeviceState } from '../../../src/cli/device/device-file.ts';
import { VirtualDevice } from '../../../src/cli/device/virtual-device.ts';
import { drawQrCode } from '../../../src/http/qr-picture.ts';
import { readSiteFiles } from '../../../src/http/site.ts';
import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';
import { OPERATOR } from '../../support/application/test-application.ts';
import { type ConsoleSite, PASSWORD, startConsole } from '../../support/browser/console-site.ts';
import { builtFolder } from '../../support/browser/vite.ts';
import { type DrivenBrowser, ENGINES } from '../../support/browser/web-driver.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { DrivenVisitor, type Visitor } from './visitor.ts';

const ACTIVATION_CODE = 'GEZDGNBVGY3TQOJQ01';
const PIN = '482915';
const PHONE_SUITE = 'OCRA-1:HOTP-SHA256-8:QA64';

describe.each(ENGINES)('$name', (engine) => {
  describeWithProgram('console and app', engine.program, engine.debianPackage, (program) => {
    let site: ConsoleSite;
    let browser: DrivenBrowser;
    let visitor: Visitor;
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'tankeeper-engine-'));
      const appFiles = await readSiteFiles(builtFolder('app'));
      [site, browser] = await Promise.all([
        startConsole((publicUrl) => ({ publicUrl, http: { appFiles } })),
        engine.start(program),
      ]);
      visitor = new DrivenVisitor(browser);
      const { application } = site;
      await application.addRealm('north', ['anna']);
      await application.services.policies.set(OPERATOR, {
        name: 'answers',
        scope: 'authentication',
        realm: '*',
        user: '*',
        action: `qrtanurl=${site.origin}/ocra/check_t`,
      });
    });
    afterAll(async () => {
      await browser[Symbol.asyncDispose]();
      await site.close();
      await rm(folder, { recursive: true });
    });

    it('enrols an app by the pages of the console, and shows what became of a payment', async () => {
      const { application } = site;
      await visitor.open(`${site.origin}/console/search`);
      await visitor.fill('User name', 'admin');
      await visitor.fill('Password', PASSWORD);
      await visitor.press('button', 'Sign in');
      await visitor.fill('User, serial, transaction or page', 'anna');
      await visitor.press('link', 'anna');
      await visitor.press('link', 'New token');
      await visitor.press('button', 'Show the first QR code');
      const device = new VirtualDevice({ clock: application.clock });
      const questions = {
        activationCode: () => Promise.resolve(ACTIVATION_CODE),
        ocraPin: () => Promise.resolve(''),
      };
      const first = await device.scan(
        emptyDeviceState(),
        await visitor.code('First QR code of the roll-out'),
        questions,
      );
      await visitor.fill('Activation code', ACTIVATION_CODE);
      await visitor.press('button', 'Show the second QR code');
      const second = await device.scan(
        first.state,
        await visitor.code('Second QR code of the roll-out'),
        questions,
      );
      if (second.answer.kind !== 'nonce') {
        throw new Error('the second code is none of a roll-out');
      }
      const { serial, transactionId, response } = second.answer;
      await application.check(transactionId, response);
      await visitor.sees(`The token ${serial} is ready.`);
      const payment = await application.challenge(serial, '100 EUR to Bert');
      const third = await device.scan(second.state, payment.url, questions);
      if (third.answer.kind !== 'req') {
        throw new Error('the code of the payment is none of a challenge');
      }
      const checked = await application.check(payment.transactionid, third.answer.response);
      expect(checked).toMatchObject({ result: true });
      await visitor.open(`${site.origin}/console/transactions/${payment.transactionid}`);
      await visitor.sees('100 EUR to Bert');
      await visitor.sees('accepted');
      await visitor.press('link', 'Overview');
      await visitor.sees('Tokens, active');
      await visitor.press('link', 'Audit');
      await visitor.sees('ocra/check_t');
    });

    it('rolls the app out, confirms a payment after it was locked, and keeps it in the history', async () => {
      const { application } = site;
      await visitor.open(`${site.origin}/app/`);
      await visitor.fill('New PIN', PIN);
      await visitor.fill('Repeat the PIN', PIN);
      await visitor.press('button', 'Set the PIN');
      await visitor.sees('Your tokens', 'heading');
      const begun = await rollOut({ sharedsecret: '1', user: 'anna', realm: 'north' });
      await scan(begun.app_import);
      await visitor.press('button', 'Add the token');
      await visitor.sees('The first step is done', 'heading');
      const { serial } = begun;
      const finished = await rollOut({ serial, activationcode: ACTIVATION_CODE, message: 'Welcome' });
      await scan(finished.app_import);
      await visitor.fill('Activation code', ACTIVATION_CODE);
      await visitor.press('button', 'Continue');
      await visitor.press('button', 'Confirm');
      await visitor.sees('Confirmed', 'heading');
      // What it keeps is still there after it was closed.
      await visitor.open('about:blank');
      await visitor.open(`${site.origin}/app/`);
      await visitor.fill('PIN', PIN);
      await visitor.press('button', 'Unlock');
      const payment = await application.challenge(serial, '100 EUR to Bert');
      await scan(payment.url);
      await visitor.sees('100 EUR to Bert');
      await visitor.press('button', 'Confirm');
      await visitor.sees('Confirmed', 'heading');
      await expectSoon(() => application.status({ transactionid: payment.transactionid })).toMatchObject([
        { valid_tan: true },
      ]);
      await visitor.press('button', 'History');
      await visitor.sees('Welcome');
    });

    it('signs a customer in to the account page by password and TAN, renames their phone and locks it', async () => {
      const { application, origin } = site;
      const { policies, tokens, users } = application.services;
      const names = { givenName: '', surname: '', email: '', phone: '' };
      await users.add(OPERATOR, { resolver: 'north', login: 'cleo', password: PASSWORD, ...names });
      const own = { user: 'cleo', realm: 'north', description: 'my phone' };
      await application.enrolPlain('PHONE', PHONE_SUITE, own);
      await policies.set(OPERATOR, {
        name: 'self-service',
        scope: 'selfservice',
        realm: 'north',
        action: 'show, rename, lock',
      });
      await visitor.open(`${origin}/app/account`);
      await visitor.fill('User name', 'cleo');
      await visitor.fill('Password', PASSWORD);
      await visitor.fill('Realm', 'north');
      await visitor.press('button', 'Continue');
      const read = parseQrTanUrl(await visitor.code('QR code for your QR-TAN app'));
      const tan = application.respond(PHONE_SUITE, read.kind === 'req' ? read.question : '');
      await visitor.fill('Or type the digits that the app shows', tan);
      await visitor.press('button', 'Confirm');
      await visitor.sees('Your phones', 'heading');
      await visitor.press('button', 'Rename “my phone”');
      await visitor.fill('Name of the phone', 'the lost one');
      await visitor.press('button', 'Save');
      await visitor.sees('The new name is saved.');
      await visitor.press('button', 'Lock “the lost one”');
      await visitor.press('button', 'Lock now');
      await visitor.sees('Sign in to your account', 'heading');
      await expectSoon(() => tokens.show(OPERATOR, 'PHONE')).toMatchObject({
        active: false,
        description: 'the lost one',
      });
    });

    /** Lets the app read a picture of the code. */
    async function scan(text: string): Promise<void> {
      const picture = join(folder, 'code.png');
      await writeFile(picture, drawQrCode(text, 400));
      await visitor.press('button', 'Scan');
      await visitor.choose('Choose a picture of the code', picture);
    }

    async function rollOut(
      parameters: Record<string, string>,
    ): Promise<{ serial: string; app_import: string }> {
      const given = { type: 'ocra', genkey: '1', ...parameters };
      const { body } = (await site.application.asAdmin('/admin/init', given)) as {
        body: { detail: { serial: string; app_import: string } };
      };
      return body.detail;
    }
  });
});
