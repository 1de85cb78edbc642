import { describe, expect, it } from '@jest/globals';
import { judgeBackupPassphrase, judgePin } from '../../../app/src/vault/pin-strength.ts';

describe('a PIN', () => {
  it.each([
    ['', 'short'],
    ['482', 'short'],
    ['0000', 'pattern'],
    ['777777', 'pattern'],
    ['1234', 'pattern'],
    ['56789012', 'pattern'],
    ['9876', 'pattern'],
    ['1212', 'pattern'],
    ['474747', 'pattern'],
    ['2580', 'common'],
    ['112233', 'common'],
    ['otters', 'short'],
    ['abababab', 'few-characters'],
    ['Password1', 'common'],
    ['Passwort123!', 'common'],
    ['9'.repeat(201), 'long'],
    [`a1b2c3${'x'.repeat(200)}`, 'long'],
  ])('%s is refused: %s', (pin, reason) => {
    expect(judgePin(pin)).toEqual({ strength: 'refused', reason });
  });

  it.each([['4829'], ['48291'], ['2412'], ['241285'], ['24121985'], ['1985'], ['river-otters']])(
    '%s gets a warning',
    (pin) => {
      expect(judgePin(pin)).toEqual({ strength: 'weak', reason: 'guessable' });
    },
  );

  it.each([['482915'], ['739164820517'], ['seven otters cross'], ['zwölf Füchse über Öl']])(
    '%s is good',
    (pin) => {
      expect(judgePin(pin).strength).toBe('good');
    },
  );
});

describe('the passphrase of a backup', () => {
  it.each([
    ['otters-seve', 'short'],
    ['aaaaaaaaaaaaaaab', 'few-characters'],
    ['passwort1234', 'common'],
  ])('%s is refused: %s', (passphrase, reason) => {
    expect(judgeBackupPassphrase(passphrase)).toEqual({ strength: 'refused', reason });
  });

  it.each([
    ['river-otters', 'weak'],
    ['48291573904418265', 'weak'],
    ['seven otters cross', 'good'],
  ])('%s is %s', (passphrase, strength) => {
    expect(judgeBackupPassphrase(passphrase).strength).toBe(strength);
  });
});
