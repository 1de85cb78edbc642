import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { RESPONSE_REASONS } from '../../src/challenges/challenge.ts';
import { ACTS, OUTCOME_WORDS } from '../../src/audit/acts.ts';

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

it('the acts of the audit include every one that the source names', () => {
  const known = new Set(ACTS);
  const acts = found(/(?:actOf|actOfCall|signedIn|changing)\(\s*\w+,\s*(?:call,\s*)?'([^']+)'/g);
  const others = found(/\baction: '(\w[\w-]*\/[\w-]+)'/g);
  expect(acts.length).toBeGreaterThan(30);
  expect([...acts, ...others].filter((action) => !known.has(action))).toEqual([]);
});

it('the outcomes of the audit include every one that the source writes as a text', () => {
  const literals = found(/audit\.write\(\s*[^,]+,\s*[^,]+,\s*['`]([^'`]+)['`]/g);
  const entries = found(/auditEntry\([^,]+,\s*[^,]+,\s*'([^']+)'/g);
  const reasons = RESPONSE_REASONS.filter((reason) => reason !== 'unknown' && reason !== 'nothing open');
  expect(literals.length).toBeGreaterThan(15);
  expect(reasons).toHaveLength(11);
  const words = [...literals, ...entries, ...reasons].map((outcome) => /^[a-z]*/.exec(outcome)?.[0] ?? '');
  expect(words.filter((word) => !OUTCOME_WORDS.includes(word))).toEqual([]);
});
