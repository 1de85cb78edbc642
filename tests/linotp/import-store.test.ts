import { expect, it } from '@jest/globals';
import { ChallengeIssueStore } from '../../src/challenges/challenge-issue-store.ts';
import { ImportStore } from '../../src/linotp/import-store.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import { untilWaiting } from '../support/database/held-statement.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { challengeOf, LATER, NOW } from '../support/values/challenge-answers.ts';
import { ACT, tokenValue } from '../support/values/token-values.ts';

const test = databaseOfTests();

/** @returns the id of a token that is as it was imported */
async function importedToken(serial: string): Promise<string> {
  const { database } = test;
  const { id } = await new TokenStore({ database }).insert(tokenValue(serial), ACT);
  await database.knex.raw(
    `INSERT INTO imported_tokens (token_id, token_version, serial, fingerprint, type_name, otp_length,
       key_form, info, resolver_class, resolver_id, user_id)
     SELECT id, version, serial, '', 'ocra', 8, 'key', '{}', '', '', '' FROM tokens WHERE id = ?`,
    [id],
  );
  return id;
}

const importedChallenge = (transactionId: string, serial: string, question: string) => ({
  transactionId,
  serial,
  question,
  data: 'A',
  issuedAt: NOW,
  expiresAt: LATER,
  wrongCount: 0,
  receivedTan: false,
  validTan: false,
  closedBy: null,
});

it('imports challenges so that no request beside it asks the same for another text, and tokens stay untouched', async () => {
  const { database } = test;
  const tokens = new TokenStore({ database });
  const issues = new ChallengeIssueStore({ database });
  const target = new ImportStore({ database });
  const id = await importedToken('OCRA1');
  const seen = await tokens.findBySerial('OCRA1');
  const issuing = await target.transact(ACT, async (rows) => {
    await rows.challenges.insert([{ ...importedChallenge('T1', 'OCRA1', 'same'), tokenId: id }]);
    const asked = { ...challengeOf(id, 'T2'), question: 'same', data: 'B', ...(seen && { seen }) };
    const issued = issues.issue(asked, 4, ACT);
    await Promise.race([issued, untilWaiting(database)]);
    return { issued };
  });
  expect(await issuing.issued).not.toBe('same');
});

it('gives a token another version by each challenge that it imports or changes, and counts it as untouched', async () => {
  const { database } = test;
  const target = new ImportStore({ database });
  const id = await importedToken('OCRA2');
  const versionOf = async (): Promise<unknown> => database.knex('tokens').where({ id }).first('version');
  const isUntouched = (): Promise<boolean | undefined> =>
    target.transact(ACT, async (rows) => (await rows.tokens.find(['OCRA2'])).get('OCRA2')?.isUntouched);
  const challenge = importedChallenge('T3', 'OCRA2', '1');
  await target.transact(ACT, (rows) => rows.challenges.insert([{ ...challenge, tokenId: id }]));
  expect(await versionOf()).toEqual({ version: '2' });
  expect(await isUntouched()).toBe(true);
  await target.transact(ACT, async (rows) => {
    const present = (await rows.challenges.find(['T3'])).get('T3');
    await rows.challenges.update(new Map([[present?.id ?? '', { ...challenge, wrongCount: 1 }]]));
  });
  expect(await versionOf()).toEqual({ version: '3' });
  expect(await isUntouched()).toBe(true);
});

it('leaves a token with which an administrator signs in as it is', async () => {
  const { database } = test;
  const target = new ImportStore({ database });
  const id = await importedToken('OCRA3');
  const factor = { second_factor: 'token', second_factor_serial: 'OCRA3', second_factor_token_id: id };
  await database.knex('administrators').insert({ name: 'anna', password_hash: 'x', ...factor });
  const found = await target.transact(ACT, async (rows) => (await rows.tokens.find(['OCRA3'])).get('OCRA3'));
  expect(found).toMatchObject({ isUntouched: true, isSecondFactor: true });
  await target.transact(ACT, async (rows) => {
    expect(await rows.tokens.removeUnseen(10)).toMatchObject({ kept: expect.arrayContaining(['OCRA3']) });
  });
  expect(await database.knex('tokens').where({ id }).first('serial')).toEqual({ serial: 'OCRA3' });
});
