import { afterAll, expect, it } from '@jest/globals';
import { publishResults } from '../../../bench/result-page.ts';
import { isLong } from '../../support/campaign.ts';
import { findChromium, openPage, startChromium } from '../../support/browser/chromium.ts';
import { type ConsoleSite, PASSWORD, startConsole } from '../../support/browser/console-site.ts';
import { ENGINES } from '../../support/browser/web-driver.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { prepareTasks, TASKS } from './tasks.ts';
import { DrivenVisitor, KeyboardVisitor, MouseVisitor, type Visitor } from './visitor.ts';

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
      await visitor.press('button', 'Sign out');
      await visitor.sees('User name');
    }
    await visitor.open(`${site.origin}/console/search`);
    if (before !== task.person) {
      await visitor.fill('User name', task.person === 'helpdesk' ? 'desk' : 'admin');
      await visitor.fill('Password', PASSWORD);
      await visitor.press('button', 'Sign in');
    }
    await visitor.sees('User, serial or transaction', 'field');
    visitor.acts = 0;
    const begun = performance.now();
    await task.run(visitor, site);
    done.push({ acts: visitor.acts, seconds: (performance.now() - begun) / 1_000 });
  }
  taken.set(manner, done);
}

async function publish(): Promise<void> {
  const cell = (manner: string, place: number, key: 'acts' | 'seconds'): string =>
    taken.get(manner)?.[place]?.[key].toFixed(key === 'acts' ? 0 : 1) ?? '';
  await publishResults({
    name: 'tasks',
    title: 'Tasks of each day in the console',
    command: 'CAMPAIGN=long npm run test:campaigns -- tests/campaigns/engines/tasks.test.ts',
    measures:
      'Each task from the search to what tells that it is done, by a program: clicks, and keys that move and press where there is no mouse (typed texts are not counted), and seconds.',
    sections: [
      {
        head: ['who', 'task', 'clicks', 'keys', 'Chromium, s', 'Firefox, s', 'WebKit, s'],
        rows: TASKS.map(({ person, title }, place) => [
          person,
          title,
          cell('mouse', place, 'acts'),
          cell('keyboard', place, 'acts'),
          cell('mouse', place, 'seconds'),
          cell('Firefox', place, 'seconds'),
          cell('WebKit', place, 'seconds'),
        ]),
      },
    ],
  });
}
