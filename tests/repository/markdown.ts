/** A fenced block of a document. */
export interface CodeBlock {
  readonly language: string;
  readonly text: string;
}

/** @returns the fenced blocks of a document */
export function codeBlocks(markdown: string): readonly CodeBlock[] {
  return [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));
}

/** @returns the document without its fenced blocks */
function prose(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```$/gm, '');
}

/** @returns the lines of a shell block, those that go on joined, without comments */
export function shellLines(text: string): readonly string[] {
  return text
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
}

/** @returns the words of a shell line; quotation marks hold words together */
export function shellWords(line: string): readonly string[] {
  return [...line.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g)].map(([word]) => word.replace(/['"]/g, ''));
}

/** @returns the targets of the links of a document, pictures included */
export function linkTargets(markdown: string): readonly string[] {
  return [...prose(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

/** @returns the anchors of a document's headings, as GitHub makes them */
export function anchors(markdown: string): readonly string[] {
  return [...prose(markdown).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/ /g, '-'),
  );
}

/** @returns the rows of the table that follows a heading, cells trimmed, without head and rule */
export function tableUnder(markdown: string, heading: string): readonly (readonly string[])[] {
  const section = markdown.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\|(.*)\|$/gm)]
    .slice(2)
    .map(([, row = '']) => row.split('|').map((cell) => cell.trim()));
}

/** A section of a document. */
export interface Section {
  readonly heading: string;
  /** The text up to the next heading of any level; wrapped lines stay as they are. */
  readonly paragraphs: readonly string[];
}

/**
 * @param level of the headings, from 1
 * @returns the sections of that level in their order
 */
export function sections(markdown: string, level: number): readonly Section[] {
  const mark = `${'#'.repeat(level)} `;
  return prose(markdown)
    .split(/^(?=#+ )/m)
    .filter((section) => section.startsWith(mark))
    .map((section) => {
      const [heading = '', ...paragraphs] = section.trim().split(/\n{2,}/);
      return { heading: heading.slice(mark.length), paragraphs };
    });
}
