import { afterAll, expect, it } from '@jest/globals';
import { publishResults } from '../../../bench/result-page.ts';
import { emptyDeviceState } from '../../../src/cli/device/device-file.ts';
import { VirtualDevice } from '../../../src/cli/device/virtual-device.ts';
import { OPERATOR, wrongResponse } from '../../support/application/test-application.ts';
import { findChromium, openPage, startChromium } from '../../support/browser/chromium.ts';
import {
  addAdministrator,
  type ConsoleSite,
  PASSWORD,
  startConsole,
} from '../../support/browser/console-site.ts';
import { ENGINES } from '../../support/browser/web-driver.ts';
import { isLong } from '../../support/campaign.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { DrivenVisitor, KeyboardVisitor, MouseVisitor, type Visitor } from './visitor.ts';

const ACTIVATION_CODE = 'GEZDGNBVGY3TQOJQ01';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const DATA = '12345678';

/** A task as somebody brings it to the console. */
interface Task {
  readonly person: 'helpdesk' | 'operator';
  readonly title: string;
  /** On the pages of commit 540e2689, in Chromium; undefined: it could not be done there. */
  readonly before: { readonly clicks: number; readonly seconds: number } | undefined;
  /** From the search, signed in, to what tells that it is done. */
  readonly run: (visitor: Visitor, site: ConsoleSite) => Promise<void>;
}

/** Fills a site for the tasks: one person, called Anna Schröder, whose two tokens are out of order. */
async function prepareTasks(site: ConsoleSite): Promise<void> {
  const { application, origin } = site;
  const { users, policies, tokens } = application.services;
  await application.addRealm('north');
  await users.add(OPERATOR, {
    resolver: 'north',
    login: 'anna',
    givenName: 'Anna',
    surname: 'Schröder',
    email: 'anna@example.org',
    phone: '+49 30 7',
  });
  for (const [name, scope, action, user, realm] of [
    ['everything', 'admin', '*', 'admin', '*'],
    ['settings', 'system', '*', 'admin', '*'],
    ['counts', 'monitoring', '*', 'admin', '*'],
    ['desk', 'admin', '*', 'desk', 'north'],
    ['answers', 'authentication', `qrtanurl=${origin}/ocra/check_t`, '*', '*'],
  ] as const) {
    await policies.set(OPERATOR, { name, scope, action, user, realm });
  }
  await addAdministrator(site, 'desk');
  for (const serial of ['PHONE', 'TABLET']) {
    await application.enrolPlain(serial, SUITE, { user: 'anna', realm: 'north' });
  }
  await tokens.set(OPERATOR, { serial: 'PHONE' }, { maxFail: 1 });
  const { transactionid } = await application.challenge('PHONE', DATA);
  await application.check(transactionid, wrongResponse(application.respond(SUITE, DATA, { counter: 0n })));
}

const anna = async (visitor: Visitor): Promise<void> => {
  await visitor.fill('User, serial, transaction or page', 'schroeder');
  await visitor.press('link', 'anna');
  await visitor.sees('Latest transactions');
};

