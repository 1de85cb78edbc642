import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { JoinedWrites } from '../../src/compose/process.ts';

function joined(): { readonly lines: JoinedWrites; readonly writes: string[] } {
  const target = new PassThrough();
  const writes: string[] = [];
  target.write = (text: unknown) => {
    writes.push(String(text));
    return true;
  };
  return { lines: new JoinedWrites(target), writes };
}

describe('joined writes', () => {
  it('pass on the lines of a turn in one write, in their order', async () => {
    const { lines, writes } = joined();
    lines.write('one\n');
    lines.write('zwei é\n');
    expect(writes).toEqual([]);
    await nextTurn();
    await nextTurn();
    expect(writes).toEqual(['one\nzwei é\n']);
    lines.write('three\n');
    await nextTurn();
    await nextTurn();
    expect(writes).toEqual(['one\nzwei é\n', 'three\n']);
  });

  it('write no more at once than a pipe takes whole', async () => {
    const { lines, writes } = joined();
    const line = `${'é'.repeat(700)}\n`;
    for (let count = 0; count < 5; count += 1) {
      lines.write(line);
    }
    await nextTurn();
    await nextTurn();
    expect(writes).toEqual([line.repeat(2), line.repeat(2), line]);
  });

  it('lose nothing at the end of the stream, or of the process', async () => {
    const { lines, writes } = joined();
    lines.write('one\n');
    lines.flush();
    expect(writes).toEqual(['one\n']);
    lines.write('two\n');
    lines.end('three\n');
    await nextTurn();
    expect(writes).toEqual(['one\n', 'two\nthree\n']);
  });
});
