import { createCipheriv, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Knex } from 'knex';
import { Argon2PasswordHasher } from '../../src/users/password-hash.ts';
import { OPERATOR, TestApplication } from '../support/application/test-application.ts';
import { whileHeld } from '../support/database/held-statement.ts';
import type { TestDatabase } from '../support/database/test-database.ts';
import {
  appended,
  expectedOf,
  fixtureFile,
  type Imported,
  importFixture,
  loadDump,
  tokenOf,
  withDump,
} from './linotp-fixture.ts';

const FIXTURE = '3.4.4-postgresql';
const NOW = new Date('2026-11-20T12:00:05Z');
const expected = expectedOf(FIXTURE);

let linotp: TestDatabase;
let app: TestApplication;
let sql: Knex;

beforeAll(async () => {
  linotp = await loadDump(FIXTURE);
});

afterAll(() => linotp.drop());

beforeEach(async () => {
  app = await TestApplication.open({ hasher: new Argon2PasswordHasher() });
  app.clock.set(NOW);
  sql = app.sql;
});

afterEach(() => app.close());

/** @returns HOTP (RFC 4226 §5.3) with the key of the fixture */
function otp(serial: string, counter: number): string {
  const { seed_hex: key, otplen, info } = tokenOf(expected, serial);
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(counter));
  const digest = createHmac(String(info.hashlib), Buffer.from(key ?? '', 'hex'))
    .update(message)
    .digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  const number = (digest.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** otplen;
  return String(number).padStart(otplen, '0');
}

/** @returns PIN and response of a HOTP token, from the counter of the fixture on */
function hotp(serial: string, ahead = 0): string {
  const { pin, counter } = tokenOf(expected, serial);
  return (pin.value ?? '') + otp(serial, counter + ahead);
}

/** @returns PIN and response of a TOTP token whose clock is some seconds ahead of the server's */
function totp(serial: string, ahead = 0): string {
  const { pin, info } = tokenOf(expected, serial);
  const second = Math.floor(NOW.getTime() / 1000) + ahead;
  return (pin.value ?? '') + otp(serial, Math.floor(second / Number(info.timeStep)));
}

async function check(serial: string, pass: string): Promise<unknown> {
  const { body } = (await app.send('/validate/check_s', { serial, pass })) as {
    body: { result: { value?: unknown } };
  };
  return body.result.value;
}

function importUnchanged(): Promise<Imported> {
  return importFixture(app.services, FIXTURE, { place: linotp.url });
}

function importEdited(...statements: readonly string[]): Promise<Imported> {
  return withDump(
    FIXTURE,
    (place) => importFixture(app.services, FIXTURE, { place }),
    (dump) => appended(dump, statements.map((statement) => `${statement};`).join('\n')),
  );
}

function setOf(serial: string, assignments: string): string {
  return `UPDATE public."Token" SET ${assignments} WHERE "LinOtpTokenSerialnumber" = '${serial}'`;
}

/** @returns the assignments that make LinOTP's columns of a key hold the text, as its older releases hold that of a pw */
function encrypted(text: string): string {
  const iv = Buffer.alloc(16, 9);
  const key = readFileSync(fixtureFile(FIXTURE, 'encKey')).subarray(0, 32);
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  const hex = Buffer.concat([cipher.update(Buffer.from(text).toString('hex')), cipher.final()]).toString(
    'hex',
  );
  return `"LinOtpKeyEnc" = '${hex}', "LinOtpKeyIV" = '${iv.toString('hex')}'`;
}

/** The text of a pw token, and what `openssl passwd -6 -salt nacl` makes of it. */
const TEXT = 'Geheim-42';
const HASH = '$6$nacl$UPhdWrOPelJXc1DwjFkS1p4jAT3yBFv/r2guClLE.HxQm4oB4ytXkOh0lGb6evOwBlcHgw8fOH2n2d8TkLS0K1';

/** @returns the assignments that make LinOTP's columns hold a hash, and the length of its text */
function hashed(hash: string, length = TEXT.length): string {
  const hex = Buffer.from(hash, 'latin1').toString('hex');
  return `"LinOtpKeyEnc" = '${hex}', "LinOtpKeyIV" = '3a313a', "LinOtpOtpLen" = ${length}`;
}

