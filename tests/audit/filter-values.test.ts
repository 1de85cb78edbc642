import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { RESPONSE_REASONS } from '../../src/challenges/challenge.ts';
import { assertKnownFilter, isKnownOutcome, KNOWN_ACTIONS } from '../../src/audit/filter-values.ts';
import { declaredEndpoints } from '../support/description/declared-endpoints.ts';

const SOURCES = join(import.meta.dirname, '..', '..', 'src');

function source(): string {
  return readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(SOURCES, path), 'utf8'))
    .join('\n');
}

function found(pattern: RegExp): readonly string[] {
  return [...source().matchAll(pattern)].map(([, text = '']) => text);
}

describe('the known actions', () => {
  it('include every path of the interface that needs a credential or takes a response', () => {
    const paths = declaredEndpoints()
      .filter(({ requires, path }) => requires !== 'nothing' || path.startsWith('/validate/'))
      .map(({ path }) => path.slice(1));
    expect(paths.filter((path) => !KNOWN_ACTIONS.has(path))).toEqual([]);
  });

  it('include every act that the source names', () => {
    const acts = found(/actOf\(\s*\w+,\s*'([^']+)'/g);
    const others = found(/\baction: '(\w[\w-]*\/[\w-]+)'/g);
    expect(acts.length).toBeGreaterThan(30);
    expect([...acts, ...others].filter((action) => !KNOWN_ACTIONS.has(action))).toEqual([]);
  });
});

describe('the known outcomes', () => {
  it('include every outcome that the source writes as a text', () => {
    const literals = found(/audit\.write\(\s*[^,]+,\s*[^,]+,\s*['`]([^'`]+)['`]/g);
    const entries = found(/auditEntry\([^,]+,\s*[^,]+,\s*'([^']+)'/g);
    const reasons = RESPONSE_REASONS.filter((reason) => reason !== 'unknown' && reason !== 'nothing open');
    expect(literals.length).toBeGreaterThan(15);
    expect(reasons).toHaveLength(11);
    expect([...literals, ...entries, ...reasons].filter((outcome) => !isKnownOutcome(outcome))).toEqual([]);
  });

  it.each([
    'changed owner, realms',
    'declined again',
    'reported again',
    'refused: password, 812 times',
    'removed, from 3 tokens',
    'issued',
  ])('include %j', (outcome) => {
    expect(isKnownOutcome(outcome)).toBe(true);
  });
});

describe('a filter', () => {
  it.each([
    [{ outcome: 'wrongg' }, "There is no outcome 'wrongg' in the audit: did you mean wrong?"],
    [{ outcome: '' }, "There is no outcome '' in the audit"],
    [{ outcome: 'Accepted' }, "There is no outcome 'Accepted' in the audit"],
    [{ action: 'ocra/chek_t' }, "There is no action 'ocra/chek_t' in the audit: did you mean ocra/check_t?"],
  ])('%j is refused', (filter, message) => {
    expect(() => {
      assertKnownFilter(filter);
    }).toThrow(message);
  });

  it('without action and outcome is not', () => {
    assertKnownFilter({});
    expect(KNOWN_ACTIONS.has('ocra/check_t')).toBe(true);
  });
});
