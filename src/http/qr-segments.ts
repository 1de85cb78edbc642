/** The encoding of characters in bits: three digits in 10 bits, two characters in 11, or bytes. */
type QrMode = 'numeric' | 'alphanumeric' | 'byte';

/** A part of a text in one mode. */
export interface QrSegment {
  readonly data: string;
  readonly mode: QrMode;
}

/** The error correction levels of the service. */
export type QrLevel = 'M' | 'L';

/** Runs of digits, of the other characters of the alphanumeric mode, and of all others (ISO/IEC 18004 §7.4). */
const RUNS = /[0-9]+|[A-Z $%*+\-./:]+|[^0-9A-Z $%*+\-./:]+/g;
const DIGIT = /^[0-9]/;
const ALPHANUMERIC = /^[A-Z $%*+\-./:]/;

/** The modes that a run fits in, the shortest first. */
const FITTING: Readonly<Record<QrMode, readonly QrMode[]>> = {
  numeric: ['numeric', 'alphanumeric', 'byte'],
  alphanumeric: ['alphanumeric', 'byte'],
  byte: ['byte'],
};

/** The bits of the mode and of the number of characters, for versions 1 to 9, 10 to 26, and 27 to 40 (§7.4.1). */
const HEADER_BITS: Readonly<Record<QrMode, readonly [number, number, number]>> = {
  numeric: [14, 16, 18],
  alphanumeric: [13, 15, 17],
  byte: [12, 20, 20],
};
/** The bits that the versions 9 and 26 hold (§7.5.1). */
const CAPACITY: Readonly<Record<QrLevel, readonly [number, number]>> = {
  M: [1_456, 8_496],
  L: [1_856, 10_960],
};

interface CharacterRun {
  readonly data: string;
  readonly mode: QrMode;
  /** Characters, in the byte mode bytes. */
  readonly length: number;
}

/** The cheapest way to encode a text up to the end of a run, with that run in one mode. */
interface Way {
  readonly run: CharacterRun;
  readonly mode: QrMode;
  /** Bits. */
  readonly cost: number;
  readonly before: Way | undefined;
  /** The place of `before` among the ways up to there. */
  readonly place: number;
}

/**
 * Divides a text so that it takes the fewest bits. Where several ways take equally many, it chooses the one that the
 * `qrcode` library chooses, which takes ten times as long over it.
 */
export function divideIntoSegments(text: string, level: QrLevel): QrSegment[] {
  const runs = (text.match(RUNS) ?? []).map(toRun);
  const versions = versionsOf(runs, level);
  // In the order in which a search for the cheapest way reaches them.
  let ways: readonly Way[] = [];
  for (const run of runs) {
    ways = FITTING[run.mode].map((mode) => cheapestWay(ways, run, mode, versions)).sort(byCost);
  }
  return segmentsOf(ways[0]);
}

function toRun(data: string): CharacterRun {
  const mode = DIGIT.test(data) ? 'numeric' : ALPHANUMERIC.test(data) ? 'alphanumeric' : 'byte';
  return { data, mode, length: mode === 'byte' ? Buffer.byteLength(data) : data.length };
}

/** @returns the index into `HEADER_BITS` for the versions that hold the runs, each in its own mode */
function versionsOf(runs: readonly CharacterRun[], level: QrLevel): 0 | 1 | 2 {
  const bits = (versions: 0 | 1): number =>
    runs.reduce((sum, { mode, length }) => sum + HEADER_BITS[mode][versions] + dataBits(mode, length), 0);
  const [first, second] = CAPACITY[level];
  return bits(0) <= first ? 0 : bits(1) <= second ? 1 : 2;
}

/** @returns the cheapest way with this run in this mode, of equally cheap ones that after the first of `ways` */
function cheapestWay(ways: readonly Way[], run: CharacterRun, mode: QrMode, versions: 0 | 1 | 2): Way {
  const anew = HEADER_BITS[mode][versions] + dataBits(mode, run.length);
  let place = 0;
  let cost = ways.length === 0 ? anew : Infinity;
  for (let each = 0; each < ways.length; each += 1) {
    const before = ways[each];
    if (before !== undefined) {
      const total = before.cost + (before.mode === mode ? furtherBits(mode, run) : anew);
      if (total < cost) {
        cost = total;
        place = each;
      }
    }
  }
  return { run, mode, cost, before: ways[place], place };
}

function byCost(left: Way, right: Way): number {
  return left.cost - right.cost || left.place - right.place;
}

/** @returns the bits of further characters in the mode of those before them, as the library weighs them */
function furtherBits(mode: QrMode, run: CharacterRun): number {
  // The library does not know how many characters stand before these: as many, or none.
  const before = run.mode === mode ? 0 : run.length;
  return dataBits(mode, before + run.length) - dataBits(mode, before);
}

/** ISO/IEC 18004 §7.4.3 to §7.4.5 */
function dataBits(mode: QrMode, length: number): number {
  if (mode === 'byte') {
    return 8 * length;
  }
  return mode === 'alphanumeric' ? Math.ceil(5.5 * length) : Math.ceil((10 * length) / 3);
}

/** @returns the runs of a way, those of the same mode joined */
function segmentsOf(last: Way | undefined): QrSegment[] {
  const backwards: QrSegment[] = [];
  for (let way = last; way !== undefined; way = way.before) {
    const { mode } = way;
    const { data } = way.run;
    const next = backwards.at(-1);
    if (next?.mode === mode) {
      backwards[backwards.length - 1] = { data: data + next.data, mode };
    } else {
      backwards.push({ data, mode });
    }
  }
  return backwards.reverse();
}
