// Measures the house: `npm run house`. What is counted stands beside each line of the table.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import ts from 'typescript';
import { markdownTable } from './markdown-table.ts';

const ROOT = join(import.meta.dirname, '..');
/** Where a check_t goes from socket to socket; what they load is added. */
const CHECK_ROOTS =
  /^src\/(?:http\/controllers\/ocra-controller|challenges\/challenge-(?:service|store))\.ts$/;
/** Pages that `npm run docs:reference`, a bench or a recording writes. */
const GENERATED = /^docs\/(?:reference|results)\//;
/** Counts the modules of the process that it is loaded into, and prints their number at its end. */
const COUNTER = `data:text/javascript,${encodeURIComponent(`
  import { Session } from 'node:inspector';
  const modules = new Set();
  const session = new Session();
  session.connect();
  session.on('Debugger.scriptParsed', ({ params: { url } }) => /^(file:|\\/)/.test(url) && modules.add(url.replace('file://', '')));
  session.post('Debugger.enable');
  process.on('exit', () => console.log('modules ' + modules.size));
`)}`;

/** A file of src, as far as it is measured. */
interface Source {
  readonly lines: number;
  /** Names by the file that they come from. */
  readonly imports: readonly Import[];
  readonly exports: readonly string[];
  readonly interfaces: readonly string[];
  /** Names after `implements`. */
  readonly implemented: readonly string[];
}

interface Import {
  readonly from: string;
  readonly names: readonly { readonly here: string; readonly there: string }[];
  readonly isType: boolean;
}

function filesBelow(folder: string, ending: RegExp): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter((path) => !/(?:^|\/)(?:node_modules|dist)\//.test(path));
}

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const linesOf = (path: string): number => textOf(path).split('\n').length - 1;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

function importOf(path: string, { moduleSpecifier, importClause }: ts.ImportDeclaration): readonly Import[] {
  if (!ts.isStringLiteral(moduleSpecifier) || !moduleSpecifier.text.startsWith('.')) {
    return [];
  }
  const bindings = importClause?.namedBindings;
  const elements = bindings !== undefined && ts.isNamedImports(bindings) ? [...bindings.elements] : [];
  const names = elements.map(({ name, propertyName }) => ({
    here: name.text,
    there: (propertyName ?? name).text,
  }));
  const isType = importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
  return [{ from: join(dirname(path), moduleSpecifier.text), names, isType }];
}

function exportsOf(statement: ts.Statement): readonly string[] {
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) {
    return [];
  }
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  }
  const { name } = statement as ts.DeclarationStatement;
  return name === undefined ? [] : [name.getText()];
}

function read(path: string): Source {
  const file = ts.createSourceFile(path, textOf(path), ts.ScriptTarget.ES2023, true);
  const implemented: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isClassLike(node)) {
      const clauses = node.heritageClauses ?? [];
      const all = clauses.filter(({ token }) => token === ts.SyntaxKind.ImplementsKeyword);
      implemented.push(...all.flatMap(({ types }) => types.map(({ expression }) => expression.getText())));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  const statements = [...file.statements];
  return {
    lines: linesOf(path),
    imports: statements.filter(ts.isImportDeclaration).flatMap((node) => importOf(path, node)),
    exports: statements.flatMap(exportsOf),
    interfaces: statements.filter(ts.isInterfaceDeclaration).map(({ name }) => name.text),
    implemented,
  };
}

/** @returns the files that these load, themselves among them, without those that only lend a type */
function closure(sources: ReadonlyMap<string, Source>, roots: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const waiting = [...roots];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const source = sources.get(path);
    if (source !== undefined && !reached.has(path)) {
      reached.add(path);
      waiting.push(...source.imports.filter(({ isType }) => !isType).map(({ from }) => from));
    }
  }
  return reached;
}

