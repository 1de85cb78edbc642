import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ServiceError } from '../../../src/kernel/errors.ts';
import { PasswdFile } from '../../../src/resolvers/sources/passwd/passwd-file.ts';
import {
  applicationOfTests,
  BoundedAdministrators,
  OPERATOR,
  wrongResponse,
} from '../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const DATA = '12345678';
const ANNA = { user: 'anna', realm: 'north' };

const application = applicationOfTests();
let bounded: BoundedAdministrators;
let transaction: string;

beforeAll(async () => {
  await application.addRealm('north', ['bert']);
  await application.addRealm('south', ['cleo']);
  await application.services.users.add(OPERATOR, {
    resolver: 'north',
    login: 'anna',
    givenName: 'Anna',
    surname: 'Musk',
    email: 'anna@example.org',
    phone: '+49 30 7',
  });
  await application.enrolPlain('QR1', SUITE, { user: 'anna', realm: 'north' });
  await application.enrolPlain('QR2', SUITE, { user: 'anna', realm: 'north' });
  await application.enrolPlain('QR3', SUITE, { user: 'cleo', realm: 'south' });
  await application.enrolPlain('QRFREE', SUITE);
  await application.services.tokens.setRealms(OPERATOR, { serial: 'QR2', realms: ['north', 'south'] });
  transaction = (await application.challenge('QR3', DATA)).transactionid;
  bounded = await BoundedAdministrators.of(application);
  await bounded.add('north-desk', 'show, userlist, transaction', 'north');
  await bounded.add('south-desk', 'show, userlist, transaction', 'south');
  await bounded.add('lister', 'userlist', 'north');
  await bounded.add('shower', 'show', 'north');
  await bounded.add('nobody', 'reset', 'north');
});
const ask = (...given: Parameters<BoundedAdministrators['ask']>) => bounded.ask(...given);

interface Found {
  readonly tokens: { readonly hits: readonly { serial: string }[]; readonly has_more: boolean } | null;
  readonly people: {
    readonly hits: readonly { login: string; realms: string[]; has_locked_token: boolean }[];
    readonly incomplete: readonly { resolver: string }[];
  } | null;
  readonly transactions: readonly { transaction_id: string; serial: string; state: string }[] | null;
}

async function search(text: string, as?: string): Promise<Found> {
  const { value, error } = await ask('/admin/helpdesk/search', { text }, as);
  expect(error).toBeUndefined();
  return value as Found;
}

const serialsOf = (found: Found): readonly string[] | undefined =>
  found.tokens?.hits.map(({ serial }) => serial);

