import { describe, expect, it } from '@jest/globals';
import {
  type DirectoryUser,
  fieldCondition,
  freeCondition,
  isSearchable,
  likePattern,
  matchesAll,
  matchesUser,
} from '../../src/resolvers/user-source.ts';

const ANNA: DirectoryUser = {
  userId: '7',
  login: 'anna.b_100%',
  givenName: 'Änne',
  surname: 'Berg',
  email: 'a@example.com',
  phone: '',
};

describe('a search for users', () => {
  it.each([
    ['anna.b_100%', true],
    ['ANNA*', true],
    ['*b_1*', true],
    ['a*a*0%', true],
    ['a*a*a*a', false],
    ['anna', false],
    ['*ann', false],
    ['anna.b_100%*anna.b_100%', false],
    ['a_na*', false],
    ['an%', false],
    ['', false],
    ['*', true],
  ])('for the login %j matches: %s', (text, expected) => {
    expect(matchesUser(ANNA, [fieldCondition('login', text)])).toBe(expected);
  });

  it.each([
    ['erg', true],
    ['berg*', true],
    ['erg*', false],
    ['änn', true],
    ['EXAMPLE', true],
    ['7', false],
  ])('for the text %j matches: %s', (text, expected) => {
    expect(matchesUser(ANNA, [freeCondition(text)])).toBe(expected);
  });

  it('escapes what LIKE takes for a wildcard', () => {
    expect(likePattern(fieldCondition('login', 'a!b%c_*d').pattern)).toBe('a!!b!%c!_%d');
  });

  it('knows what matches everybody, and what nobody', () => {
    expect([matchesAll(fieldCondition('login', '**')), matchesAll(fieldCondition('login', ''))]).toEqual([
      true,
      false,
    ]);
    expect([isSearchable(freeCondition('a\0')), isSearchable(freeCondition('x'.repeat(500)))]).toEqual([
      false,
      false,
    ]);
    expect(isSearchable(freeCondition('änne'))).toBe(true);
  });
});
