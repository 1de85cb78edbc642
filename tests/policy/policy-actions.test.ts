import { describe, expect, it } from '@jest/globals';
import { findActions, knownActions, readActions } from '../../src/policy/policy-actions.ts';
import { POLICY_SCOPES, type PolicyScope } from '../../src/policy/stored-policy.ts';
import { refusalOf } from '../support/values/refusal.ts';
import { issuerLogo } from '../support/values/qr-code.ts';
import { listUnknownNames, unknownNames } from '../../src/policy/policy-names.ts';
import { covers, mayPassOn, readRights } from '../../src/policy/api-token-rights.ts';

function read(scope: PolicyScope, text: string): Record<string, string> {
  return Object.fromEntries(readActions(scope, text));
}

const NO_OTPPIN = "The action 'otppin' needs a value: 0 (token PIN), 1 (password) or 2 (none)";
const NO_URL = "The action 'qrtanurl' needs a value: an absolute URL";
const OF_OCRA = 'Known: request, status, activationcode, calcOTP, secondfactor, *.';
const OF_AUTHENTICATION = 'Known: qrtanurl, otppin, issuer, issuerlogo, challenge_response.';

describe('the actions of a policy', () => {
  it('are a comma list with blanks where people put them', () => {
    expect(read('ocra', ' request,status ,  calcOTP,')).toEqual({ request: '', status: '', calcOTP: '' });
  });

  it('include * in the scopes that give rights', () => {
    expect(read('monitoring', '*')).toEqual({ '*': '' });
    expect(refusalOf(() => readActions('authentication', '*')).code).toBe('policy.invalid');
  });

  it('may bear the names that LinOTP gave them', () => {
    expect(read('admin', 'initOCRA, initOCRA2, import, tokenlist')).toEqual({
      init: '',
      loadtokens: '',
      show: '',
    });
  });

  it.each([
    ['qrtanurl=https://otp.example.com/ocra/check_t', 'https://otp.example.com/ocra/check_t'],
    ['qrtanurl=https://otp2.example.com/p?a=b&c=d%20e', 'https://otp2.example.com/p?a=b&c=d%20e'],
    ['qrtanurl = https://x.example/ ', 'https://x.example/'],
    ['qrtanurl="https://x.example/?a=1,2", otppin=1', 'https://x.example/?a=1,2'],
    ["otppin=1, qrtanurl='https://x.example/?q=\"'", 'https://x.example/?q="'],
    ["qrtanurl=https://x.example/?who=d'accord", "https://x.example/?who=d'accord"],
  ])('%s has the value %s', (text, value) => {
    expect(readActions('authentication', text).get('qrtanurl')).toBe(value);
  });

  it.each(['0', '1', '2'])('otppin may be %s', (value) => {
    expect(read('authentication', `otppin=${value}`)).toEqual({ otppin: value });
  });

  it('may give an URL of up to 2048 characters', () => {
    const url = `https://x.example/${'x'.repeat(2_030)}`;
    expect(readActions('authentication', `qrtanurl=${url}`).get('qrtanurl')).toBe(url);
    expect(refusalOf(() => readActions('authentication', `qrtanurl=${url}x`)).message).toBe(
      "The action 'qrtanurl' needs a value: an absolute URL",
    );
  });

  it('may give one in quotation marks in each place of the list, with blanks around it', () => {
    const text = 'qrtanurl =  "https://x.example/?a=1,2"  ,  otppin = 1 , ';
    expect(read('authentication', text)).toEqual({ qrtanurl: 'https://x.example/?a=1,2', otppin: '1' });
    expect(read('authentication', 'otppin="1"')).toEqual({ otppin: '1' });
  });

  it.each<[PolicyScope, string, string]>([
    ['authentication', 'otppin=01', NO_OTPPIN],
    ['authentication', 'otppin=1x', NO_OTPPIN],
    ['authentication', 'qrtanurl', NO_URL],
    ['authentication', 'otppin="', 'The quotation mark " is not closed'],
    ['authentication', 'otppin=""', NO_OTPPIN],
    ['ocra', 'request, calcotp', `Unknown action 'calcotp' in scope ocra. ${OF_OCRA}`],
    ['ocra', '', `A policy of scope ocra needs an action. ${OF_OCRA}`],
    ['ocra', 'tokens', `Unknown action 'tokens' in scope ocra. ${OF_OCRA}`],
    ['ocra', 'request=1', "The action 'request' of scope ocra takes no value"],
    ['system', 'readwrite', "Unknown action 'readwrite' in scope system. Known: read, write, *."],
    ['authentication', 'autosms', `Unknown action 'autosms' in scope authentication. ${OF_AUTHENTICATION}`],
    ['authentication', 'otppin', NO_OTPPIN],
    ['authentication', 'otppin=3', NO_OTPPIN],
    ['authentication', 'qrtanurl=', NO_URL],
    ['authentication', 'qrtanurl=otp.example.com', NO_URL],
    ['authentication', 'qrtanurl="https://x.example/', 'The quotation mark " is not closed'],
    [
      'authentication',
      'issuer=Bank, Branch 2',
      `Unknown action 'Branch 2' in scope authentication. ${OF_AUTHENTICATION} Quotation marks keep a comma in a value: issuer="A, B".`,
    ],
    ['authentication', 'otppin=1, otppin=2', "The action 'otppin' has two values"],
    [
      'authentication',
      '__proto__=1',
      `Unknown action '__proto__' in scope authentication. ${OF_AUTHENTICATION}`,
    ],
    [
      'admin',
      'constructor',
      `Unknown action 'constructor' in scope admin. Known: ${knownActions('admin').join(', ')}, *.`,
    ],
  ])('scope %s refuses %j: %s', (scope, text, message) => {
    const refusal = refusalOf(() => readActions(scope, text));
    expect([refusal.code, refusal.message]).toEqual(['policy.invalid', message]);
  });

  it.each(POLICY_SCOPES)('of scope %s can all be named at once', (scope) => {
    const values: Record<string, string> = {
      qrtanurl: '=https://x.example/',
      otppin: '=0',
      issuer: '=Musterbank',
      issuerlogo: `=${issuerLogo()}`,
      challenge_response: '=ocra ocra2',
    };
    const text = knownActions(scope)
      .map((action) => action + (values[action] ?? ''))
      .join(',');
    expect([...readActions(scope, text).keys()]).toEqual(knownActions(scope));
  });
});