/** The tasks of each day, in the order in which they are done. */
const TASKS: readonly Task[] = [
  {
    person: 'helpdesk',
    title: 'find a caller by the name, typed without the umlaut',
    before: undefined,
    run: anna,
  },
  {
    person: 'helpdesk',
    title: 'tell why the last payment has failed',
    before: { clicks: 2, seconds: 1.6 },
    run: async (visitor) => {
      await anna(visitor);
      await visitor.press('link', `${new Date().toLocaleString('en', { month: 'short' })} …`);
      await visitor.sees('Wrong response');
    },
  },
  {
    person: 'helpdesk',
    title: 'unlock a token',
    before: { clicks: 2, seconds: 1.4 },
    run: async (visitor) => {
      await visitor.fill('User, serial, transaction or page', 'PHONE');
      await visitor.press('link', 'PHONE');
      await visitor.press('button', 'Unlock: PHONE');
      await visitor.sees('PHONE is unlocked.');
    },
  },
  {
    person: 'helpdesk',
    title: 'bring a token back in step',
    before: { clicks: 3, seconds: 2.1 },
    run: async (visitor, { application }) => {
      const [one, other] = ['11111111', '22222222'];
      await application.challenge('TABLET', one);
      await application.challenge('TABLET', other);
      await visitor.fill('User, serial, transaction or page', 'TABLET');
      await visitor.press('link', 'TABLET');
      await visitor.press('button', 'Resynchronise');
      await visitor.fill('First response', application.respond(SUITE, one, { counter: 40n }));
      await visitor.fill('Second response', application.respond(SUITE, other, { counter: 41n }));
      await visitor.press('button', 'Resynchronise');
      await visitor.sees('The token is in step again');
    },
  },
  {
    person: 'helpdesk',
    title: 'disable a lost phone',
    before: { clicks: 2, seconds: 1.4 },
    run: async (visitor) => {
      await visitor.fill('User, serial, transaction or page', 'PHONE');
      await visitor.press('link', 'PHONE');
      await visitor.press('button', 'Disable: PHONE');
      await visitor.sees('PHONE is disabled.');
    },
  },
  {
    person: 'helpdesk',
    title: 'enrol a new phone by both QR codes',
    before: { clicks: 4, seconds: 4.6 },
    run: async (visitor, { application }) => {
      await anna(visitor);
      await visitor.press('link', 'New token');
      await visitor.press('button', 'Show the first QR code');
      const device = new VirtualDevice({ clock: application.clock });
      const questions = {
        activationCode: () => Promise.resolve(ACTIVATION_CODE),
        ocraPin: () => Promise.resolve(''),
      };
      const first = await visitor.code('First QR code of the roll-out');
      const { state } = await device.scan(emptyDeviceState(), first, questions);
      await visitor.fill('Activation code', ACTIVATION_CODE);
      await visitor.press('button', 'Show the second QR code');
      const second = await visitor.code('Second QR code of the roll-out');
      const { answer } = await device.scan(state, second, questions);
      if (answer.kind !== 'nonce') {
        throw new Error('the second code is none of a roll-out');
      }
      await application.check(answer.transactionId, answer.response);
      await visitor.sees(`The token ${answer.serial} is ready.`);
    },
  },
  {
    person: 'operator',
    title: 'see how many tokens are active',
    before: { clicks: 1, seconds: 1.2 },
    run: async (visitor) => {
      await visitor.press('link', 'Overview');
      await visitor.sees('Tokens, active');
    },
  },
  {
    person: 'operator',
    title: 'see what a colleague may do, and by which policy',
    before: { clicks: 3, seconds: 3.5 },
    run: async (visitor) => {
      await visitor.press('link', 'Policies');
      await visitor.press('link', 'Who may do what?');
      await visitor.fill('Administrator', 'desk');
      await visitor.press('button', 'Explain');
      await visitor.sees('By desk');
    },
  },
  {
    person: 'operator',
    title: 'find the wrong responses in the audit',
    before: { clicks: 2, seconds: 1.2 },
    run: async (visitor) => {
      await visitor.press('link', 'Audit');
      await visitor.fill('Outcome', 'wrong');
      await visitor.press('button', 'Search');
      await visitor.sees('PHONE');
    },
  },
  {
    person: 'operator',
    title: 'change how many challenges a token may have open',
    before: { clicks: 3, seconds: 1.8 },
    run: async (visitor) => {
      await visitor.press('link', 'Settings');
      await visitor.press('button', 'Change OcraMaxChallenges');
      await visitor.fill('Value in force', '713');
      await visitor.press('button', 'Save');
      await visitor.sees('713');
    },
  },
  {
    person: 'operator',
    title: 'verify the audit',
    before: { clicks: 2, seconds: 2.1 },
    run: async (visitor) => {
      await visitor.press('link', 'Verify the audit');
      await visitor.press('button', 'Verify now');
      await visitor.sees('The audit is whole.');
    },
  },
];

/** The most clicks of a task, and keys without a mouse: more are a detour. */
const MOST_CLICKS = 4;
const MOST_KEYS = 120;