/** @returns how many classes implement each interface that any does */
function implementations(sources: ReadonlyMap<string, Source>): readonly number[] {
  const counts = new Map<string, number>();
  for (const [path, { imports, interfaces, implemented }] of sources) {
    for (const name of implemented) {
      const found = imports.flatMap(({ from, names }) => names.map((one) => ({ from, ...one })));
      const elsewhere = found.find(({ here }) => here === name);
      const [file, there] = elsewhere === undefined ? [path, name] : [elsewhere.from, elsewhere.there];
      if (interfaces.includes(name) || sources.get(file)?.interfaces.includes(there) === true) {
        counts.set(`${file} ${there}`, (counts.get(`${file} ${there}`) ?? 0) + 1);
      }
    }
  }
  return [...counts.values()];
}

/** @returns by how many files of src each export of src is imported */
function importers(sources: ReadonlyMap<string, Source>): readonly number[] {
  const all = [...sources.values()].flatMap(({ imports }) => imports);
  const used = all.flatMap(({ from, names }) => names.map(({ there }) => `${from} ${there}`));
  const counts = new Map<string, number>();
  used.forEach((name) => counts.set(name, (counts.get(name) ?? 0) + 1));
  return [...sources].flatMap(([path, { exports }]) =>
    exports.map((name) => counts.get(`${path} ${name}`) ?? 0),
  );
}

/** Starts a server of the build on a database of its own. @returns its modules, and mebibytes once it listens */
async function loadedModules(): Promise<readonly [modules: string, memory: string]> {
  const folder = mkdtempSync(join(tmpdir(), 'tankeeper-house-'));
  const program = join(ROOT, 'dist/main.js');
  if (!existsSync(program)) {
    return ['npm run build first', '–'];
  }
  const child = spawn(process.execPath, ['--import', COUNTER, program, 'serve'], {
    env: {
      // eslint-disable-next-line no-restricted-syntax -- The rest of the environment must not reach the server.
      PATH: process.env.PATH ?? '',
      DATA_DIR: join(folder, 'data'),
      PORT: '0',
      DRAIN_TIME: '0',
      LOG_FORMAT: 'json',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let [modules, memory] = ['–', '–'];
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('"message":"Listening"')) {
      const status = readFileSync(`/proc/${child.pid ?? 0}/status`, 'utf8');
      memory = (Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024).toFixed(0);
      child.kill('SIGTERM');
    }
    modules = /^modules (\d+)$/.exec(line)?.[1] ?? modules;
  }
  rmSync(folder, { recursive: true, force: true });
  return [modules, memory];
}

const sources = new Map(filesBelow('src', /\.ts$/).map((path) => [path, read(path)]));
const tests = filesBelow('tests', /\.tsx?$/);
const roots = [...sources.keys()].filter((path) => CHECK_ROOTS.test(path));
const checked = [...closure(sources, roots)];
const implemented = implementations(sources);
const imported = importers(sources);
const pages = filesBelow('docs', /\.md$/);
const words = (paths: readonly string[]): number =>
  sum(paths.map((path) => textOf(path).split(/\s+/).length));
const [modules, memory] = await loadedModules();

process.stdout.write(
  markdownTable(
    ['measured', 'now'],
    [
      ['src: lines', sum([...sources.values()].map(({ lines }) => lines))],
      ['src: files', sources.size],
      ['tests: lines', sum(tests.map(linesOf))],
      ['tests: files', tests.length],
      [`files that ${roots.map((path) => path.replace(/^.*\//, '')).join(', ')} load`, checked.length],
      ['their lines', sum(checked.map((path) => sources.get(path)?.lines ?? 0))],
      ['interfaces that a class of src implements', implemented.length],
      ['of these with one implementation', implemented.filter((count) => count === 1).length],
      ['exports of src', imported.length],
      ['of these with one importer in src', imported.filter((count) => count === 1).length],
      ['words of docs by hand', words(pages.filter((path) => !GENERATED.test(path)))],
      ['words of docs that are generated', words(pages.filter((path) => GENERATED.test(path)))],
      ['modules that a server loads', modules],
      ['memory of a server that listens, MiB', memory],
    ].map(([what, value]) => [String(what), String(value)]),
  ),
);