describe('actions of a policy that was written for LinOTP', () => {
  it.each([
    ['admin', 'show, checkstatus, unpair', ['show'], ['checkstatus', 'unpair']],
    ['admin', 'checkstatus', [], ['checkstatus']],
    ['system', '*, foo', ['*'], ['foo']],
    ['authentication', 'otppin=1, smstext="Your, <otp>", autosms', ['otppin'], ['smstext', 'autosms']],
  ] as const)('of scope %s are found in %j, the unknown ones apart', (scope, text, known, unknown) => {
    const found = findActions(scope, text);
    expect([[...found.known.keys()], found.unknown]).toEqual([known, unknown]);
  });

  it.each([
    ['admin', '*, !remove'],
    ['admin', 'init, maxtoken=3'],
    ['ocra', 'request, -status'],
    ['authentication', 'otppin=2, disable_on_authentication_exceed'],
    ['authentication', 'otppin=2, whatever'],
    ['authentication', 'autosms'],
    ['authentication', 'autosms, otppin=7'],
  ] as const)('of scope %s are refused where others could be wider without one: %j', (scope, text) => {
    expect(refusalOf(() => findActions(scope, text)).code).toBe('policy.invalid');
  });
});

const BASE = {
  policies: [],
  realms: [{ name: 'office' }, { name: 'lab' }],
  resolvers: [{ name: 'people' }],
};

describe('names in a policy that do not exist', () => {
  it.each<[string, string, string]>([
    ['offize, lab', '*', 'realm offize'],
    ['zoo', '*', 'realm zoo'],
    ['*', '*@LAP, peple:', 'user *@LAP, user peple:'],
    ['*', '!*@offize', 'user *@offize'],
    ['Office', 'alice, alice@nowhere.org, people:, *@lab, *@*, *@linotp_admins', ''],
  ])('realms %p, users %p: %s', (realm, user, listed) => {
    expect(listUnknownNames(unknownNames({ realm, user }, BASE))).toBe(listed);
  });
});

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
      "Unknown action 'calcotp' in 'ocra:calcotp'. Known: request, status, activationcode, calcOTP, secondfactor, *.",
    ],
    ['*:everything', "Unknown action 'everything' in '*:everything'."],
    ['Monitoring:tokens', "'Monitoring:tokens' is no right. Use"],
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
