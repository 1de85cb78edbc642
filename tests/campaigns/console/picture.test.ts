import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import type { Browser } from 'playwright-core';
import { OPERATOR, wrongResponse } from '../../support/application/test-application.ts';
import { findChromium, keepPicture, startChromium } from '../../support/browser/chromium.ts';
import {
  addAdministrator,
  type ConsoleSite,
  lookAt,
  openConsole,
  showsTotal,
  startConsole,
} from '../../support/browser/console-site.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:QN08';
const DATA = '12345678';
const TOKENS = 48;
const MINUTES = 60;

/** An hour of an installation in use, as the README shows it. */
describeWithProgram('an overview of an installation in use', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: ConsoleSite;

  beforeAll(async () => {
    [browser, site] = await Promise.all([startChromium(program), startConsole()]);
    const { application } = site;
    const { tokens, observations } = application.services;
    await application.addRealm('customers', ['anna', 'bert', 'cleo', 'dora']);
    await application.addRealm('staff', ['emil', 'fina']);
    const owners = [
      { user: 'anna', realm: 'customers' },
      { user: 'bert', realm: 'customers' },
      { user: 'cleo', realm: 'customers' },
      { user: 'emil', realm: 'staff' },
      {},
    ];
    for (let number = 0; number < TOKENS; number += 1) {
      await application.enrolPlain(`T${number}`, SUITE, owners[number % owners.length]);
    }
    for (const serial of ['T7', 'T19', 'T23']) {
      await tokens.disable(OPERATOR, { serial });
    }
    await doFirstSteps();
    const now = Date.now();
    for (let minute = MINUTES - 1; minute >= 0; minute -= 1) {
      application.clock.set(new Date(now - minute * 60_000));
      const responses = 3 + Math.round(2 * Math.sin(minute / 6));
      for (let number = 0; number < responses; number += 1) {
        await answer(`T${(minute + number * 5) % 7}`, (minute * 7 + number) % 9 !== 0);
      }
    }
    await tokens.set(OPERATOR, { serial: 'T11' }, { maxFail: 1 });
    await answer('T11', false);
    await observations.flush();
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
  });

  /** The overview lists them until they are done. */
  async function doFirstSteps(): Promise<void> {
    const { backups, policies, secondFactors } = site.application.services;
    await policies.set(OPERATOR, {
      name: 'answers',
      scope: 'authentication',
      realm: '*',
      user: '*',
      action: `qrtanurl=${site.origin}/ocra/check_t`,
    });
    await addAdministrator(site, 'officer');
    await secondFactors.setToken(OPERATOR, 'officer', 'T4');
    await backups.export(OPERATOR, {
      lock: { recipients: [await identityToRecipient(await generateX25519Identity())] },
      version: 'test',
      write: () => Promise.resolve(),
    });
  }

  async function answer(serial: string, isRight: boolean): Promise<void> {
    const { application } = site;
    const { transactionid } = await application.challenge(serial, DATA);
    const right = application.respond(SUITE, DATA);
    await application.check(transactionid, isRight ? right : wrongResponse(right));
  }

  it('has no fault, and is the picture of the README', async () => {
    const { page, problems } = await openConsole(browser, site, { path: '/' });
    await showsTotal(page, TOKENS);
    await page.getByRole('img', { name: /^Chart: responses/ }).waitFor();
    await keepPicture(page, 'console');
    expect(await lookAt(page, 'overview-in-use')).toEqual([]);
    expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
  });
});
