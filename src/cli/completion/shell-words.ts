/**
 * Splits a line as a shell does, and expands nothing in it.
 * @returns its words without quotation; the last one is being typed, and may be empty or have an open quotation
 */
export function splitShellLine(line: string): readonly string[] {
  const words: string[] = [];
  let [word, quote, isInWord] = ['', '', false];
  for (let place = 0; place < line.length; place += 1) {
    const character = line.charAt(place);
    if (quote !== '' && character === quote) {
      quote = '';
    } else if (character === '\\' && quote !== "'") {
      place += 1;
      [word, isInWord] = [word + line.charAt(place), true];
    } else if (quote === '' && /["']/.test(character)) {
      [quote, isInWord] = [character, true];
    } else if (quote === '' && /\s/.test(character)) {
      words.push(...(isInWord ? [word] : []));
      [word, isInWord] = ['', false];
    } else {
      [word, isInWord] = [word + character, true];
    }
  }
  return [...words, word];
}
