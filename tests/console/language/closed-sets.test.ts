import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { transactionTexts } from '../../../console/src/helpdesk/transaction-texts.ts';
import { overviewTexts } from '../../../console/src/overview/overview-texts.ts';
import { webhookTexts } from '../../../console/src/webhooks/webhook-texts.ts';
import { EVENT_TYPES } from '../../../src/webhooks/webhook-event.ts';

const CHALLENGES = join(import.meta.dirname, '..', '..', '..', 'src', 'challenges');

/** @returns the texts in the source after each of these beginnings */
function textsAfter(file: string, beginnings: RegExp): readonly string[] {
  const source = readFileSync(join(CHALLENGES, file), 'utf8');
  return [...source.matchAll(beginnings)].map(([, text = '']) => text).filter((text) => text !== '');
}

describe('what the server says in words of its own', () => {
  it('has German words for each type of events', () => {
    expect(Object.keys(webhookTexts.de.eventMeanings).sort()).toEqual(Object.keys(EVENT_TYPES).sort());
  });

  it('has German words for each reason in the history of a transaction', () => {
    const written = textsAfter(
      'transaction-service.ts',
      /\breason: (?:word === 'wrong' \? \w+ : )?'([^']*)'/g,
    );
    const named = textsAfter(
      'transaction-service.ts',
      /^const [A-Z_]+ = '([a-z][^']+)';|_REASON = '([^']+)'/gm,
    );
    const causes = textsAfter('transaction-service.ts', /^ {2}'right \w+': '([^']+)'/gm);
    const reasons = [...written, ...named, ...causes];
    expect(reasons.length).toBeGreaterThan(14);
    expect(reasons.filter((reason) => transactionTexts.de.reasons[reason] === undefined)).toEqual([]);
  });

  it('has words for each end of a response on the overview in both languages', () => {
    const source = readFileSync(join(CHALLENGES, 'challenge.ts'), 'utf8');
    const [, list = ''] = /RESPONSE_REASONS = \[([^\]]*)\]/.exec(source) ?? [];
    const ends = [...list.matchAll(/'([^']+)'/g)].map(([, end = '']) => end.replaceAll(' ', '_'));
    expect(ends.length).toBeGreaterThan(10);
    for (const language of ['en', 'de'] as const) {
      expect(ends.filter((end) => overviewTexts[language].outcomes[end] === undefined)).toEqual([]);
    }
  });
});
