// Writes what a release consists of into release/: the npm package, its software bill of materials (CycloneDX) and
// the checksums of both.
//
//   npm run package [-- FOLDER]
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const folder = resolve(process.argv[2] ?? join(ROOT, 'release'));
const { name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const [changes] = /^## \S+/m.exec(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')) ?? [];
if (changes !== `## ${version}`) {
  throw new Error(
    `CHANGELOG.md begins with '${changes ?? ''}', not with the version ${version} of package.json`,
  );
}

const files = [`${name}-${version}.tgz`, `${name}-${version}.cdx.json`];
mkdirSync(folder, { recursive: true });
// Not the folder itself, which may hold other files.
for (const file of [...files, 'SHA256SUMS']) {
  rmSync(join(folder, file), { force: true });
}
npm(['pack', '--silent', '--pack-destination', folder]);
const bill = JSON.parse(npm(['sbom', '--omit=dev', '--sbom-format=cyclonedx', '--sbom-type=application']));
// npm names the project after its folder.
bill.metadata.component.name = name;
writeFileSync(join(folder, files[1]), `${JSON.stringify(bill, null, 2)}\n`);
const sums = files.map((file) => `${sha256(join(folder, file))}  ${file}\n`).join('');
writeFileSync(join(folder, 'SHA256SUMS'), sums);
console.log(sums.trimEnd());

function npm(words) {
  return execFileSync('npm', words, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64e6,
  });
}

function sha256(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