describe('/admin/helpdesk/search', () => {
  it('finds tokens by the beginning of their serial in any case, in the caller’s realms', async () => {
    expect(serialsOf(await search('qr'))).toEqual(['QR1', 'QR2', 'QR3', 'QRFREE']);
    expect(serialsOf(await search('qr', 'north-desk'))).toEqual(['QR1', 'QR2']);
    expect(serialsOf(await search('qr', 'south-desk'))).toEqual(['QR2', 'QR3']);
    expect(serialsOf(await search('QR3', 'north-desk'))).toEqual([]);
  });

  it('finds people by the beginning of a name, in the caller’s realms', async () => {
    for (const text of ['ann', 'MUSK', 'anna musk', 'anna@example', 'anna@north']) {
      const { people } = await search(text);
      expect(people?.hits).toMatchObject([{ login: 'anna', surname: 'Musk', realms: ['north'] }]);
    }
    const nobody = { hits: [], has_more: false, incomplete: [] };
    expect((await search('cleo', 'north-desk')).people).toEqual(nobody);
    expect((await search('cleo@south', 'north-desk')).people?.hits).toEqual([]);
    expect((await search('cleo', 'south-desk')).people?.hits).toMatchObject([{ login: 'cleo' }]);
  });

  it('marks people with a locked token that the caller may see', async () => {
    const lock = async (serial: string, count: number): Promise<unknown> =>
      application.sql('tokens').where({ serial }).update({ fail_count: count });
    const marked = async (as?: string): Promise<readonly boolean[] | undefined> =>
      (await search('ann', as)).people?.hits.map((hit) => hit.has_locked_token);
    expect(await marked()).toEqual([false]);
    await lock('QR1', 1000);
    expect(await marked()).toEqual([true]);
    expect(await marked('north-desk')).toEqual([true]);
    expect(await marked('lister')).toEqual([false]);
    await lock('QR1', 0);
    expect(await marked()).toEqual([false]);
  });

  it('finds a transaction of the caller’s realms', async () => {
    const hit = { transaction_id: transaction, serial: 'QR3', state: 'open', realms: ['south'] };
    expect((await search(transaction)).transactions).toEqual([hit]);
    expect((await search(transaction, 'south-desk')).transactions).toEqual([hit]);
    expect((await search(transaction, 'north-desk')).transactions).toEqual([]);
  });

  it('looks for nothing that the caller has no right to', async () => {
    expect((await ask('/admin/helpdesk/search', { text: 'anna' }, 'nobody')).error?.message).toMatch(/right/);
    expect(await search('qr', 'shower')).toMatchObject({
      tokens: { has_more: false },
      people: null,
      transactions: null,
    });
  });

  it('names a resolver that is away, and finds the rest', async () => {
    const { realms } = application.services;
    await application.setResolver('gone', 'passwd', { fileName: '/nonexistent/passwd' });
    await realms.set(OPERATOR, { name: 'broken', resolvers: ['gone'] });
    const { people, tokens } = await search('bert');
    expect(people?.hits).toMatchObject([{ login: 'bert' }]);
    expect(people?.incomplete).toMatchObject([{ resolver: 'gone' }]);
    expect(tokens?.hits).toEqual([]);
    expect((await search('bert', 'north-desk')).people?.incomplete).toEqual([]);
    await realms.remove(OPERATOR, 'broken');
  });

  it('refuses a blank text and one that is too long, and finds nothing for strange ones', async () => {
    expect((await ask('/admin/helpdesk/search', { text: '  ' })).error?.message).toMatch(/No text/);
    expect((await ask('/admin/helpdesk/search', { text: 'x'.repeat(256) })).error?.message).toMatch(/255/);
    for (const text of ['%', '_', '*', "' OR 1=1 --", 'x'.repeat(255)]) {
      expect(serialsOf(await search(text))).toEqual([]);
    }
  });
});

describe('/admin/helpdesk/person', () => {
  it('shows a user with the tokens and the latest transactions', async () => {
    const { value } = await ask('/admin/helpdesk/person', ANNA, 'north-desk');
    expect(value).toMatchObject({
      login: 'anna',
      realm: 'north',
      resolver: 'north',
      details: { given_name: 'Anna', surname: 'Musk', email: 'anna@example.org', phone: '+49 30 7' },
      tokens: [
        { serial: 'QR1', active: true, is_locked: false, realms: ['north'] },
        {
          serial: 'QR2',
          owner: { login: 'anna', resolver: 'north' },
          owner_realm: 'north',
          realms: ['north'],
        },
      ],
      has_more: false,
      transactions: [],
    });
  });

  it('leaves out what the caller has no right to', async () => {
    const { value } = await ask('/admin/helpdesk/person', ANNA, 'shower');
    expect(value).toMatchObject({ login: 'anna', details: null, transactions: null });
    expect(value).toHaveProperty('tokens.length', 2);
    expect((await ask('/admin/helpdesk/person', ANNA, 'nobody')).error).toBeDefined();
  });

  it('knows no user of another realm, also by the resolver', async () => {
    const [realm, resolver] = ['south', 'south'];
    for (const parameters of [{ realm }, { realm, resolver }, { resolver }]) {
      const { error } = await ask('/admin/helpdesk/person', { user: 'cleo', ...parameters }, 'north-desk');
      expect(error?.message).toMatch(/There is no user 'cleo'|user.*cleo/i);
    }
  });
});

