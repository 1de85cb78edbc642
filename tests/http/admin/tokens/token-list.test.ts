import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BoundedAdministrators } from '../../../support/application/bounded-administrators.ts';
import { TestApplication } from '../../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';

describe.each(['documented', 'linotp'] as const)('/admin/show, in the dialect %s', (dialect) => {
  let application: TestApplication;
  let bounded: BoundedAdministrators;

  beforeAll(async () => {
    application = await TestApplication.open({ dialect });
    await application.addRealm('north', ['ann', 'zoe']);
    await application.addRealm('south', ['bob']);
    await application.enrolPlain('T1', SUITE, { user: 'zoe', realm: 'north', description: '=1+1; "x"' });
    await application.enrolPlain('T2', SUITE, { user: 'ann', realm: 'north', description: '100%_sure' });
    await application.enrolPlain('T3', SUITE, { user: 'bob', realm: 'south', description: 'front door' });
    await application.asAdmin('/admin/set', { serial: 'T2', MaxFailCount: '3' });
    bounded = await BoundedAdministrators.of(application);
    await bounded.add('north-desk', 'show', 'north');
  });
  afterAll(() => application.close());

  const ask = async (parameters: Record<string, string>, as?: string): Promise<string> => {
    const { text } =
      as === undefined
        ? await application.asAdmin('/admin/show', parameters, 'get')
        : await bounded.get(as, '/admin/show', parameters);
    return text;
  };
  const serials = async (parameters: Record<string, string>, as?: string): Promise<readonly string[]> =>
    [...(await ask(parameters, as)).matchAll(/"(T[1-3])"/g)].map(([, serial = '']) => serial);

  it.each([
    ['TokenSerialnumber', 'desc', ['T3', 'T2', 'T1']],
    ['LinOtp.TokenSerialnumber', '', ['T1', 'T2', 'T3']],
    ['username', 'asc', ['T2', 'T3', 'T1']],
    ['User.username', 'desc', ['T1', 'T3', 'T2']],
    ['maxfail', 'asc', ['T2', 'T1', 'T3']],
    ['TokenId', 'DESC', ['T3', 'T2', 'T1']],
    ['', '', ['T1', 'T2', 'T3']],
  ])('sorts by %j %j', async (sortby, sortdir, expected) => {
    expect(await serials({ sortby, sortdir, page: '1', pagesize: '15', filter: '' })).toEqual(expected);
  });

  it('refuses an order that is none, whatever it holds', async () => {
    for (const sortby of ["serial'; DROP TABLE tokens; --", 'pin', '1', 'constructor']) {
      expect(await ask({ sortby })).toContain("the parameter 'sortby' is one of TokenSerialnumber");
    }
    expect(await ask({ sortdir: 'up' })).toContain("'sortdir' is asc or desc");
    expect(await serials({})).toHaveLength(3);
  });

  it.each([
    ['t2', ['T2']],
    ['ZO', ['T1']],
    ['OCRA', ['T1', 'T2', 'T3']],
    ['front*door', ['T3']],
    ['fr*', ['T3']],
    ['%', ['T2']],
    ['_', ['T2']],
    ['*', ['T1', 'T2', 'T3']],
    [' ', ['T1', 'T2', 'T3']],
    ["' OR 1=1 --", []],
    ['x'.repeat(1_000), []],
  ])('finds by the filter %j', async (filter, expected) => {
    expect(await serials({ filter })).toEqual(expected);
  });

  it('counts what a page is part of', async () => {
    const total = dialect === 'linotp' ? /"tokens": (\d+)/ : /"total": (\d+)/;
    const counted = async (parameters: Record<string, string>, as?: string) =>
      total.exec(await ask({ pagesize: '1', ...parameters }, as))?.[1];
    expect(await counted({})).toBe('3');
    expect(await counted({ viewrealm: 'north,south' })).toBe('3');
    expect(await counted({ viewrealm: 'south' })).toBe('1');
    expect(await counted({ filter: 'T2' })).toBe('1');
    expect(await counted({}, 'north-desk')).toBe('2');
    expect(await counted({ filter: 'T' }, 'north-desk')).toBe('2');
  });

  it('gives a table without formulas, of an administrator’s realms alone', async () => {
    const answer = await application.asAdmin('/admin/show', { outform: 'csv' }, 'get');
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(answer.headers['content-disposition']).toBe('attachment; filename="tokens.csv"');
    const lines = answer.text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toContain(
      dialect === 'linotp' ? 'LinOtp.TokenType;LinOtp.TokenSerialnumber;' : 'serial,type,description,',
    );
    expect(lines[1]).toContain(`"'=1+1; ""x"""`);
    const ofNorth = await ask({ outform: 'CSV' }, 'north-desk');
    expect(ofNorth.trimEnd().split('\r\n')).toHaveLength(3);
    expect(ofNorth).not.toContain('T3');
    const page = await ask({ outform: 'csv', pagesize: '1', page: '2', sortby: 'username' });
    // Words: times have a T, too.
    expect(page).toMatch(/\bT3\b/);
    expect(page).not.toMatch(/\bT1\b/);
  });

  it('refuses another form, and a whole table in an order that takes all tokens at once', async () => {
    expect(await ask({ outform: 'xml' })).toContain("'outform' is json or csv");
    expect(await ask({ outform: 'csv', sortby: 'username' })).toContain("leave out 'sortby'");
  });
});

describe.each(['documented', 'linotp'] as const)('/admin/userlist by pages, in the dialect %s', (dialect) => {
  let application: TestApplication;
  const logins = Array.from({ length: 20 }, (_, index) => `user${String(index).padStart(2, '0')}`);

  beforeAll(async () => {
    application = await TestApplication.open({ dialect });
    await application.addRealm('north', logins);
  });
  afterAll(() => application.close());

  const ask = async (parameters: Record<string, string>) => {
    const given = { username: '*', realm: 'north', ...parameters };
    const answer = await application.asAdmin('/admin/userlist', given, 'get');
    return (answer.body as { result: Page }).result;
  };
  interface Page {
    readonly value?: readonly { readonly username: string }[];
    readonly queried?: number;
    readonly error?: { readonly message: string };
  }

  it('has exactly rp users on a page, each once, and none beyond the end', async () => {
    const listed: string[] = [];
    for (let page = 1; ; page += 1) {
      const { value = [], queried } = await ask({ page: String(page), rp: '7' });
      expect(queried).toBe(value.length);
      if (value.length === 0) {
        expect(page).toBe(4);
        break;
      }
      listed.push(...value.map(({ username }) => username));
    }
    expect(listed).toEqual(logins);
  });

  it('has a usual number of users on a page, and all without one', async () => {
    expect((await ask({ page: '1' })).queried).toBe(16);
    expect((await ask({ rp: '3' })).queried).toBe(3);
    expect((await ask({ page: '0', rp: '3' })).value?.[0]?.username).toBe('user00');
    expect((await ask({})).queried).toBe(20);
    expect((await ask({ page: '', rp: '' })).queried).toBe(20);
  });

  it.each([{ page: 'one' }, { page: '-1' }, { page: '1.5' }, { rp: 'x', page: '1' }, { rp: '0' }])(
    'refuses %j',
    async (parameters) => {
      expect((await ask(parameters)).error?.message).toContain('must be a whole number');
    },
  );
});
