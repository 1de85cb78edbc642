import { expect, it } from '@jest/globals';
import { TokenStore } from '../../src/tokens/token-store.ts';
import { PassStore } from '../../src/validation/pass-store.ts';
import { decidePass } from '../../src/validation/pass.ts';
import { NOW } from '../support/values/challenge-answers.ts';
import { statementsOf } from '../support/database/sql-tap.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { ACT, tokenValue } from '../support/values/token-values.ts';

const test = databaseOfTests();

it('takes no locks for wrong passes of a person that come at once, and counts each', async () => {
  const tokens = new TokenStore({ database: test.database });
  const passes = new PassStore({ database: test.database });
  const first = await tokens.insert(tokenValue('HOTP1', { type: 'hmac', algorithm: 'HOTP-SHA1-6' }), ACT);
  const settle = (): Promise<unknown> =>
    passes.settle(
      { serial: first.serial },
      [first],
      (seen) => {
        const wrong = { verdict: { kind: 'wrong' }, isPin: true, hasSecret: true } as const;
        const tried = seen.tokens.map((token) => ({ token, ...wrong }));
        return Promise.resolve(
          decidePass({ tokens: tried, open: undefined, guessed: undefined, first }, NOW),
        );
      },
      ACT,
    );
  const statements = await statementsOf(() => Promise.all([settle(), settle(), settle()]));
  expect(statements.filter((text) => text.endsWith('for no key update'))).toEqual([]);
  // The first one has read them before.
  expect(statements.filter((text) => text.includes('from "tokens"'))).toHaveLength(2);
  expect(await tokens.findBySerial(first.serial)).toMatchObject({ failCount: 3 });
});
