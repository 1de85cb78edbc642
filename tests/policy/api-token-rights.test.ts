import { describe, expect, it } from '@jest/globals';
import { covers, mayPassOn, readRights } from '../../src/policy/api-token-rights.ts';
import { refusalOf } from '../support/values/refusal.ts';

describe('the rights of an API token', () => {
  it.each([
    [['*'], ['*']],
    [['*:*'], ['*']],
    [[' monitoring:* '], ['monitoring:*']],
    [['monitoring:tokens', 'monitoring:tokens'], ['monitoring:tokens']],
    [['admin:initOCRA'], ['admin:init']],
    [['*:tokens'], ['*:tokens']],
    [['*:initOCRA'], ['*:init']],
    [
      ['ocra:calcOTP', 'system:read'],
      ['ocra:calcOTP', 'system:read'],
    ],
  ])('%j are %j', (texts, rights) => {
    expect(readRights(texts)).toEqual(rights);
  });

  it.each([
    ['', "'' is no right. Use * or scope:action; scopes: admin, system, monitoring, ocra."],
    ['monitoring', "'monitoring' is no right."],
    ['authentication:otppin', "'authentication:otppin' is no right."],
    ['monitoring:tokens:x', "'monitoring:tokens:x' is no right."],
    [
      'ocra:calcotp',
      "Unknown action 'calcotp' in 'ocra:calcotp': did you mean calcOTP? Known: request, status, activationcode, calcOTP, secondfactor, *.",
    ],
    ['*:everything', "Unknown action 'everything' in '*:everything'."],
    ['Monitoring:tokens', "'Monitoring:tokens' is no right: did you mean monitoring? Use"],
    ['monitoring:', "Unknown action '' in 'monitoring:'."],
  ])('%j are refused', (text, message) => {
    const refusal = refusalOf(() => readRights(['*', text]));
    expect(refusal.code).toBe('administrator.invalid');
    expect(refusal.message).toContain(message);
  });

  it('must be there, and are quoted in part where they are long', () => {
    expect(refusalOf(() => readRights([]))).toMatchObject({
      code: 'administrator.invalid',
      message: 'An API token needs at least one right, such as monitoring:*',
    });
    expect(refusalOf(() => readRights(['x'.repeat(101)])).message).toContain(
      `'${'x'.repeat(100)}' is no right`,
    );
  });

  it('cover others or do not', () => {
    expect(covers('monitoring', 'monitoring:tokens')).toBe(false);
    expect(covers('*', '*')).toBe(true);
    expect(covers('monitoring:*', 'monitoring:tokens')).toBe(true);
    expect(covers('monitoring:tokens', 'monitoring:*')).toBe(false);
    expect(covers('*:tokens', 'monitoring:tokens')).toBe(true);
    expect(covers('monitoring:*', '*')).toBe(false);
    expect(covers('', 'monitoring:tokens')).toBe(false);
    expect(mayPassOn(['monitoring:*', 'ocra:status'], ['monitoring:tokens', 'ocra:status'])).toBe(true);
    expect(mayPassOn(['monitoring:*'], ['monitoring:tokens', 'ocra:status'])).toBe(false);
  });
});
