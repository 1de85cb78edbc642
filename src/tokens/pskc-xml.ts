import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { ServiceError } from '../kernel/errors.ts';

/** An element of an XML document. Names have no namespace prefix. */
export interface XmlElement {
  readonly name: string;
  /** The line in which it starts, from 1. */
  readonly line: number;
  readonly attributes: ReadonlyMap<string, string>;
  /** Its own text, without blanks around it. */
  readonly text: string;
  readonly children: readonly XmlElement[];
}

/** One node in the parser's form: the name with the children, `:@` with the attributes. */
type ParsedNode = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 32;
const CDATA = '#cdata';
const PREDEFINED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Reads an XML document. Supports only the five entities of XML and numeric character references; refuses a document
 * type, which could define or fetch others.
 * @returns the root element
 * @throws ServiceError 'key-file.invalid' with line and element
 */
export function parseXml(document: string): XmlElement {
  const text = withPlainLineEnds(document.replace(/^\uFEFF/, ''));
  assertHarmless(text);
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- its replacement is another package for the same code
  const outcome = XMLValidator.validate(text);
  if (outcome !== true) {
    throw invalid(outcome.err.line, '', `not well-formed XML: ${withoutQuotes(outcome.err.msg)}`);
  }
  const roots = toElements(parse(text), lineCounter(text));
  const [root, other] = roots.filter(({ name }) => name !== '?xml');
  if (root === undefined || other !== undefined) {
    throw invalid(1, '', 'not one XML document');
  }
  return root;
}

function parse(text: string): readonly ParsedNode[] {
  const parser = new XMLParser({
    preserveOrder: true,
    captureMetaData: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: true,
    maxNestedTags: MAX_DEPTH,
    processEntities: false,
    cdataPropName: CDATA,
  });
  try {
    return parser.parse(text) as readonly ParsedNode[];
  } catch (cause) {
    const reason = cause instanceof Error ? withoutQuotes(cause.message) : 'it cannot be read';
    throw new ServiceError('key-file.invalid', `The key file is wrong: ${reason}`, { cause });
  }
}

/** Removes quotations from a message: the parser quotes supposed names, which may be a key behind a missing bracket. */
function withoutQuotes(message: string): string {
  return message
    .replace(/'[^]*'|"[^]*"/g, '…')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 200);
}

function toElements(nodes: readonly ParsedNode[], lineAt: (index: number) => number): XmlElement[] {
  return nodes.flatMap((node) => {
    const tag = Object.keys(node).find((key) => ![':@', '#text', CDATA].includes(key));
    if (tag === undefined) {
      return [];
    }
    const line = lineAt(startOf(node));
    const inner = node[tag] as readonly ParsedNode[];
    const name = localName(tag);
    const decode = (text: string): string => decodeEntities(text, line, name);
    const attributes = Object.entries((node[':@'] ?? {}) as Readonly<Record<string, unknown>>);
    return [
      {
        name,
        line,
        attributes: new Map(attributes.map(([key, value]) => [key, decode(String(value))])),
        text: textOf(inner, decode).trim(),
        children: toElements(inner, lineAt),
      },
    ];
  });
}

/** Joins the text of an element; text in CDATA is not decoded. */
function textOf(nodes: readonly ParsedNode[], decode: (text: string) => string): string {
  return nodes
    .map((node) => {
      const marked = node[CDATA] as readonly ParsedNode[] | undefined;
      return marked === undefined ? decode(plainText(node)) : marked.map((part) => plainText(part)).join('');
    })
    .join('');
}

function plainText(node: ParsedNode): string {
  return '#text' in node ? String(node['#text']) : '';
}

/** Decodes the five predefined entities and numeric character references (XML 1.0 §4.1, §4.6). */
function decodeEntities(text: string, line: number, element: string): string {
  return text.replace(/&([^;&\s]{0,20});?/g, (_reference, name: string) => {
    const [, hexadecimal, decimal] = /^#(?:x([0-9a-f]{1,6})|([0-9]{1,7}))$/i.exec(name) ?? [];
    const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    const character =
      code > 0 && code <= 0x10_ffff
        ? String.fromCodePoint(code)
        : Object.hasOwn(PREDEFINED, name)
          ? PREDEFINED[name]
          : undefined;
    if (character === undefined) {
      throw invalid(line, element, 'an entity that XML does not know by itself');
    }
    return character;
  });
}