async function stored(
  serial: string,
): Promise<{ algorithm: string | null; fail_count: number; seed: Buffer }> {
  return sql('tokens').where({ serial }).first('algorithm', 'fail_count', 'seed');
}

function entryOf({ entries }: Imported, serial: string): Imported['entries'][number] | undefined {
  return entries.find(({ group, name }) => group === 'tokens' && name === serial);
}

describe('right after the import', () => {
  it.each(['HM01', 'HM03', 'HM04', 'HM05', 'HM08'])(
    'the HOTP token %s answers from the counter of LinOTP on, once, with its PIN alone',
    async (serial) => {
      await importUnchanged();
      const { pin, counter } = tokenOf(expected, serial);
      if (counter > 0) {
        expect(await check(serial, hotp(serial, -1))).toBe(false);
      }
      expect(await check(serial, `x${(pin.value ?? '').slice(1)}${otp(serial, counter)}`)).toBe(false);
      expect(await check(serial, hotp(serial))).toBe(true);
      expect(await check(serial, hotp(serial))).toBe(false);
      expect(await check(serial, hotp(serial, 1))).toBe(true);
    },
  );

  it('a HOTP token answers within its window, and a locked or disabled one does not', async () => {
    await importUnchanged();
    expect(tokenOf(expected, 'HM01').count_window).toBe(22);
    expect(await check('HM01', hotp('HM01', 22))).toBe(false);
    expect(await check('HM01', hotp('HM01', 21))).toBe(true);
    expect(tokenOf(expected, 'HM09').locked).toBe(true);
    expect(await check('HM09', hotp('HM09'))).toBe(false);
    expect(tokenOf(expected, 'HM16').active).toBe(false);
    expect(await check('HM16', hotp('HM16'))).toBe(false);
  });

  it.each(['TT01', 'TT02', 'TT03'])('the TOTP token %s answers at the present step, once', async (serial) => {
    await importUnchanged();
    expect(await check(serial, totp(serial))).toBe(true);
    expect(await check(serial, totp(serial))).toBe(false);
    expect(await check(serial, totp(serial, Number(tokenOf(expected, serial).info.timeStep)))).toBe(true);
  });

  it('a TOTP token has the time window and the time shift of LinOTP', async () => {
    await importEdited(
      setOf(
        'TT01',
        `"LinOtpTokenInfo" = replace("LinOtpTokenInfo", '"timeShift": "0"', '"timeShift": "-60.0"')`,
      ),
    );
    // TT01 -60 s ± 180 s, TT06 35 s ± 600 s, TT04 0 s ± 180 s; a step more at either end.
    expect(await check('TT01', totp('TT01', 180))).toBe(false);
    expect(await check('TT01', totp('TT01', -230))).toBe(true);
    expect(await check('TT04', totp('TT04', -230))).toBe(false);
    expect(await check('TT06', totp('TT06', 690))).toBe(false);
    expect(await check('TT06', totp('TT06', 600))).toBe(true);
  });

  it('a TOTP token takes no step up to the one that LinOTP has accepted', async () => {
    const step = Math.floor(NOW.getTime() / 30_000);
    // LinOTP keeps the number of the next step.
    await importEdited(setOf('TT04', `"LinOtpCount" = ${step + 1}`));
    expect((await app.services.tokens.show(OPERATOR, 'TT04')).counter).toBe(BigInt(step + 1) * 30n);
    expect(await check('TT04', totp('TT04', -30))).toBe(false);
    expect(await check('TT04', totp('TT04'))).toBe(false);
    expect(await check('TT04', totp('TT04', 30))).toBe(true);
  });

  it('a spass token answers to its PIN, and never to an empty one', async () => {
    const imported = await importUnchanged();
    expect(await check('SP01', 'spasspin')).toBe(true);
    expect(await check('SP01', 'spasspin')).toBe(true);
    expect(await check('SP02', 'spass-enc-ß')).toBe(true);
    expect(await check('SP02', 'spass-enc')).toBe(false);
    expect(await check('SP03', '')).toBe(false);
    expect(entryOf(imported, 'SP03')?.reasons).toEqual([
      'it has no PIN: nothing is accepted for it, unless the policy otppin asks for the password',
    ]);
  });

  it.each(['Geheim-ä!', '31323334'])('a pw token answers to its text: %s', async (text) => {
    const imported = await importEdited(setOf('PW01', encrypted(text)));
    expect(entryOf(imported, 'PW01')).toMatchObject({ outcome: 'taken', reasons: [] });
    expect(await check('PW01', `pwpin${text}`)).toBe(true);
    expect(await check('PW01', text)).toBe(false);
    expect(await check('PW01', `pwpin${text}x`)).toBe(false);
  });

  it('a pw token of which LinOTP has a hash answers to its text, and to the hash never', async () => {
    const imported = await importEdited(setOf('PW01', hashed(HASH)));
    expect(entryOf(imported, 'PW01')).toMatchObject({ outcome: 'taken', reasons: [] });
    expect(await check('PW01', `pwpin${HASH}`)).toBe(false);
    expect(await check('PW01', `x${TEXT}`)).toBe(false);
    expect(await check('PW01', `pwpinx${TEXT.slice(1)}`)).toBe(false);
    expect(await stored('PW01')).toMatchObject({ fail_count: 3 });
    expect(await check('PW01', `pwpin${TEXT}`)).toBe(true);
    expect(await stored('PW01')).toMatchObject({ fail_count: 0 });
  });

  it('the hash of a text gives way to the text with the first right pass', async () => {
    await importEdited(setOf('PW01', hashed(HASH)));
    expect(await stored('PW01')).toMatchObject({ algorithm: `CRYPT-${TEXT.length}` });
    const passes = Array.from({ length: 3 }, () => check('PW01', `pwpin${TEXT}`));
    expect(await Promise.all(passes)).toEqual([true, true, true]);
    const { seed, algorithm: form } = await stored('PW01');
    expect(form).toBeNull();
    expect(seed.toString('latin1')).not.toContain(TEXT);
    expect(await check('PW01', `pwpin${TEXT}`)).toBe(true);
    expect(await check('PW01', `pwpin${TEXT.toUpperCase()}`)).toBe(false);
  });

  it('a hash of a text does not keep its user from HOTP, and nothing is accepted for it by a right HOTP', async () => {
    await importEdited(setOf('PW01', hashed(HASH)));
    const checkUser = async (pass: string): Promise<unknown> =>
      (await app.send('/validate/check', { user: 'anna', pass })).body as unknown;
    expect(tokenOf(expected, 'PW01').login).toBe(tokenOf(expected, 'HM01').login);
    expect(await checkUser(hotp('HM01'))).toMatchObject({ result: { value: true } });
    expect(await checkUser(`pwpin${TEXT}`)).toMatchObject({ result: { value: true } });
    expect(await checkUser(hotp('HM01'))).toMatchObject({ result: { value: false } });
  });

  it('compares nothing with the hash of a text while a pass has its tokens locked', async () => {
    await importEdited(setOf('PW01', hashed(HASH)));
    const hashes = jest.spyOn(Argon2PasswordHasher.prototype, 'verify');
    const used = { user: 'anna', pass: hotp('HM01') };
    const accepted = (one: TestApplication) =>
      one.send('/validate/check', used).then(({ body }) => body as unknown);
    const late = await whileHeld(
      /json_to_recordset\(request\.changes\)/,
      () => accepted(app),
      async () => {
        expect(await accepted(app.beside())).toMatchObject({ result: { value: true } });
      },
    );
    expect(late).toMatchObject({ result: { value: false } });
    expect(hashes).not.toHaveBeenCalled();
    hashes.mockRestore();
    expect(await stored('HM01')).toMatchObject({ fail_count: 1 });
  });
});

