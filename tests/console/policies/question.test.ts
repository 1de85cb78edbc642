import { expect, it } from '@jest/globals';
import { formatIn } from '../../../console/src/language/format.ts';
import { parametersOf, hasGroups, isAskable, questionAt } from '../../../console/src/policies/question.ts';

const IN_UTC = formatIn('en', 'UTC');

it.each([
  [undefined, 'administrator', ''],
  ['explain', 'administrator', ''],
  ['explain?request=a%20b', 'refusal', 'a b'],
  ['explain?request=%', 'refusal', '%'],
  ['0f3a', 'refusal', '0f3a'],
] as const)('the address %s asks about an %s', (address, kind, request) => {
  expect(questionAt(address, 'anna')).toMatchObject({ kind, request, administrator: 'anna' });
});

it('only the parameters of the kind are sent', () => {
  const question = { ...questionAt('explain', 'oidc:anna'), groups: 'desk', user: 'zoe', request: 'r' };
  expect(hasGroups(question)).toBe(true);
  expect(parametersOf(question, IN_UTC)).toEqual({
    administrator: 'oidc:anna',
    groups: 'desk',
    realm: '',
    client: '',
    time: '',
  });
  expect(parametersOf({ ...question, kind: 'owner', time: '2026-11-20T12:00' }, IN_UTC)).toMatchObject({
    user: 'zoe',
    time: '2026-11-20T12:00:00.000Z',
  });
  expect(parametersOf({ ...question, kind: 'refusal' }, IN_UTC)).toEqual({ request: 'r', groups: 'desk' });
  expect(isAskable({ ...question, administrator: ' ' })).toBe(false);
  expect(isAskable({ ...question, administrator: '', kind: 'owner' })).toBe(true);
});
