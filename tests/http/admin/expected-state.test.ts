import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestApplication } from '../../support/application/test-application.ts';

const folder = mkdtempSync(join(tmpdir(), 'tankeeper-'));
let application: TestApplication;
beforeAll(async () => {
  application = await TestApplication.open({ resolverFileDirs: [folder] });
  for (const name of ['one', 'two', 'three']) {
    await application.addRealm(name);
  }
});
afterAll(async () => {
  await application.close();
  rmSync(folder, { recursive: true });
});

/** @returns the value of the answer, or the message of its error */
async function ask(path: string, given: Record<string, string>): Promise<unknown> {
  const { body } = (await application.asAdmin(path, given)) as {
    body: { result: { value?: unknown; error?: { message: string } } };
  };
  return body.result.error?.message ?? body.result.value;
}

describe('a change of what somebody else has changed meanwhile', () => {
  it('is refused for a realm', async () => {
    const set = (resolvers: string, expected: unknown) =>
      ask('/system/setRealm', { realm: 'both', resolvers, expected: JSON.stringify(expected) });
    expect(await set('one', null)).toBe(true);
    expect(await set('two', null)).toMatch(/^The realm 'both' was created by somebody else/);
    const answers = await Promise.all([set('one,two', ['one']), set('one,three', ['one'])]);
    expect(answers.filter((answer) => answer === true)).toHaveLength(1);
    expect(answers.filter((answer) => String(answer).includes('was changed by somebody else'))).toHaveLength(
      1,
    );
    expect(await set('two,one', ['two', 'one'])).toMatch('was changed');
    expect(await ask('/system/delRealm', { realm: 'both' })).toBe(true);
    expect(await set('one', ['one'])).toMatch("The realm 'both' was removed by somebody else");
  });

  it('is refused for a resolver', async () => {
    const set = (fileName: string, expected: unknown) =>
      ask('/system/setResolver', {
        name: 'file',
        type: 'passwd',
        fileName: `${folder}/${fileName}`,
        expected: JSON.stringify(expected),
      });
    expect(await set('a', null)).toBe(true);
    expect(await set('b', null)).toMatch(/^The resolver 'file' was created by somebody else/);
    const read = { fileName: `${folder}/a` };
    const answers = await Promise.all([set('b', read), set('c', read)]);
    expect(answers.filter((answer) => answer === true)).toHaveLength(1);
    expect(answers.filter((answer) => String(answer).includes('was changed by somebody else'))).toHaveLength(
      1,
    );
    expect(await set('d', {})).toMatch('was changed');
  });

  it('is refused for a configuration value', async () => {
    const set = (value: string, expected: unknown) =>
      ask('/system/setConfig', { key: 'OcraMaxChallenges', value, expected: JSON.stringify(expected) });
    const remove = (expected: unknown) =>
      ask('/system/delConfig', { key: 'OcraMaxChallenges', expected: JSON.stringify(expected) });
    const stored = async () =>
      (await application.services.configuration.current()).settings.get('OcraMaxChallenges');
    expect(await set('2', { OcraMaxChallenges: null })).toEqual(expect.anything());
    expect(await stored()).toBe('2');
    expect(await set('3', { OcraMaxChallenges: null })).toMatch(
      /^The configuration value 'OcraMaxChallenges' was set by somebody else meanwhile/,
    );
    // By any name of the key, and by each key of several.
    const answers = await Promise.all(
      ['4', '5'].map((value) => set(value, { 'linotp.ocramaxchallenges': '2' })),
    );
    expect(answers.filter((answer) => String(answer).includes('was changed by somebody else'))).toHaveLength(
      1,
    );
    const kept = await stored();
    const several = { Own: 'x', expected: JSON.stringify({ Own: null, OcraMaxChallenges: '2' }) };
    expect(await ask('/system/setConfig', several)).toMatch("'OcraMaxChallenges' was changed");
    expect(await remove({ OcraMaxChallenges: '2' })).toMatch('was changed');
    expect(await stored()).toBe(kept);
    await remove({ OcraMaxChallenges: kept });
    expect(await stored()).toBeUndefined();
    expect(await set('3', { OcraMaxChallenges: kept })).toMatch('was removed by somebody else');
    expect((await application.services.configuration.current()).settings.has('Own')).toBe(false);
    expect((await application.services.configuration.current()).settings.has('expected')).toBe(false);
  });

  it.each(['[', '1', '{"a":1}'])('is refused where nobody can tell what is meant: %s', async (expected) => {
    const given = { name: 'file', type: 'passwd', fileName: `${folder}/x`, expected };
    expect(await ask('/system/setResolver', given)).toMatch("The parameter 'expected' is JSON");
  });

  it('is done where nothing is expected', async () => {
    const given = { name: 'file', type: 'passwd', fileName: `${folder}/z` };
    expect(await ask('/system/setResolver', given)).toBe(true);
  });
});
