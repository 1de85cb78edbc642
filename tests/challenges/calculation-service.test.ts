import { describe, expect, it } from '@jest/globals';
import { type CalculationInput, calculateOtp } from '../../src/challenges/calculation-service.ts';

const nonce = '0123456789abcdef'.repeat(8);
const challenge = 'abcdefg12345670000Xch3tNAkIWpmj6du0PVBSvFOmJqWu0wq9AL9BKYxGjGkVg';
const all: CalculationInput = {
  sharedsecret: '61'.repeat(32),
  activationcode: 'GEZDGNBVGY3TQOJQ01',
  nonce,
  ocrasuite: 'OCRA-1:HOTP-SHA256-6:C-QA64',
  challenge,
};
const init1 = `lseqr://init?sh=${'61'.repeat(32)}&os=OCRA-1%3AHOTP-SHA256-6%3AC-QA64&se=LSOC00000001`;
const init2 = `lseqr://nonce?ch=${challenge}&no=${nonce}&tr=954472011597&u=http%253A%252F%252F127.0.0.1%252Focra%252Fcheck_t&se=LSOC00000001&me=abc`;
const noon = new Date('2026-11-20T12:00:00Z');

// The expected responses were recorded from LinOTP 2.12.6 (family calculateOtp).
describe('calculateOtp', () => {
  it.each<[string, CalculationInput, string]>([
    ['all parameters', all, '991417'],
    ['another counter', { ...all, counter: '5' }, '764804'],
    ['a counter with a sign and blanks', { ...all, counter: ' +5 ' }, '764804'],
    ['os goes before ocrasuite', { ...all, os: 'OCRA-1:HOTP-SHA256-8:C-QA64' }, '29680761'],
    ['no goes before nonce', { ...all, no: 'fedcba9876543210'.repeat(8) }, '602569'],
    ['the two roll-out URLs', { activationcode: 'GEZDGNBVGY3TQOJQ01', init1, init2 }, '991417'],
    [
      'the URLs and a counter',
      { activationcode: 'GEZDGNBVGY3TQOJQ01', init1, init2, counter: '3' },
      '856323',
    ],
    [
      'a challenge goes before that of the URL',
      { activationcode: 'GEZDGNBVGY3TQOJQ01', init1, init2, challenge: 'a'.repeat(64) },
      '348249',
    ],
    ['the first URL only', { activationcode: 'GEZDGNBVGY3TQOJQ01', init1, challenge, nonce }, '991417'],
    ['an activation code with a dash', { ...all, activationcode: 'GEZD-GNBVGY3TQOJQ01' }, '991417'],
    [
      'a suite without counter',
      { ...all, ocrasuite: 'OCRA-1:HOTP-SHA1-6:QN08', challenge: '00000000' },
      '379135',
    ],
    [
      'a hexadecimal question',
      { ...all, ocrasuite: 'OCRA-1:HOTP-SHA256-8:QH08', challenge: 'abcdef01' },
      '58261426',
    ],
  ])('computes what an app answers: %s', async (_, input, otp) => {
    await expect(calculateOtp(input, noon)).resolves.toBe(otp);
  });

  it('takes the present time step for a suite with time', async () => {
    const input = { ...all, ocrasuite: 'OCRA-1:HOTP-SHA256-8:QN08-T1M', challenge: '12345678' };
    const later = new Date(noon.getTime() + 60_000);
    expect(await calculateOtp(input, noon)).not.toBe(await calculateOtp(input, later));
  });

  it.each<[string, CalculationInput, string]>([
    ['no suite', { ...all, ocrasuite: undefined }, 'parameter.missing'],
    ['no shared secret', { ...all, sharedsecret: undefined }, 'parameter.missing'],
    ['no activation code', { ...all, activationcode: undefined }, 'parameter.missing'],
    ['no nonce', { ...all, nonce: undefined }, 'parameter.missing'],
    ['no challenge', { ...all, challenge: undefined }, 'parameter.missing'],
    ['half a hexadecimal digit pair', { ...all, sharedsecret: 'abc' }, 'parameter.invalid'],
    ['a counter that is none', { ...all, counter: 'x' }, 'parameter.invalid'],
    ['a negative counter', { ...all, counter: '-1' }, 'parameter.invalid'],
    ['a wrong check sum', { ...all, activationcode: 'GEZDGNBVGY3TQOJQ02' }, 'activation-code.invalid'],
    ['a wrong suite', { ...all, ocrasuite: 'nonsense' }, 'suite.invalid'],
    ['a challenge that does not fit', { ...all, challenge: 'a b' }, 'data-input.invalid'],
    ['the URLs swapped', { ...all, init1: init2 }, 'qrtan-url.invalid'],
  ])('refuses %s', async (_, input, code) => {
    await expect(calculateOtp(input, noon)).rejects.toMatchObject({ code });
  });
});