describe('/admin/token/show', () => {
  it('shows a token with its transactions, in the caller’s realms', async () => {
    await application.check(transaction, wrongResponse(application.respond(SUITE, DATA, { counter: 0n })));
    const { value } = await ask('/admin/token/show', { serial: 'QR3' }, 'south-desk');
    expect(value).toMatchObject({
      serial: 'QR3',
      fail_count: 1,
      rollout: 'complete',
      counter: '0',
      transactions: [{ transaction_id: transaction, state: 'open', fail_count: 1 }],
    });
    const until = '2100-01-01T00:00:00.000Z';
    const use = { validUntil: until, maxUses: '1000', useCount: '7' };
    await application.services.tokens.set(OPERATOR, { serial: 'QR3' }, { use });
    expect((await ask('/admin/token/show', { serial: 'QR3' }, 'south-desk')).value).toMatchObject({
      use: { valid_from: null, valid_until: until, use_count: 7, max_uses: 1000, success_count: 0 },
    });
    for (const serial of ['QR3', 'QRFREE', 'NONE']) {
      const { error } = await ask('/admin/token/show', { serial }, 'north-desk');
      expect(error?.message).toContain(serial);
    }
    expect((await ask('/admin/token/show', { serial: 'QR1' }, 'shower')).value).toMatchObject({
      transactions: null,
    });
  });

  it('shows no transaction of the time when the token was in other realms, as its history does', async () => {
    await application.enrolPlain('MOVED', SUITE, { user: 'cleo', realm: 'south' });
    const before = (await application.challenge('MOVED', DATA)).transactionid;
    const { tokens } = application.services;
    await tokens.setRealms(OPERATOR, { serial: 'MOVED', realms: ['north'] });
    const after = (await application.challenge('MOVED', DATA)).transactionid;
    const shown = async (as?: string): Promise<readonly string[]> => {
      const { value } = await ask('/admin/token/show', { serial: 'MOVED' }, as);
      const { transactions } = value as { transactions: { transaction_id: string }[] };
      return transactions.map(({ transaction_id: id }) => id).sort();
    };
    expect(await shown()).toEqual([before, after].sort());
    expect(await shown('north-desk')).toEqual([after]);
    expect((await search(before, 'north-desk')).transactions).toEqual([]);
    await tokens.remove(OPERATOR, { serial: 'MOVED' });
  });

  it('shows no secret', async () => {
    const { value } = await ask('/admin/token/show', { serial: 'QR1' });
    expect(value).toMatchObject({ serial: 'QR1' });
    expect(JSON.stringify(value)).not.toMatch(/seed|secret|nonce|"pin|marker/i);
  });
});

describe('/admin/token/list', () => {
  interface Sheet {
    readonly tokens: readonly { serial: string }[];
    readonly next: string | null;
    readonly total: number | null;
  }
  const sheet = async (parameters: Record<string, string>, as?: string): Promise<Sheet> => {
    const { value, error } = await ask('/admin/token/list', parameters, as);
    expect(error).toBeUndefined();
    return value as Sheet;
  };
  const serials = async (parameters: Record<string, string>, as?: string): Promise<readonly string[]> =>
    (await sheet(parameters, as)).tokens.map(({ serial }) => serial);

  it('turns pages by the cursor, with the number of all', async () => {
    const first = await sheet({ limit: '3' });
    expect(first).toMatchObject({ next: 'QR3', total: 4 });
    const second = await sheet({ limit: '3', cursor: first.next ?? '' });
    expect(second).toMatchObject({ tokens: [{ serial: 'QRFREE' }], next: null, total: 4 });
  });

  it('holds to the caller’s realms, whatever is asked', async () => {
    expect(await serials({}, 'north-desk')).toEqual(['QR1', 'QR2']);
    expect((await sheet({}, 'north-desk')).total).toBe(2);
    expect(await serials({ realm: '/:no realm:/' }, 'north-desk')).toEqual([]);
    expect(await serials({ cursor: 'QR2' }, 'north-desk')).toEqual([]);
    expect((await ask('/admin/token/list', { realm: 'south' }, 'north-desk')).error?.message).toMatch(
      /realm/,
    );
    expect((await ask('/admin/token/list', {}, 'nobody')).error).toBeDefined();
  });

  it('filters by realm, state, serial and owner', async () => {
    await application.services.tokens.disable(OPERATOR, { serial: 'QR1' });
    expect(await serials({ realm: 'South' })).toEqual(['QR2', 'QR3']);
    expect(await serials({ realm: '/:no realm:/' })).toEqual(['QRFREE']);
    expect(await sheet({ status: 'inactive' })).toMatchObject({ tokens: [{ serial: 'QR1' }], total: 1 });
    expect(await serials({ status: 'active, assigned' })).toEqual(['QR2', 'QR3']);
    expect(await serials({ status: 'unassigned' })).toEqual(['QRFREE']);
    expect(await sheet({ serial: 'qrf' })).toMatchObject({ tokens: [{ serial: 'QRFREE' }], total: null });
    expect(await serials({ user: 'anna', user_realm: 'north' })).toEqual(['QR1', 'QR2']);
    expect(await sheet({ status: 'locked' })).toMatchObject({ tokens: [], total: null });
    await application.services.tokens.enable(OPERATOR, { serial: 'QR1' });
  });

  it('turns pages backwards', async () => {
    const last = await sheet({ limit: '3', order: 'desc' });
    expect(last.tokens.map(({ serial }) => serial)).toEqual(['QRFREE', 'QR3', 'QR2']);
    expect(await sheet({ limit: '3', order: 'desc', cursor: last.next ?? '' })).toMatchObject({
      tokens: [{ serial: 'QR1' }],
      next: null,
    });
    expect((await ask('/admin/token/list', { order: 'up' })).error?.message).toMatch(/order/);
  });

  it('names owners only where that is asked for and allowed', async () => {
    const named = async (parameters: Record<string, string>, as?: string): Promise<readonly unknown[]> =>
      (await sheet(parameters, as)).tokens.map((token) => (token as { owner_name?: unknown }).owner_name);
    expect(await named({})).toEqual([null, null, null, null]);
    expect(await named({ names: '1' })).toEqual(['Anna Musk', 'Anna Musk', '', null]);
    expect(await named({ names: '1' }, 'north-desk')).toEqual(['Anna Musk', 'Anna Musk']);
    // The owner of QR2 is of the realm north.
    expect(await named({ names: '1' }, 'south-desk')).toEqual([null, '']);
    expect(await named({ names: '1' }, 'shower')).toEqual([null, null]);
  });

  it('lists tokens without names where a resolver is away or its password cannot be read', async () => {
    const { resolvers, realms, tokens } = application.services;
    await application.addRealm('west', ['dora']);
    await application.enrolPlain('AWAY', SUITE, { user: 'dora', realm: 'west' });
    await resolvers.set(OPERATOR, { name: 'lost', kind: 'passwd', settings: { fileName: '/nonexistent' } });
    await realms.set(OPERATOR, { name: 'west', resolvers: ['west', 'lost'] });
    await application.rows(
      `UPDATE tokens SET owner_resolver_id = (SELECT id FROM resolvers WHERE name = 'lost') WHERE serial = 'AWAY'`,
    );
    const withoutName = [{ serial: 'AWAY', owner_name: null }];
    expect((await sheet({ names: '1', serial: 'AWAY' })).tokens).toMatchObject(withoutName);
    const unreadable = new ServiceError('secret.unreadable', 'no key');
    const asked = jest.spyOn(PasswdFile.prototype, 'findById').mockRejectedValue(unreadable);
    expect((await sheet({ names: '1', serial: 'AWAY' })).tokens).toMatchObject(withoutName);
    expect(asked).toHaveBeenCalled();
    asked.mockRestore();
    await tokens.remove(OPERATOR, { serial: 'AWAY' });
    await realms.remove(OPERATOR, 'west');
    await resolvers.remove(OPERATOR, 'lost');
  });

  it('tells how many challenges are open, to those who may see transactions', async () => {
    const open = async (as?: string): Promise<readonly unknown[]> =>
      (await sheet({ serial: 'QR2' }, as)).tokens.map(
        (token) => (token as { open_challenges?: unknown }).open_challenges,
      );
    await application.challenge('QR2', DATA);
    await application.challenge('QR2', '87654321');
    expect(await open()).toEqual([2]);
    expect(await open('north-desk')).toEqual([2]);
    expect(await open('shower')).toEqual([null]);
    application.clock.advance(1200);
    expect(await open()).toEqual([0]);
    application.clock.advance(-1200);
  });

  it.each([
    { limit: '0' },
    { limit: '201' },
    { status: 'broken' },
    { status: 'active,inactive' },
    { user: ' ', user_realm: 'north' },
    { user_realm: '', user_resolver: 'north' },
  ])('refuses %j', async (parameters) => {
    expect((await ask('/admin/token/list', parameters)).error?.message).toMatch(/must be/);
  });
});
