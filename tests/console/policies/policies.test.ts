import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  differences,
  entriesOf,
  fromText,
  isChosen,
  NEW_POLICY,
  parametersOf,
  toText,
  valueIn,
  withEntry,
  withValue,
} from '../../../console/src/policies/policy-draft.ts';
import { readActions } from '../../../src/policy/policy-actions.ts';
import { hasGroups, isAskable, questionAt } from '../../../console/src/policies/question.ts';

const DESK = { ...NEW_POLICY, name: 'desk', action: 'show, reset', realm: 'Office', user: 'anna' };

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

describe('the filters', () => {
  const all = { text: '', scope: '', realm: '', state: '' } as const;

  it.each([
    [all, true],
    [{ ...all, realm: 'office' }, true],
    [{ ...all, realm: 'lab' }, false],
    [{ ...all, text: 'ANNA' }, true],
    [{ ...all, text: 'zoe' }, false],
    [{ ...all, scope: 'ocra' }, false],
    [{ ...all, state: 'inactive' as const }, false],
  ])('%j', (filter, isShown) => {
    expect(isChosen(DESK, filter)).toBe(isShown);
  });

  it('show a policy for all realms in each of them', () => {
    expect(isChosen({ ...DESK, realm: '*' }, { ...all, realm: 'lab' })).toBe(true);
  });
});

it('names the fields that differ, and the parameters of the interface', () => {
  expect(differences(DESK, { ...DESK, user: 'bert', active: false })).toEqual(['user', 'active']);
  expect(parametersOf({ ...DESK, active: false })).toMatchObject({ name: 'desk', inactive: '1' });
});

it.each([
  [undefined, 'administrator', ''],
  ['explain', 'administrator', ''],
  ['explain?request=a%20b', 'refusal', 'a b'],
  ['explain?request=%', 'refusal', '%'],
  ['0f3a', 'refusal', '0f3a'],
] as const)('the address %s asks about an %s', (address, kind, request) => {
  expect(questionAt(address, 'anna')).toMatchObject({ kind, request, administrator: 'anna' });
});

it('a question is asked once it names whom it is about', () => {
  const question = { ...questionAt('explain', 'oidc:anna'), groups: 'desk', user: 'zoe', request: 'r' };
  expect(hasGroups(question)).toBe(true);
  expect(isAskable({ ...question, administrator: ' ' })).toBe(false);
  expect(isAskable({ ...question, administrator: '', kind: 'owner' })).toBe(true);
});
