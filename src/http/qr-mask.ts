import type { QrModules } from './qr-raster.ts';
import type { QrLevel } from './qr-segments.ts';

/** A symbol whose data modules are masked with the pattern 000. */
export interface MaskedModules extends QrModules {
  /** 1 where no mask applies: a pattern of the symbol, or format or version information. */
  readonly reservedBit: Uint8Array;
}

/*
 * A byte holds one module under each of the eight masks, the mask 000 in the lowest bit: the penalties of all masks are
 * computed at once.
 */
const MASKS = [0, 1, 2, 3, 4, 5, 6, 7] as const;
const ALL = 0xff;

/** The conditions of the masks for row i and column j (ISO/IEC 18004 §7.8.2). They repeat every 12 rows and columns. */
const CONDITIONS: readonly ((i: number, j: number) => boolean)[] = [
  (i, j) => (i + j) % 2 === 0,
  (i) => i % 2 === 0,
  (_i, j) => j % 3 === 0,
  (i, j) => (i + j) % 3 === 0,
  (i, j) => (Math.floor(i / 2) + Math.floor(j / 3)) % 2 === 0,
  (i, j) => ((i * j) % 2) + ((i * j) % 3) === 0,
  (i, j) => (((i * j) % 2) + ((i * j) % 3)) % 2 === 0,
  (i, j) => (((i * j) % 3) + ((i + j) % 2)) % 2 === 0,
];
const PERIOD = 12;
/** The change by each mask of a module that is masked with 000. */
const CHANGES = Uint8Array.from({ length: PERIOD * PERIOD }, (_, place) => {
  const [i, j] = [Math.floor(place / PERIOD), place % PERIOD];
  const masks = perMask((mask) => CONDITIONS[mask]?.(i, j) === true);
  return (masks & 1) === 1 ? masks ^ ALL : masks;
});

/** The two bits of a level in the format information (§7.9.1). */
const LEVEL_BITS: Readonly<Record<QrLevel, number>> = { L: 1, M: 0 };
const FORMAT_BITS = 15;
const FORMAT_GENERATOR = 0b101_0011_0111;
const FORMAT_MASK = 0b101_0100_0001_0010;

/** Penalties of the features (§7.8.3.1). */
const PENALTY = { run: 3, block: 3, finder: 40, proportion: 10 };
/** Modules of a line: dark, light, three dark, light, dark. */
const FINDER = 7;
/** Light modules in front of these or behind them. */
const FINDER_MARGIN = 4;

/**
 * Chooses the mask with the lowest penalty (ISO/IEC 18004 §7.8.3), as the `qrcode` library does in ten times the time.
 * @returns the modules with that mask and its format information
 */
export function chooseMask(symbol: MaskedModules, level: QrLevel): QrModules {
  const { size } = symbol;
  const modules = underAllMasks(symbol, level);
  const penalties = penaltiesOf(modules, size);
  const best = penalties.indexOf(Math.min(...penalties));
  return { size, data: underMask(modules, best) };
}

function underMask(modules: Uint8Array, mask: number): Uint8Array {
  const data = new Uint8Array(modules.length);
  for (let place = 0; place < data.length; place += 1) {
    data[place] = ((modules[place] ?? 0) >> mask) & 1;
  }
  return data;
}

/** @returns each module under all masks */
function underAllMasks({ size, data, reservedBit }: MaskedModules, level: QrLevel): Uint8Array {
  const modules = new Uint8Array(size * size);
  for (let row = 0, place = 0; row < size; row += 1) {
    const changes = (row % PERIOD) * PERIOD;
    for (let column = 0; column < size; column += 1, place += 1) {
      const module = data[place] === 1 ? ALL : 0;
      const change = reservedBit[place] === 1 ? 0 : (CHANGES[changes + (column % PERIOD)] ?? 0);
      modules[place] = module ^ change;
    }
  }
  writeFormat(modules, size, level);
  return modules;
}

/** Writes the format information of each mask at its two places (§7.9.1, figure 25). */
function writeFormat(modules: Uint8Array, size: number, level: QrLevel): void {
  const formats = MASKS.map((mask) => formatOf(level, mask));
  for (let bit = 0; bit < FORMAT_BITS; bit += 1) {
    const module = perMask((mask) => (((formats[mask] ?? 0) >> bit) & 1) === 1);
    const row = bit < 6 ? bit : bit < 8 ? bit + 1 : size - FORMAT_BITS + bit;
    const column = bit < 8 ? size - bit - 1 : bit < 9 ? FORMAT_BITS - bit : FORMAT_BITS - bit - 1;
    modules[row * size + 8] = module;
    modules[8 * size + column] = module;
  }
}

