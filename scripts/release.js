// Makes what a release consists of: the npm package, the context from which its image is built, its Debian package, its bill
// of materials, its licences, its changes, and the checksums of all. The same commit gives the same bytes.
//
//   npm run release [-- FOLDER] [--base node:…@sha256:…]     FOLDER is release/ by default; the base of the image
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { makeDebianPackage } from './debian-package.js';
import { idOf, licenceList, refusedPackages, shippedPackages } from './licences.ts';
import { disagreements, latestChanges } from './versions.ts';

const ROOT = join(import.meta.dirname, '..');
/** The time of every file, in seconds: npm's. */
const MODIFIED = 499_162_500;
const PINNED = /^\S+@sha256:[0-9a-f]{64}$/;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { base: { type: 'string' } } });
const { base } = values;
const folder = resolve(positionals[0] ?? join(ROOT, 'release'));
const { name, version } = JSON.parse(read('package.json'));
const lock = JSON.parse(read('package-lock.json'));
const changelog = read('CHANGELOG.md');
const tags = git('tag', '--points-at', 'HEAD').split('\n');

const faults = [...disagreements({ manifest: version, lock, changelog, tags })];
if (base === undefined ? tags.includes(`v${version}`) : !PINNED.test(base)) {
  faults.push('the base of the image is not pinned: --base node:…@sha256:…');
}
stopAt(faults);

const stage = mkdtempSync(join(tmpdir(), 'tankeeper-release-'));
try {
  mkdirSync(folder, { recursive: true });
  for (const file of made()) {
    rmSync(join(folder, file));
  }
  // Builds, by `prepare`. npm keeps the modes that the files have in the checkout, so it is packed again.
  const [packed] = JSON.parse(npm('pack', '--json', '--pack-destination', stage));
  run('tar', ['-C', stage, '-xzf', join(stage, packed.filename)]);
  writeFile('tgz', archive('package'));
  const packages = shippedPackages(lock, bundledLicences());
  stopAt(refusedPackages(packages).map((one) => `${idOf(one)}: ${one.licence} is not allowed`));
  writeFile('licences.txt', licenceList(packages));
  writeFile('cdx.json', `${JSON.stringify(billOfMaterials(packages), null, 2)}\n`);
  writeFile('changes.md', latestChanges(changelog));
  writeFile('image.tar.gz', buildContext());
  makeDebianPackage({ root: ROOT, stage, version, folder, modified: MODIFIED });
  const sums = made().map((file) => `${sha256(join(folder, file))}  ${file}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  console.log(sums.join('').trimEnd());
} finally {
  rmSync(stage, { recursive: true });
}

/** The lock file's packages that users get; npm would leave those out that are bundled, as they are for development. */
function billOfMaterials(packages) {
  const shipped = new Set(packages.map(idOf));
  const bill = JSON.parse(
    npm('sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'),
  );
  // Both are optional, and differ from run to run.
  delete bill.serialNumber;
  delete bill.metadata.timestamp;
  const { component } = bill.metadata;
  return {
    ...bill,
    // npm names the project after its folder.
    metadata: { ...bill.metadata, component: { ...component, name } },
    components: bill.components
      .filter((one) => shipped.has(idOf(one)))
      .map((one) => ({ ...one, properties: [] })),
    dependencies: bill.dependencies
      .filter(({ ref }) => shipped.has(ref) || ref === component['bom-ref'])
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => shipped.has(one)) })),
  };
}

/** What .dockerignore lets in, beside a Dockerfile that names its base and its version. */
function buildContext() {
  const context = join(stage, 'image');
  const rules = read('.dockerignore').split('\n');
  const left = new Set(rules.filter((rule) => /^[\w.]/.test(rule)));
  for (const path of rules.filter((rule) => rule.startsWith('!')).map((rule) => rule.slice(1))) {
    cpSync(join(ROOT, path), join(context, path), {
      recursive: true,
      filter: (source) => !left.has(relative(ROOT, source)),
    });
  }
  const revision = git('describe', '--always', '--dirty', '--abbrev=40', '--exclude=*') || 'unknown';
  const said = { VERSION: version, REVISION: revision, ...(base === undefined ? {} : { NODE_IMAGE: base }) };
  const dockerfile = Object.entries(said).reduce(
    (text, [argument, value]) =>
      text.replace(new RegExp(`^ARG ${argument}=.*$`, 'm'), `ARG ${argument}=${value}`),
    read('Dockerfile'),
  );
  writeFileSync(join(context, 'Dockerfile'), dockerfile);
  cpSync(join(ROOT, '.dockerignore'), join(context, '.dockerignore'));
  return archive('image');
}

/** @returns a folder of the stage, the same for the same names and contents */
function archive(packedFolder) {
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mode=a+rX,u+w,go-w'];
  const form = ['--format=ustar', '--sort=name', `--mtime=@${MODIFIED}`, ...owner];
  return gzipSync(run('tar', ['-C', stage, ...form, '-c', packedFolder]), { level: 9 });
}

function bundledLicences() {
  const files = readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('LICENCES.md'),
  );
  return files.map((file) => read(join('dist', file)));
}

/** @returns the files of a release in the folder, which may hold others */
function made() {
  return readdirSync(folder)
    .filter((file) => /^tankeeper[-_]\d|^SHA256SUMS$/.test(file))
    .sort();
}

function stopAt(found) {
  if (found.length > 0) {
    throw new Error(found.join('\n'));
  }
}

function read(file) {
  return readFileSync(join(ROOT, file), 'utf8');
}

function writeFile(ending, content) {
  writeFileSync(join(folder, `${name}-${version}.${ending}`), content);
}

/** @returns what git says; nothing where there is no repository */
function git(...words) {
  const { status, stdout } = spawnSync('git', words, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '';
}

function npm(...words) {
  return run('npm', words).toString();
}

function run(program, words) {
  return execFileSync(program, words, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 256e6 });
}

function sha256(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
