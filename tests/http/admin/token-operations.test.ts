import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BoundedAdministrators } from '../../support/application/bounded-administrators.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';

let application: TestApplication;

beforeAll(async () => {
  application = await TestApplication.open();
  await application.addRealm('bank', ['ann']);
  await application.addRealm('shop');
  await application.enrolPlain('A1', SUITE, { user: 'ann', realm: 'bank' });
  await application.enrolPlain('A2', SUITE);
  await application.services.tokens.setRealms(OPERATOR, { serial: 'A2', realms: ['shop'] });
});
afterAll(() => application.close());

interface Answer {
  readonly result: { readonly value?: unknown; readonly error?: { readonly message: string } };
}

async function ask(act: string, given: Readonly<Record<string, string>> = {}): Promise<Answer['result']> {
  return ((await application.asAdmin(`/admin/token/${act}`, given)).body as Answer).result;
}

const listed = async (given: Readonly<Record<string, string>> = {}): Promise<readonly string[]> =>
  ((await ask('list', given)).value as { serial: string }[]).map(({ serial }) => serial);

describe('the operations on tokens over HTTP', () => {
  it('list by filters, and show all but secrets', async () => {
    expect(await listed()).toEqual(['A1', 'A2']);
    expect(await listed({ user: 'ann@bank' })).toEqual(['A1']);
    expect(await listed({ realm: 'shop', unassigned: '1' })).toEqual(['A2']);
    expect(await listed({ limit: '1', offset: '1' })).toEqual(['A2']);
    const { value } = await ask('show', { serial: 'A1' });
    expect(value).toMatchObject({
      serial: 'A1',
      owner: { login: 'ann' },
      realms: ['bank'],
      state: 'active',
      counter: '0',
    });
    expect(JSON.stringify(value)).not.toMatch(/seed|secret|"id"|resolver_id/);
  });

  it('change several tokens, one after the other, as far as the first that cannot be', async () => {
    expect(await ask('disable', { serials: 'A1, A2' })).toMatchObject({ value: 2 });
    expect(await listed({ inactive: '1' })).toEqual(['A1', 'A2']);
    const refused = await ask('enable', { serials: 'A1,NONE,A2' });
    expect(refused.error?.message).toContain("'NONE'");
    expect(await listed({ inactive: '1' })).toEqual(['A2']);
    expect(await ask('enable', { serials: 'A2' })).toMatchObject({ value: 1 });
  });

  it('do not foretell, as what would follow is about tokens and owners in any realm', async () => {
    for (const act of ['disable', 'remove', 'realms', 'set']) {
      const answer = await application.asAdmin(`/admin/token/${act}/consequences`, {
        serials: 'A1',
        serial: 'A1',
      });
      expect(answer.status).toBe(404);
    }
  });

  it.each([
    ['remove', { serials: '' }, "Missing parameter 'serials'"],
    ['remove', { serials: ' , ' }, "Missing parameter 'serials'"],
    ['list', { active: 'yes' }, "'active' is not valid: it must be 1 or 0"],
    ['list', { active: '1', inactive: '1' }, 'No token is both'],
    ['list', { realm: 'bank', in_no_realm: '1' }, 'No token is both'],
    ['set', { serial: 'A1', max_fail: '0' }, 'a whole number from 1 to 1000000'],
  ])('%s refuses %j in words, and changes nothing', async (act, given, words) => {
    expect((await ask(act, given)).error?.message).toContain(words);
    expect(await listed()).toEqual(['A1', 'A2']);
  });

  it('show an administrator of one realm its tokens alone, and no other realm of theirs', async () => {
    const administrators = await BoundedAdministrators.of(application);
    await administrators.add('clerk', 'show, remove', 'bank');
    await application.services.tokens.setRealms(OPERATOR, { serial: 'A1', realms: ['bank', 'shop'] });
    const tokens = (await administrators.get('clerk', '/admin/token/list', {})).body as Answer;
    expect(tokens.result.value).toMatchObject([{ serial: 'A1', realms: ['bank'] }]);
    const one = (await administrators.get('clerk', '/admin/token/show', { serial: 'A1' })).body as Answer;
    expect(one.result.value).toMatchObject({ realms: ['bank'] });
    const hidden = (await administrators.post('clerk', '/admin/token/remove', { serials: 'A2' }))
      .body as Answer;
    expect(hidden.result.error?.message).toContain("No token found with the serial 'A2'");
    expect(await listed()).toEqual(['A1', 'A2']);
  });
});