describe('what cannot be checked', () => {
  const inInfo = (serial: string, from: string, to: string): string =>
    setOf(serial, `"LinOtpTokenInfo" = replace("LinOtpTokenInfo", '${from}', '${to}')`);

  it('is kept and counted, with the reason', async () => {
    const imported = await importEdited(
      setOf('HM01', '"LinOtpOtpLen" = 7'),
      inInfo('HM02', '"sha1"', '"md5"'),
      setOf('HM03', encrypted('no hex')),
      setOf('HM04', `"LinOtpKeyEnc" = '', "LinOtpKeyIV" = ''`),
      inInfo('TT01', '"timeStep": "30"', '"timeStep": "45"'),
      inInfo('TT02', '"timeWindow": "180"', '"timeWindow": "0"'),
      setOf('PW01', hashed('$1$nacl$AkW8zbwpCpxjC5rkt2mYX0')),
      setOf('PW02', encrypted('')),
      setOf('PW03', hashed(HASH, 0)),
    );
    const reasonsOf = (serial: string): string => entryOf(imported, serial)?.reasons.join('; ') ?? '';
    const kept = 'it is kept and counted, and cannot be checked here: ';
    expect(reasonsOf('HM01')).toBe(`${kept}its OTP length 7 is neither 6 nor 8`);
    expect(reasonsOf('HM02')).toBe(`${kept}its hash function md5 is none of sha1, sha256 and sha512`);
    expect(reasonsOf('HM03')).toBe(
      `its key is not hexadecimal: kept as it was typed; ${kept}its key is not hexadecimal`,
    );
    expect(reasonsOf('HM04')).toBe(`${kept}it has no key`);
    expect(reasonsOf('TT01')).toBe(`${kept}its time step of 45 seconds is neither 30 nor 60`);
    expect(reasonsOf('TT02')).toBe('its time window (0) cannot be, and is now 300');
    const hashLeft = `${kept}LinOTP has only a hash of its text, in a form that is not SHA-crypt, or not the length of the text`;
    expect([reasonsOf('PW01'), reasonsOf('PW03')]).toEqual([hashLeft, hashLeft]);
    expect(await stored('PW01')).toMatchObject({ seed: null });
    expect(reasonsOf('PW02')).toBe(`${kept}it has no text`);
    expect(reasonsOf('MO01')).toBe(
      'tokens of the type motp are kept and counted; they cannot be checked here',
    );
    expect(imported.summary.tokenTypes).toMatchObject({
      hmac: 34,
      totp: 10,
      pw: 4,
      spass: 3,
      motp: 1,
      ocra2: 6,
    });
    const others = { dpw: 1, email: 1, forward: 1, motp: 1, radius: 1, remote: 1, sms: 1, yubikey: 1 };
    expect(imported.summary.keptTypes).toEqual({ ...others, hmac: 4, totp: 1, pw: 3 });
    expect(await check('HM02', hotp('HM02'))).not.toBe(true);
    expect(await check('TT02', totp('TT02'))).toBe(true);
  });
});

