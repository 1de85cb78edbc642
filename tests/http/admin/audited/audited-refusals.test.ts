import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { applicationOfTests } from '../../../support/application/test-application.ts';
import { basic } from '../../../support/values/callers.ts';

const PASSWORD = 'correct horse';

const application = applicationOfTests({ limits: { loginFailures: 8 } });

interface Row {
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly outcome: string;
  readonly client: string;
}

/** @returns the rows that are new, a minute having passed before, with what was counted */
async function rowsOf(work: () => Promise<unknown>): Promise<readonly Row[]> {
  application.clock.advance(61);
  await application.services.refusals.flush();
  const before = await application.rows('SELECT id FROM audit');
  await work();
  await application.services.refusals.flush();
  return application.rows<Row>(
    'SELECT actor, action, subject, outcome, client FROM audit ORDER BY id OFFSET $1',
    [before.length],
  );
}

const login = (username: string, password: string): request.Test =>
  request(application.app).post('/admin/login').type('form').send({ username, password });
const show = (name: string, password: string): request.Test =>
  request(application.app).get('/admin/show').set('Authorization', basic(name, password));

describe('the audit of refusals', () => {
  it.each([
    ['POST /admin/login', login, 'admin/login'],
    ['Basic', show, 'admin/show'],
  ])('names an administrator whose password was wrong (%s)', async (_, ask, action) => {
    const rows = await rowsOf(async () => {
      expect((await ask('admin', 'wrong')).status).toBe(401);
    });
    expect(rows).toEqual([
      { actor: '', action, subject: 'admin', outcome: 'refused: password', client: '127.0.0.1' },
    ]);
  });

  it('never contains the text typed in place of a name', async () => {
    const rows = await rowsOf(async () => {
      await login(PASSWORD, 'admin');
      await show(PASSWORD, 'admin');
    });
    expect(rows.map(({ subject, outcome }) => ({ subject, outcome }))).toEqual([
      { subject: '', outcome: 'refused: password, unknown name' },
      { subject: '', outcome: 'refused: password, unknown name' },
    ]);
    const all = await application.rows<{ row: string }>('SELECT audit::text AS row FROM audit');
    expect(all.filter(({ row }) => row.includes(PASSWORD))).toEqual([]);
  });

  it('has a row for a login that succeeds', async () => {
    const rows = await rowsOf(async () => {
      expect((await login('admin', PASSWORD)).status).toBe(200);
    });
    expect(rows).toMatchObject([{ actor: 'admin', subject: 'admin', outcome: 'session opened' }]);
  });

  it('records requests without the token against forgery, and cross-site requests', async () => {
    const cookies = ((await login('admin', PASSWORD)).get('Set-Cookie') ?? []).map(
      (cookie) => cookie.split(';')[0],
    );
    const rows = await rowsOf(async () => {
      await request(application.app).post('/admin/enable').set('Cookie', cookies.join('; ')).send('serial=X');
      await application.send('/admin/enable', { serial: 'X' }).set('Sec-Fetch-Site', 'cross-site');
      await application.send('/admin/show', {}).set('Authorization', 'Bearer tk_unknown');
      await application.send('/admin/show', { session: 'x' }).set('Cookie', 'admin_session=x');
    });
    expect(rows.map(({ outcome }) => outcome)).toEqual([
      'refused: csrf token',
      'refused: cross-site',
      'refused: api token',
      'refused: session',
    ]);
  });

  it('omits requests without credentials, as browsers send first', async () => {
    const rows = await rowsOf(async () => {
      expect((await application.send('/admin/show', {})).status).toBe(401);
    });
    expect(rows).toEqual([]);
  });

  it('records responses without an open challenge', async () => {
    const rows = await rowsOf(async () => {
      await application.send('/ocra/check_t', { transactionid: 'nosuch', pass: '1' });
      await application.send('/validate/check', { user: 'nobody', pass: '1' });
    });
    expect(rows).toMatchObject([
      { action: 'ocra/check_t', outcome: 'refused: no such transaction' },
      { action: 'validate/check', outcome: 'refused: nothing is open' },
    ]);
  });

  it('counts a flood in place of writing a row for each', async () => {
    const rows = await rowsOf(async () => {
      for (let number = 0; number < 60; number += 1) {
        await login('admin', `wrong ${number}`);
      }
    });
    const outcomes = rows.map(({ outcome }) => outcome);
    // Then the limit of passwords holds, before anything is verified.
    expect(outcomes.filter((outcome) => outcome.startsWith('refused: password'))).toEqual([
      ...Array.from({ length: 5 }, () => 'refused: password'),
      expect.stringMatching(/^refused: password(?:, \d times)?$/),
    ]);
    expect(outcomes.filter((outcome) => outcome.startsWith('refused: too many')).length).toBe(6);
    expect(outcomes.at(-1)).toMatch(/^refused: too many passwords, \d+ times$/);
    const reported = outcomes.map((outcome) => Number(/(\d+) times/.exec(outcome)?.[1] ?? 1));
    expect(reported.reduce((sum, times) => sum + times, 0)).toBe(60);
  });

  it('has at most 30 rows of refusals a minute, from all clients together', async () => {
    const rows = await rowsOf(async () => {
      for (const path of [
        'show',
        'enable',
        'disable',
        'reset',
        'remove',
        'set',
        'assign',
        'resync',
        'init',
      ]) {
        for (let number = 0; number < 6; number += 1) {
          await application.send(`/admin/${path}`, {}).set('Authorization', 'Bearer tk_unknown');
        }
      }
    });
    const folded = rows.filter(({ outcome }) => /\d times$/.test(outcome));
    expect(rows.filter((row) => !folded.includes(row)).length).toBeLessThanOrEqual(36);
    const reported = rows.map(({ outcome }) => Number(/(\d+) times/.exec(outcome)?.[1] ?? 1));
    expect(reported.reduce((sum, times) => sum + times, 0)).toBe(54);
  });

  it('writes refusals later that could not be written at once; requests are refused meanwhile', async () => {
    const rows = await rowsOf(async () => {
      await application.rows('ALTER TABLE audit ADD CONSTRAINT none CHECK (id < 0) NOT VALID');
      const refused = await application.send('/admin/show', {}).set('Authorization', 'Bearer tk_unknown');
      expect(refused.status).toBe(401);
      await application.rows('ALTER TABLE audit DROP CONSTRAINT none');
    });
    expect(rows).toMatchObject([{ action: 'admin/show', outcome: 'refused: api token' }]);
  });
});
