import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findingWords } from '../../../console/src/health/finding-words.ts';

const DOCTOR = join(import.meta.dirname, '..', '..', '..', 'src', 'doctor');
/** Of `tankeeper doctor` alone: a running server does not verify, count, ask resolvers or migrate. */
const OF_DOCTOR =
  /^(?:doctor\.skipped|audit\.(?:altered|unverified)|counters\..*|migrations\..*|resolvers\.(?:empty|unavailable)|key\.(?:none|module|missing|mismatch|unavailable)|database\.unavailable)$/;

function codes(): readonly string[] {
  const files = ['configuration', 'database', 'environment', 'key'];
  return files.flatMap((file) => {
    const source = readFileSync(join(DOCTOR, `${file}-check.ts`), 'utf8');
    const rules = [...source.matchAll(/^ {4}name: '(\w+)'/gm)].map(([, name = '']) => `database.${name}`);
    const written = [...source.matchAll(/'((?!policy|configuration|resolver\.)[a-z]+\.[a-z-]+)'/g)].map(
      ([, code = '']) => code,
    );
    return [...rules, ...written];
  });
}

describe('the findings on the health page', () => {
  it('are each in German, with what helps', () => {
    const found = codes().filter((code) => !OF_DOCTOR.test(code));
    expect(found.length).toBeGreaterThan(45);
    expect(found.filter((code) => findingWords(code, 'de') === undefined)).toEqual([]);
  });

  it('are in German where a check fails or takes too long, too', () => {
    for (const name of ['database', 'clock', 'audit']) {
      expect(findingWords(`${name}.failed`, 'de')?.text).toBe('Eine Untersuchung ist gescheitert.');
      expect(findingWords(`${name}.overdue`, 'de')).toBeDefined();
    }
  });

  it('are in the words of the server in English, and where the code is of a newer one', () => {
    expect(findingWords('backup.none', 'en')).toBeUndefined();
    expect(findingWords('toString', 'de')).toBeUndefined();
    expect(findingWords('backup.constructor', 'de')).toBeUndefined();
  });
});
