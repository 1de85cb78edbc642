import { describe, expect, it } from '@jest/globals';
import {
  draftOf,
  expectedOf,
  parametersOf,
  withoutPassword,
} from '../../../console/src/resolvers/resolver-draft.ts';

const STORED = { name: 'crm', type: 'sql', Server: 'db.example.com', Password: '' };
const KIND = {
  kind: 'sql',
  meaning: '',
  settings: ['Server', 'Password'].map((name) => ({
    name,
    meaning: '',
    required: false,
    default: null,
    values: null,
    example: null,
    form: 'line' as const,
    secret: name === 'Password',
    bound: false,
  })),
};

describe('the form of a resolver', () => {
  it('sends what is filled in, by the names of the interface', () => {
    const draft = draftOf(STORED);
    expect(parametersOf(draft)).toEqual({ name: 'crm', type: 'sql', server: 'db.example.com' });
    const typed = { ...draft, values: { ...draft.values, Password: 'p', Server: ' ' } };
    expect(parametersOf(typed)).toEqual({ name: 'crm', type: 'sql', password: 'p' });
  });

  it('removes the stored password on request, not by an empty field', () => {
    const draft = draftOf(STORED);
    expect(parametersOf(draft)).not.toHaveProperty('remove_password');
    expect(parametersOf({ ...draft, removesPassword: true })).toMatchObject({ remove_password: '1' });
  });

  it('forgets the password that was saved, and nothing else', () => {
    const typed = { ...draftOf(STORED), values: { Server: 'other', Password: 'p' }, removesPassword: true };
    expect(withoutPassword(typed, KIND)).toEqual({
      name: 'crm',
      kind: 'sql',
      removesPassword: false,
      values: { Server: 'other', Password: '' },
    });
  });

  it('expects what was read, without the password', () => {
    expect(JSON.parse(expectedOf(STORED, KIND))).toEqual({ Server: 'db.example.com' });
    expect(expectedOf(undefined, KIND)).toBe('null');
  });
});
