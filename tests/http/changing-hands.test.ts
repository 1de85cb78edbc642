import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { deferred } from '../support/deferred.ts';
import { SqlTap } from '../support/sql-tap.ts';
import { OPERATOR, TestApplication } from '../support/test-application.ts';

let application: TestApplication;

beforeAll(async () => {
  application = await TestApplication.open();
  await application.addRealm('bank', ['ann', 'bob']);
});
afterAll(() => application.close());

it.each(['assigned to another', 'unassigned'])(
  'a challenge for a user is not put to their token when that is %s at that moment',
  async (how) => {
    const serial = how.replaceAll(' ', '-');
    await application.enrolPlain(serial, 'OCRA-1:HOTP-SHA256-8:C-QN08', { user: 'ann', realm: 'bank' });
    const { tokens } = application.services;
    const storing = deferred<undefined>();
    // The token is found by its user; before the challenge is stored, it changes hands.
    const tap = new SqlTap({
      delay: (text) => {
        const isStoring = text.startsWith('update "tokens" set "last_challenge_at"');
        if (isStoring) {
          storing.resolve(undefined);
        }
        return isStoring ? 500 : 0;
      },
    });
    try {
      const asking = application.asAdmin('/ocra/request', { user: 'ann', realm: 'bank', data: 'pay 100' });
      await Promise.race([storing.promise, asking]);
      await (how === 'unassigned'
        ? tokens.unassign(OPERATOR, serial)
        : tokens.assign(OPERATOR, { serial, user: 'bob', realm: 'bank' }));
      expect(JSON.stringify((await asking).body)).toContain('has changed hands');
    } finally {
      tap.close();
    }
    expect(await application.status({ serial })).toEqual([]);
    await tokens.remove(OPERATOR, serial);
  },
);