/** What each task took, by the manner in which it was done. */
const taken = new Map<string, readonly { readonly acts: number; readonly seconds: number }[]>();

describeWithProgram('the tasks of each day', findChromium(), 'chromium', (program) => {
  afterAll(async () => {
    // All manners were tried.
    if (isLong) {
      await publish();
    }
  });

  it.each([
    ['mouse', MouseVisitor, MOST_CLICKS],
    ['keyboard', KeyboardVisitor, MOST_KEYS],
  ] as const)('are done in Chromium by the %s alone, without a detour', async (manner, Manner, most) => {
    const [browser, site] = await Promise.all([startChromium(program), startConsole()]);
    const { page, problems } = await openPage(browser, site.origin);
    await doTasks(manner, new Manner(page), site);
    expect(taken.get(manner)?.filter(({ acts }) => acts > most)).toEqual([]);
    expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
    await browser.close();
    await site.close();
  });

  // Each engine goes one journey in the short form.
  for (const engine of isLong ? ENGINES : []) {
    describeWithProgram(`in ${engine.name}`, engine.program, engine.debianPackage, (path) => {
      it('are done, too', async () => {
        const [browser, site] = await Promise.all([engine.start(path), startConsole()]);
        await doTasks(engine.name, new DrivenVisitor(browser), site);
        expect(taken.get(engine.name)).toHaveLength(TASKS.length);
        await browser[Symbol.asyncDispose]();
        await site.close();
      });
    });
  }
});

/** Does all tasks one after the other, each from the search. */
async function doTasks(manner: string, visitor: Visitor, site: ConsoleSite): Promise<void> {
  await prepareTasks(site);
  const done: { acts: number; seconds: number }[] = [];
  for (const [place, task] of TASKS.entries()) {
    const before = TASKS[place - 1]?.person;
    if (before !== undefined && before !== task.person) {
      await visitor.press('button', `${loginOf(before)}: account and display`);
      await visitor.press('button', 'Sign out');
      await visitor.sees('User name');
    }
    await visitor.open(`${site.origin}/console/search`);
    if (before !== task.person) {
      await visitor.fill('User name', loginOf(task.person));
      await visitor.fill('Password', PASSWORD);
      await visitor.press('button', 'Sign in');
    }
    await visitor.sees('User, serial, transaction or page', 'field');
    visitor.acts = 0;
    const begun = performance.now();
    await task.run(visitor, site);
    done.push({ acts: visitor.acts, seconds: (performance.now() - begun) / 1_000 });
  }
  taken.set(manner, done);
}

function loginOf(person: (typeof TASKS)[number]['person']): string {
  return person === 'helpdesk' ? 'desk' : 'admin';
}

async function publish(): Promise<void> {
  const cell = (manner: string, place: number, key: 'acts' | 'seconds'): string =>
    taken.get(manner)?.[place]?.[key].toFixed(key === 'acts' ? 0 : 1) ?? '';
  await publishResults({
    name: 'tasks',
    title: 'Tasks of each day in the console',
    command: 'CAMPAIGN=long npm run test:campaigns -- tests/campaigns/engines/tasks.test.ts',
    measures:
      'Each task from the search to what tells that it is done, by a program: clicks, and keys that move and press where there is no mouse (typed texts are not counted), and seconds. Before: the same by the mouse in Chromium on the pages of commit 540e2689, on this machine a moment earlier, the median of three, with names typed as they are spelled; –: not possible. The machine did other work beside: whether any task has become a second slower is not shown.',
    sections: [
      {
        head: [
          'who',
          'task',
          'clicks before',
          'clicks',
          'keys',
          'before, s',
          'Chromium, s',
          'Firefox, s',
          'WebKit, s',
        ],
        rows: TASKS.map(({ person, title, before }, place) => [
          person,
          title,
          before?.clicks.toString() ?? '–',
          cell('mouse', place, 'acts'),
          cell('keyboard', place, 'acts'),
          before?.seconds.toFixed(1) ?? '–',
          cell('mouse', place, 'seconds'),
          cell('Firefox', place, 'seconds'),
          cell('WebKit', place, 'seconds'),
        ]),
      },
    ],
  });
}
