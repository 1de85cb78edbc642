import { describe, expect, it } from '@jest/globals';
import { outcomeText, outcomeWords, typedOutcome } from '../../../console/src/audit/outcome-words.ts';

describe('the outcome of an audit row', () => {
  it.each([
    ['accepted', 'angenommen'],
    ['changed owner, realms', 'geändert owner, realms'],
    ['refused: password, 812 times', 'abgelehnt: password, 812 times'],
    ['handed out, encrypted for x', 'herausgegeben, encrypted for x'],
    ['constructor', 'constructor'],
    ['<img src=x>', '<img src=x>'],
  ])('is in German, with its details: %s', (outcome, german) => {
    expect(outcomeText(outcome, outcomeWords.de)).toBe(german);
  });

  it('is found by its words in either language, and by those of the server', () => {
    expect(typedOutcome(' Angenommen ', outcomeWords.de)).toBe('accepted');
    expect(typedOutcome('The token is locked', outcomeWords.en)).toBe('locked');
    expect(typedOutcome('refused', outcomeWords.de)).toBe('refused');
    expect(typedOutcome('other', outcomeWords.en)).toBe('other');
  });
});
