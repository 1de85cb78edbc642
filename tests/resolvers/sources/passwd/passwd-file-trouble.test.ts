import { mkdtemp, open, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { PasswdFile } from '../../../../src/resolvers/sources/passwd/passwd-file.ts';
import { Semaphore } from '../../../../src/kernel/bounded-work.ts';
import { deferred } from '../../../support/values/until.ts';
import { eventualRefusal } from '../../../support/values/refusal.ts';
import { ReadableHasher } from '../../../support/application/readable-hasher.ts';
import { temporaryFolder } from '../../../support/values/temporary-folder.ts';

const GIGABYTE = 1024 ** 3;
const MEGABYTE = 1024 ** 2;
const nothing = (): void => undefined;

const root = temporaryFolder();
let folder: string;
let fileName: string;

beforeEach(async () => {
  folder = await mkdtemp(join(root, 'each-'));
  fileName = join(folder, 'passwd');
});

function sourceAt(
  name = fileName,
  { fileReads = new Semaphore(1), timeoutMs = 30_000 }: { fileReads?: Semaphore; timeoutMs?: number } = {},
): PasswdFile {
  return new PasswdFile({
    resolver: 'file',
    fileName: name,
    hasher: new ReadableHasher(),
    log: { error: nothing, warn: nothing, info: nothing, debug: nothing },
    timeoutMs,
    fileReads,
  });
}

async function fault(source: PasswdFile): Promise<string> {
  return (await eventualRefusal(source.count())).message.replace(/.*file cannot be used, /, '');
}

/** Some megabytes, so that reading takes a while. */
function usersOf(prefix: string): string {
  return Array.from({ length: 20_000 }, (_, index) => `${prefix}${index}:x:${index}::::\n`).join('');
}

describe('a large passwd file', () => {
  it('of 1 GB is refused for its size before anything of it is read', async () => {
    const handle = await open(fileName, 'w');
    await handle.write('anna:x:1:1:::\n');
    await handle.truncate(GIGABYTE);
    await handle.close();
    const before = process.memoryUsage().rss;
    expect(await fault(sourceAt())).toBe('it has more than 67108864 bytes');
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * MEGABYTE);
  });

  it('leaves the process its turns while it is read', async () => {
    const source = sourceAt();
    let turns = 0;
    const ticking = setInterval(() => {
      turns += 1;
    }, 1);
    await writeFile(
      fileName,
      usersOf('b')
        .repeat(20)
        .replaceAll(/:x:.*$/gm, ''),
    );
    expect(await fault(source)).toBe('it has no account');
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(3);
  });
});

describe('a passwd file that is replaced while it is read', () => {
  it('is read again: what is answered is one of the two whole, and the new one to whoever asks afterwards', async () => {
    await writeFile(fileName, usersOf('old'));
    await writeFile(`${fileName}.new`, usersOf('new').slice(0, -1));
    const source = sourceAt();
    const during = source.list();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await rename(`${fileName}.new`, fileName);
    const afterwards = source.list();
    const prefixes = new Set((await during).map(({ login }) => login.slice(0, 3)));
    expect(prefixes.size).toBe(1);
    expect(await during).toHaveLength(20_000);
    expect((await afterwards).every(({ login }) => login.startsWith('new'))).toBe(true);
  });
});

describe('a passwd file that changes right after it was looked at', () => {
  it('is looked at again for whoever asks from then on', async () => {
    await writeFile(fileName, 'anna:x:1:1:::\n');
    const seen = deferred<undefined>();
    const reported = deferred<undefined>();
    class LateSemaphore extends Semaphore {
      override async run<T>(work: () => Promise<T>): Promise<T> {
        const result = await super.run(work);
        seen.resolve(undefined);
        await reported.promise;
        return result;
      }
    }
    const source = sourceAt(fileName, { fileReads: new LateSemaphore(1) });
    const before = source.count();
    await seen.promise;
    await writeFile(fileName, '');
    const afterwards = source.count();
    reported.resolve(undefined);
    expect([await before, await afterwards]).toEqual([1, 0]);
  });
});

describe('a passwd file that hangs', () => {
  it('is given up after the time limit, then refused at once, and is back when it answers', async () => {
    await writeFile(fileName, 'anna:x:1:1:::\n');
    const fileReads = new Semaphore(1);
    const hanging = deferred<undefined>();
    const elsewhere = fileReads.run(() => hanging.promise);
    const source = sourceAt(fileName, { fileReads, timeoutMs: 200 });
    expect(await fault(source)).toBe('it did not answer within 0.2 seconds');
    const order: string[] = [];
    const timer = new Promise((resolve) => setTimeout(resolve, 200)).then(() => order.push('time limit'));
    await Promise.all(Array.from({ length: 100 }, () => fault(source).then(() => order.push('refused'))));
    await timer;
    expect(order.indexOf('time limit')).toBe(100);
    hanging.resolve(undefined);
    await elsewhere;
    const back = async (): Promise<number> => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      return source.count().catch(back);
    };
    expect(await back()).toBe(1);
  });
});
