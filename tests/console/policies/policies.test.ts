import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  entriesOf,
  fromText,
  toText,
  valueIn,
  withEntry,
  withValue,
} from '../../../console/src/policies/policy-draft.ts';
import { readActions } from '../../../src/policy/policy-actions.ts';

describe('the actions of a policy in the editor', () => {
  it('are added once, and taken away', () => {
    expect(withEntry('show, reset', 'enable', true)).toBe('show, reset, enable');
    expect(withEntry('show, enable', 'enable', true)).toBe('show, enable');
    expect(withEntry('show, reset', 'show', false)).toBe('reset');
    expect(entriesOf(' a ,, b,')).toEqual(['a', 'b']);
  });

  it('have the values that the server reads', () => {
    const value = fc
      .webUrl()
      .filter((url) => !url.includes('"') && url.length < 2000)
      .map((url) => `${url}?a=1,2`);
    fc.assert(
      fc.property(value, fc.constantFrom('0', '1', '2'), (url, pin) => {
        const written = withValue(withValue('otppin=9', 'qrtanurl', url), 'otppin', pin);
        expect(valueIn(written, 'qrtanurl')).toBe(url);
        expect(readActions('authentication', written)).toEqual(
          new Map([
            ['qrtanurl', url],
            ['otppin', pin],
          ]),
        );
        expect(withValue(withValue(written, 'otppin', ''), 'qrtanurl', '')).toBe('');
      }),
    );
  });

  it.each([
    [`qrtanurl='https://bank.example/?a=1,2'`, 'https://bank.example/?a=1,2'],
    [withValue('', 'qrtanurl', 'https://bank.example/?a="1",2'), 'https://bank.example/?a="1",2'],
    [withValue('', 'qrtanurl', "https://bank.example/?a='1',2"), "https://bank.example/?a='1',2"],
  ])('may be quoted in two ways: %s', (written, value) => {
    expect(valueIn(written, 'qrtanurl')).toBe(value);
    expect(readActions('authentication', written).get('qrtanurl')).toBe(value);
  });

  it('are empty in an entry that has none', () => {
    expect(valueIn('otppin', 'otppin')).toBe('');
  });
});

describe('a policy as text', () => {
  it('reads as the policy that it was written from', () => {
    const text = fc.string({ unit: fc.constantFrom(...Array.from('ab*,=: !@#/"')), maxLength: 30 });
    const policy = fc.record({
      name: text,
      scope: text,
      action: text,
      realm: text,
      user: text,
      client: text,
      time: text,
      active: fc.boolean(),
    });
    fc.assert(
      fc.property(policy, (draft) => {
        const read = fromText(toText(draft));
        const trimmed = Object.fromEntries(
          Object.entries(draft).map(([field, value]) => [
            field,
            typeof value === 'string' ? value.trim() : value,
          ]),
        );
        expect(read).toEqual(trimmed);
      }),
    );
  });

  it.each(['nonsense', 'colour = red', 'active = perhaps'])('refuses the line %s', (line) => {
    expect(fromText(`name = a\n${line}`)).toEqual({ wrong: line });
  });
});