/** @returns level and mask with the ten bits of their BCH code (ISO/IEC 18004 annex C) */
function formatOf(level: QrLevel, mask: number): number {
  const data = ((LEVEL_BITS[level] << 3) | mask) << 10;
  let rest = data;
  for (let bit = FORMAT_BITS - 1; bit >= 10; bit -= 1) {
    rest ^= ((rest >> bit) & 1) * (FORMAT_GENERATOR << (bit - 10));
  }
  return (data | rest) ^ FORMAT_MASK;
}

/** Sums by the byte that says to which masks they belong. */
type Sums = Uint32Array;

/** @returns the penalty of each mask */
function penaltiesOf(modules: Uint8Array, size: number): readonly number[] {
  const features = newSums();
  for (let line = 0; line < size; line += 1) {
    addRuns(modules, line * size, 1, size, features);
    addRuns(modules, line, size, size, features);
    addFinders(modules, line * size, 1, size, features);
    addFinders(modules, line, size, size, features);
  }
  addBlocks(modules, size, features);
  const dark = newSums();
  for (const module of modules) {
    add(dark, module, 1);
  }
  return MASKS.map((mask) => {
    const proportion = (ofMask(dark, mask) * 100) / modules.length;
    return ofMask(features, mask) + PENALTY.proportion * Math.abs(Math.ceil(proportion / 5) - 10);
  });
}

/** Adds the penalties of the runs in a line: of five modules of one colour, and one more for each further one. */
function addRuns(modules: Uint8Array, first: number, step: number, size: number, sums: Sums): void {
  // Under which masks the last modules, up to three or four of them, were like those before them.
  let same1 = 0;
  let same2 = 0;
  let same3 = 0;
  let run = 0;
  let last = modules[first] ?? 0;
  for (let place = first + step, end = first + size * step; place < end; place += step) {
    const module = modules[place] ?? 0;
    const same = ~(module ^ last) & ALL;
    const further = same & same1 & same2 & same3;
    add(sums, further & ~run, PENALTY.run);
    add(sums, further & run, 1);
    last = module;
    run = further;
    same3 = same2;
    same2 = same1;
    same1 = same;
  }
}

/** Adds the penalties of the patterns in a line that look like a finder pattern with a light margin. */
function addFinders(modules: Uint8Array, first: number, step: number, size: number, sums: Sums): void {
  for (let column = 0; column + FINDER <= size; column += 1) {
    const place = first + column * step;
    const found = finderAt(modules, place, step);
    if (found !== 0 && column + FINDER + FINDER_MARGIN <= size) {
      add(sums, found & ~darkAmong(modules, place + FINDER * step, step), PENALTY.finder);
    }
    if (found !== 0 && column >= FINDER_MARGIN) {
      add(sums, found & ~darkAmong(modules, place - FINDER_MARGIN * step, step), PENALTY.finder);
    }
  }
}

/** @returns the masks under which a finder pattern begins at this place */
function finderAt(modules: Uint8Array, place: number, step: number): number {
  const ends = (modules[place] ?? 0) & (modules[place + 6 * step] ?? 0);
  const middle =
    (modules[place + 2 * step] ?? 0) & (modules[place + 3 * step] ?? 0) & (modules[place + 4 * step] ?? 0);
  const light = (modules[place + step] ?? 0) | (modules[place + 5 * step] ?? 0);
  return ends & middle & ~light;
}

/** @returns the masks under which one of the modules of a margin is dark */
function darkAmong(modules: Uint8Array, place: number, step: number): number {
  return (
    (modules[place] ?? 0) |
    (modules[place + step] ?? 0) |
    (modules[place + 2 * step] ?? 0) |
    (modules[place + 3 * step] ?? 0)
  );
}

/** Adds the penalties of the blocks of two by two modules of one colour. */
function addBlocks(modules: Uint8Array, size: number, sums: Sums): void {
  for (let row = 1; row < size; row += 1) {
    for (let place = row * size + 1, end = (row + 1) * size; place < end; place += 1) {
      const module = modules[place] ?? 0;
      const above = modules[place - size] ?? 0;
      const before = modules[place - 1] ?? 0;
      const aboveBefore = modules[place - size - 1] ?? 0;
      add(sums, ~((module ^ above) | (module ^ before) | (module ^ aboveBefore)) & ALL, PENALTY.block);
    }
  }
}

function newSums(): Sums {
  return new Uint32Array(ALL + 1);
}

function add(sums: Sums, masks: number, value: number): void {
  sums[masks] = (sums[masks] ?? 0) + value;
}

function ofMask(sums: Sums, mask: number): number {
  let sum = 0;
  for (let masks = 0; masks <= ALL; masks += 1) {
    sum += ((masks >> mask) & 1) * (sums[masks] ?? 0);
  }
  return sum;
}

/** @returns a byte with the bits of these masks */
function perMask(holds: (mask: number) => boolean): number {
  return MASKS.reduce<number>((byte, mask) => byte | (holds(mask) ? 1 << mask : 0), 0);
}
