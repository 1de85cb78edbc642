import { describe, expect, it } from '@jest/globals';

import { quotedName } from '../../../src/http/dialects/python-text.ts';

describe('a name from outside in a message', () => {
  it.each([
    ['mydefrealm', "'mydefrealm'"],
    ['', "''"],
    ['no realm', "'no realm'"],
    ['äö', "'äö'"],
    ["o'realm", '"o\'realm"'],
    ['o"realm', "'o\"realm'"],
    ['\'"\\', "'\\'\"\\\\'"],
    ['a\nb\r\tc', "'a\\nb\\r\\tc'"],
    ['\u0000\u001b[31m\u0085', "'\\x00\\x1b[31m\\x85'"],
    ['\u202egnp\u00a0', "'\\u202egnp\\xa0'"],
    ['\u{e0001}', "'\\U000e0001'"],
    ['\u{1f511}', "'\u{1f511}'"],
  ])('%j is written as %s', (name, quoted) => {
    expect(quotedName(name)).toBe(quoted);
  });
});