function startOf(node: ParsedNode): number {
  // The declaration has the type Symbol, the object, instead of symbol.
  const key = XMLParser.getMetaDataSymbol() as unknown as symbol;
  const meta = (node as Readonly<Record<symbol, { readonly startIndex?: number } | undefined>>)[key];
  return meta?.startIndex ?? 0;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Maximum number of tags: ten thousand keys with every possible element have fewer. */
const MAX_TAGS = 400_000;
const MAX_ATTRIBUTES = 100_000;
const MAX_LINES = 1_000_000;
/** Maximum number of characters from one `<` to the next: a certificate has some thousands. */
const MAX_PIECE_LENGTH = 65_536;

/**
 * Checks a document before it is parsed, as a parser needs many times its length in memory and time. Refuses document
 * types (they could define or fetch entities), processing instructions, and more or longer pieces than any key file
 * has.
 * @throws ServiceError 'key-file.invalid'
 */
function assertHarmless(text: string): void {
  let tags = 0;
  for (let index = text.indexOf('<'); index !== -1;) {
    tags += 1;
    const end = endOfPiece(text, index);
    const next = text.indexOf('<', end);
    if ((next === -1 ? text.length : next) - end > MAX_PIECE_LENGTH) {
      throw invalid(lineOf(text, index), '', `more than ${MAX_PIECE_LENGTH} characters in one piece`);
    }
    if (tags > MAX_TAGS) {
      throw new ServiceError('key-file.invalid', `The key file has more than ${MAX_TAGS} tags`);
    }
    index = next;
  }
  assertFewAttributes(text);
}

/**
 * @returns the document with line ends as XML defines them (XML 1.0 §2.11)
 * @throws ServiceError 'key-file.invalid' for more line ends than any key file has: each replacement takes memory
 */
function withPlainLineEnds(document: string): string {
  let lines = 0;
  for (let index = document.indexOf('\r'); index !== -1; index = document.indexOf('\r', index + 1)) {
    lines += 1;
    if (lines > MAX_LINES) {
      throw new ServiceError('key-file.invalid', `The key file has more than ${MAX_LINES} lines`);
    }
  }
  return document.replace(/\r\n?/g, '\n');
}

/** @returns the index from which to search the next `<` */
function endOfPiece(text: string, index: number): number {
  if (text.startsWith('<!--', index)) {
    const end = text.indexOf('-->', index + 4);
    return end === -1 ? text.length : end + 3;
  }
  if (text.startsWith('<![CDATA[', index)) {
    return index + 1;
  }
  if (text.startsWith('<!', index)) {
    throw invalid(lineOf(text, index), '', 'a document type is not allowed');
  }
  if (text.startsWith('<?', index) && !(index === 0 && /^<\?xml\s/.test(text))) {
    throw invalid(lineOf(text, index), '', 'a processing instruction is not allowed');
  }
  return index + 1;
}

function assertFewAttributes(text: string): void {
  let attributes = 0;
  for (let index = text.indexOf('='); index !== -1; index = text.indexOf('=', index + 1)) {
    const follower = text.charAt(index + 1);
    attributes += follower === '"' || follower === "'" ? 1 : 0;
    if (attributes > MAX_ATTRIBUTES) {
      throw new ServiceError('key-file.invalid', `The key file has more than ${MAX_ATTRIBUTES} attributes`);
    }
  }
}

/** @returns a ServiceError 'key-file.invalid' that names line and element */
export function invalid(line: number, element: string, message: string): ServiceError {
  const where = element === '' ? `line ${line}` : `line ${line}, element ${element.slice(0, 100)}`;
  return new ServiceError('key-file.invalid', `The key file is wrong in ${where}: ${message}`);
}

/** @returns the line, from 1, of the character at `index` */
export function lineOf(text: string, index: number): number {
  return lineCounter(text)(index);
}

/** @returns a function like `lineOf`, for ascending positions: it searches and counts each line end once */
export function lineCounter(text: string): (index: number) => number {
  let line = 1;
  let end = text.indexOf('\n');
  return (index) => {
    while (end !== -1 && end < index) {
      line += 1;
      end = text.indexOf('\n', end + 1);
    }
    return line;
  };
}
