import { describe, expect, it } from '@jest/globals';
import { verifyStored } from '../../../src/resolvers/sources/directory-password.ts';
import { Argon2PasswordHasher } from '../../../src/users/password-hash.ts';

const hasher = new Argon2PasswordHasher();

const HELLO = 'Hello world!';
const SHORT = 'we have a short salt string but not a short password';
const UNICODE = 'Grüße, 世界';

/** Made by libxcrypt's crypt(3) and by slappasswd; the first of each is U. Drepper's own. */
const RIGHT: readonly (readonly [string, string])[] = [
  [HELLO, '$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5'],
  [SHORT, '$5$rounds=1400$anotherlongsalts$njY8e8Oazdt6LVB1IFQuzVqvw.kEeITfw0rzKvFXP9/'],
  ['x', '$5$rounds=1001$q$evWSzAj0SzFDr8ZvBltqUdRhpkoG/hSmFEtcYdAy16B'],
  [
    HELLO,
    '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1',
  ],
  [
    HELLO,
    '$6$rounds=10000$saltstringsaltst$OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v.',
  ],
  [
    UNICODE,
    '$6$abcdefgh$R.7M1H8Z2xLsu9pV3gKuGUT6PtBM.E670Cht90WHcCBRt1i8kawou/az5H4BXF.7YFhBWMqWlWs9nd4CTHBkk0',
  ],
  [
    'a'.repeat(100),
    '$6$Zz./$Pju3Wm8NOm1XVbKtnMHGMbWlWA7PYKE59AvMlsk7U0FzxoyY1yuuF9/4GlK.SVh0hBr7NdK5/4jgEZMkwmlGn1',
  ],
  [
    'x',
    '$6$rounds=1000$q$yNNjTRLF9Og6s9r0bb6LxXzIha8NyBBjJeDvOCPQ.cO.dcYE4n9GRBPdKnoTlCtAOk8rFNbLnESsHGMnaxlpT1',
  ],
  [HELLO, '{CRYPT}$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5'],
  [HELLO, '$2b$05$abcdefghijklmnopqrstuu7nFISH/8YdwlXD3lw69A4iBUf6fvWAW'],
  [HELLO, '$2a$05$abcdefghijklmnopqrstuu7nFISH/8YdwlXD3lw69A4iBUf6fvWAW'],
  [UNICODE, '$2y$05$abcdefghijklmnopqrstuuw621nqt0M3heyb5.FuH7McQmBa.kSAO'],
  [HELLO, '{SSHA}D2uVttbVHhJuFY7Z/Q28gDf8VbHe9DIz'],
  [HELLO, '{SHA}00hq6RNueFa8QiEjhep5cJRHWAI='],
  [HELLO, '{sha256}wFNeS+K3n/2TKRMFQ2v4iTFOSj+uwF7P/Lt98xrZ5Ro='],
  [HELLO, '{SSHA256}G7PF9TUSELczltJ7gmqKH1Da1d3gpH1nIrag42quQwRzYWx0c2FsdA=='],
  [HELLO, '{SHA512}9s3ioPgZMUzd5V/CJ9jX2uPSjMVWIioKitZtkcytSq1glPUXohgjYMmqz2o9wyMWLLb9jN/+2w/gOPVehf+1tg=='],
  [
    HELLO,
    '{SSHA512}ldLvgdIhXVvKMdlpn0t6hrr84HldDX6o91MelK6vfmk5BjksE8namB2xaXJXapCrf286m/txZCYgD0XTUlcDCHNhbHQ=',
  ],
];

describe('a password of a directory', () => {
  it.each(RIGHT)('%s is verified against %s, and no other is', async (password, stored) => {
    expect(await verifyStored(hasher, stored, password)).toBe('match');
    expect(await verifyStored(hasher, stored, `${password} `)).toBe('mismatch');
    expect(await verifyStored(hasher, stored, '')).toBe('mismatch');
    expect(await verifyStored(hasher, stored, stored)).toBe('mismatch');
  });

  it('is verified against argon2id, as managed users have it', async () => {
    const stored = await hasher.hash(UNICODE);
    expect(await verifyStored(hasher, stored, UNICODE)).toBe('match');
    expect(await verifyStored(hasher, stored, HELLO)).toBe('mismatch');
  });

  it.each([
    null,
    '',
    'x',
    '*',
    '!',
    '!!',
    '*LK*',
    '!$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5',
  ])('is never right where %j locks the account', async (stored) => {
    for (const password of [HELLO, '', String(stored)]) {
      expect(await verifyStored(hasher, stored, password)).toBe('mismatch');
    }
  });

  it.each([
    ['plain text', 'Hello world!'],
    ['a plain digest', 'd3486ae9136e7856bc42212385ea797094475802'],
    ['yescrypt', '$y$j9T$abcdefgh$WtA2I5exIyQv5b7uDMgPs3N8zOQY6ZtcplRdKJSUiBC'],
    ['MD5-crypt', '$1$abcdefgh$fzmjzFdo5nMtBG8gtud5e0'],
    ['SMD5', '{SMD5}YYW3CwTAvFvpcNqrUmVzCg=='],
    ['a digest that is cut short', '{SHA}00hq6RNueFa8Qg=='],
    ['a digest without salt that has one', '{SHA}D2uVttbVHhJuFY7Z/Q28gDf8VbHe9DIz'],
    ['a digest with salt that has none', '{SSHA}00hq6RNueFa8QiEjhep5cJRHWAI='],
    ['bcrypt that would take minutes', `$2b$31$${'a'.repeat(53)}`],
    ['SHA-crypt that would take minutes', `$6$rounds=999999999$salt$${'a'.repeat(86)}`],
    ['argon2id that would take all memory', '$argon2id$v=19$m=999999,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2g'],
    ['argon2d', '$argon2d$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2g'],
  ])('is not verified against %s, which is said', async (_what, stored) => {
    for (const password of [HELLO, stored]) {
      expect(await verifyStored(hasher, stored, password)).toBe('unknown');
    }
  });

  it('of a kilobyte and more is refused before it costs anything', async () => {
    const [, stored = ''] = RIGHT[3] ?? [];
    expect(await verifyStored(hasher, stored, 'a'.repeat(1_025))).toBe('mismatch');
  });
});
