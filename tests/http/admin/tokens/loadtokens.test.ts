import { beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import {
  container,
  FIGURE_6,
  FIGURE_7,
  keyPackage,
  ocraPackage,
  PASSWORD,
  PRE_SHARED_KEY,
} from '../../../support/values/pskc-documents.ts';
import { errorOf, outcomeOf } from '../../../support/application/browser.ts';
import { applicationOfTests, AS_ADMIN, OPERATOR } from '../../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const KEY = Buffer.from('12345678901234567890123456789012', 'ascii');

const application = applicationOfTests();

beforeAll(() => application.addRealm('staff'));

async function load(file: string, more: Record<string, string> = {}): Promise<unknown> {
  return outcomeOf(await application.asAdmin('/admin/loadtokens', { file, type: 'pskc', ...more }));
}

async function serials(): Promise<readonly string[]> {
  return (await application.services.tokens.list(OPERATOR, {})).map(({ serial }) => serial);
}

describe('/admin/loadtokens', () => {
  it('loads OCRA tokens that answer challenges, from the counter of the file on', async () => {
    const packages = ocraPackage('LOAD1', SUITE, KEY, 5) + ocraPackage('LOAD2', SUITE, KEY);
    expect(await load(container({ packages }), { realm: 'Staff' })).toEqual({ imported: 2 });
    expect(await application.services.tokens.show(OPERATOR, 'LOAD1')).toMatchObject({
      type: 'ocra',
      description: 'imported',
      active: true,
      owner: null,
      realms: ['staff'],
      counter: 5n,
      algorithm: SUITE,
      maxFail: 10,
      rollout: 'complete',
    });
    const { transactionid, question } = await application.challenge('LOAD1');
    const pass = application.respond(SUITE, question, { counter: 5n });
    expect(await application.check(transactionid, pass)).toEqual({ failcount: 0, result: true });
    expect(await application.check(transactionid, pass)).toEqual({ failcount: 0, result: false });
  });

  it('loads keys with a period and a number of uses, which bound the token as /admin/set does', async () => {
    const bounded = (serial: string, policy: string): string =>
      ocraPackage(serial, SUITE, KEY).replace('</Key>', `<Policy>${policy}</Policy></Key>`);
    const packages =
      bounded('ENDED', '<ExpiryDate>2020-02-01T00:00:00Z</ExpiryDate>') +
      bounded('LATER', '<StartDate>2120-01-31T00:00:00Z</StartDate>') +
      bounded('ONCE', '<NumberOfTransactions>1</NumberOfTransactions>') +
      ocraPackage('FREE', SUITE, KEY);
    expect(await load(container({ packages }))).toEqual({ imported: 4 });
    const uses = await Promise.all(
      ['ENDED', 'LATER', 'ONCE', 'FREE'].map(
        async (serial) => (await application.services.tokens.show(OPERATOR, serial)).use,
      ),
    );
    const free = { validFrom: null, validUntil: null, maxUses: null, useCount: 0 };
    expect(uses).toMatchObject([
      { ...free, validUntil: new Date('2020-02-01T00:00:00Z') },
      { ...free, validFrom: new Date('2120-01-31T00:00:00Z') },
      { ...free, maxUses: 1 },
      free,
    ]);
    const answers: unknown[] = [];
    for (const serial of ['ENDED', 'LATER', 'ONCE', 'ONCE', 'FREE']) {
      const { transactionid, question } = await application.challenge(serial);
      const counter = serial === 'ONCE' && answers.length === 3 ? 1n : 0n;
      answers.push(await application.check(transactionid, application.respond(SUITE, question, { counter })));
    }
    expect(answers).toMatchObject([false, false, true, false, true].map((result) => ({ result })));
  });

  it('loads files that are encrypted with a key or a password, also under the other name of the realm', async () => {
    const preshared = { pskc_preshared: PRE_SHARED_KEY.toString('hex'), targetrealm: 'staff' };
    expect(await load(FIGURE_6, preshared)).toEqual({ imported: 1 });
    const second = FIGURE_7.replace('987654321', '987654322');
    expect(await load(second, { pskc_password: PASSWORD, pskc_preshared: '' })).toEqual({ imported: 1 });
    expect(await application.services.tokens.show(OPERATOR, '987654321')).toMatchObject({
      type: 'hmac',
      realms: ['staff'],
      algorithm: 'HOTP-SHA1-8',
    });
    // The first response of RFC 4226, appendix D, of eight digits.
    const pass = { serial: '987654321', pass: '84755224' };
    const answer = await application.send('/validate/check_s', pass);
    expect(answer.body).toMatchObject({ result: { value: true } });
  });

  it.each(['csv', 'OathCSV'])('loads tables, by the type %s', async (type) => {
    const file = `${type}1, ${KEY.toString('hex')}, totp, 8, 60\n${type}2, ${KEY.toString('hex')}, ocra, ${SUITE}`;
    expect(await load(file, { type, realm: 'staff' })).toEqual({ imported: 2 });
    expect(await application.services.tokens.show(OPERATOR, `${type}1`)).toMatchObject({
      type: 'totp',
      algorithm: 'TOTP-SHA256-8:T1M',
    });
    expect(await application.services.tokens.show(OPERATOR, `${type}2`)).toMatchObject({ algorithm: SUITE });
  });

  it.each(['part', 'form'])('loads a file in UTF-16 of a %s', async (by) => {
    const packages = ocraPackage(`UTF16${by}`, SUITE, KEY);
    const file = Buffer.from(`\ufeff${container({ packages }).replace('UTF-8', 'UTF-16')}`, 'utf16le');
    const post = request(application.app).post('/admin/loadtokens').set(AS_ADMIN);
    const percent = file.toString('hex').replaceAll(/../g, '%$&');
    const sent =
      by === 'part' ? post.attach('file', file, 'k.xml') : post.type('form').send(`file=${percent}`);
    expect((await sent).body).toMatchObject({ result: { value: { imported: 1 } } });
  });

  it('refuses a file in an encoding that is not known, and says so', async () => {
    const file = Buffer.from('<?xml version="1.0" encoding="x-klingon"?><\xe4/>', 'latin1');
    const post = request(application.app).post('/admin/loadtokens').set(AS_ADMIN);
    const refused = errorOf(await post.attach('file', file, 'tokens.xml'));
    expect(refused).toMatch(/no text in x-klingon, or that is not known here/);
  });

  it.each([
    ['a serial that exists', keyPackage({ serial: 'load1' }), /load1/],
    ['a serial twice', keyPackage({ serial: 'NEW1' }), /key 2: .*twice/],
    ['a serial that is none', keyPackage({ serial: 'a*' }), /key 2: a serial/],
    ['a suite that is none', ocraPackage('new2', 'OCRA-9:x', KEY), /key 2: Not an OCRA suite/],
    ['an error at its end', '<KeyPackage/>', /KeyPackage\[2\]\/Key: /],
  ])('loads nothing of a file with %s', async (_what, second, message) => {
    const before = await serials();
    const packages = keyPackage({ serial: 'new1' }) + second;
    expect(await load(container({ packages }))).toMatch(message);
    expect(await serials()).toEqual(before);
  });

  it('loads nothing where the realm is unknown or the key is wrong, and discloses no secret', async () => {
    const before = await serials();
    expect(await load(container(), { realm: 'nowhere' })).toMatch(/no realm 'nowhere'/);
    const wrong = 'ff'.repeat(16);
    expect(await load(FIGURE_6, { pskc_preshared: wrong })).toMatch(/The key or password is wrong/);
    expect(await load(FIGURE_6, { pskc_preshared: 'xyz' })).toMatch(/hexadecimal/);
    expect(await load(FIGURE_7, { pskc_preshared: wrong, pskc_password: 'geheim' })).toMatch(/not both/);
    expect(await load(container(), { type: 'aladdin-xml' })).toMatch(/type pskc/);
    expect(await serials()).toEqual(before);
    expect(application.logged.join('\n')).not.toMatch(/ffffffff|geheim|MTIzNDU2/);
  });

  it('loads one of two files with the same serials that arrive at the same time, and all of that', async () => {
    const names = Array.from({ length: 30 }, (_value, index) => `RACE${index}`);
    const packages = names.map((serial) => keyPackage({ serial }));
    const values = await Promise.all([
      load(container({ packages: packages.join('') })),
      load(container({ packages: [...packages].reverse().join('') })),
    ]);
    expect(values).toContainEqual({ imported: 30 });
    expect(values).toContainEqual(expect.stringMatching(/There is a token with the serial 'RACE/));
    expect((await serials()).filter((serial) => serial.startsWith('RACE'))).toHaveLength(30);
  });

  it('loads more tokens than one statement takes', async () => {
    const names = Array.from({ length: 2_500 }, (_value, index) => `MANY${index}`);
    const packages = names.map((serial) => ocraPackage(serial, SUITE, KEY)).join('\n');
    expect(await load(container({ packages }))).toEqual({ imported: 2_500 });
  });

  it('is limited to administrators with the right, in the realms of the right', async () => {
    const file = container({ packages: ocraPackage('RIGHT1', SUITE, KEY) });
    expect((await application.send('/admin/loadtokens', { file })).status).toBe(401);
    await application.setPolicy('p', 'admin', 'import', { realm: 'staff', user: '*' });
    expect(await load(file)).toMatch(/^ERR410/);
    expect(await load(file, { realm: 'staff' })).toEqual({ imported: 1 });
    await application.setPolicy('p', 'admin', 'init', { user: '*' });
    expect(await load(file, { realm: 'staff' })).toMatch(/^ERR410/);
    await application.services.policies.remove(OPERATOR, 'p');
  });
});