describe('a token that is only kept', () => {
  it('keeps its user from responses of the others while it is enabled', async () => {
    await importEdited(setOf('PW01', `"LinOtpTokenType" = 'radius'`));
    const checkUser = async (): Promise<unknown> =>
      (await app.send('/validate/check', { user: 'anna', pass: hotp('HM01') })).body as unknown;
    expect(tokenOf(expected, 'PW01').login).toBe(tokenOf(expected, 'HM01').login);
    expect(await checkUser()).toMatchObject({ result: { value: false } });
    await app.services.tokens.disable(OPERATOR, { serial: 'PW01' });
    expect(await checkUser()).toMatchObject({ result: { value: true } });
  });
});

describe('an import again', () => {
  it('sets no counter back of a token that was used here since', async () => {
    await importUnchanged();
    expect(await check('HM01', hotp('HM01', 4))).toBe(true);
    expect(await check('SP01', 'spasspin')).toBe(true);
    const third = await importEdited(setOf('HM01', '"LinOtpCount" = 4'));
    expect(entryOf(third, 'HM01')).toMatchObject({
      outcome: 'left',
      reasons: [expect.stringMatching(/^it has changed on both sides/)],
    });
    expect(entryOf(third, 'SP01')).toMatchObject({ outcome: 'unchanged' });
    expect(await check('HM01', hotp('HM01', 4))).toBe(false);
    expect((await app.services.tokens.show(OPERATOR, 'HM01')).counter).toBe(8n);
  });
});
