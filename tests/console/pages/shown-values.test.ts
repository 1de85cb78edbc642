import { describe, expect, it } from '@jest/globals';
import { draftOf, parametersOf, withoutPassword } from '../../../console/src/resolvers/resolver-draft.ts';

const STORED = {
  name: 'crm',
  kind: 'sql',
  settings: { Server: 'db.example.com' },
  has_secret: true,
} as const;
const KIND = {
  kind: 'sql',
  meaning: '',
  settings: ['Server', 'Password'].map((name) => ({
    kind: 'sql' as const,
    name,
    description: '',
    is_required: false,
    ...(name === 'Password' && { is_secret: true }),
  })),
} as const;

describe('the form of a resolver', () => {
  it('sends what is filled in and what was emptied, and the password apart', () => {
    const draft = draftOf(STORED);
    expect(parametersOf(draft, KIND)).toEqual({ name: 'crm', set: '{"Server":"db.example.com"}' });
    const typed = { ...draft, values: { ...draft.values, Password: 'p', Server: '' } };
    expect(parametersOf(typed, KIND)).toEqual({ name: 'crm', set: '{"Server":""}', secret: 'p' });
  });

  it('removes the stored password on request, not by an empty field', () => {
    const draft = { ...draftOf(STORED), values: { Password: '' } };
    expect(parametersOf(draft, KIND)).toEqual({ name: 'crm', set: '{}' });
    expect(parametersOf({ ...draft, removesPassword: true }, KIND)).toMatchObject({ remove_secret: '1' });
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
});
