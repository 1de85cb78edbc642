import { encodeQR } from 'qr';
import jsqr from 'jsqr';
import { LOOKS, type PixelImage, smoothImage } from '../app/src/scanning/smooth-image.ts';
import { issueCodes } from '../tests/campaigns/app/support/app-page.ts';
import { issuerLogo } from '../tests/support/values/qr-code.ts';
import { benchCommand, publishResults, type ResultTable } from './result-page.ts';

/** `npm run bench:pictures`: how many codes the app's camera reads, by noise, size and angle. */

/** As the app draws a still of a camera of 4:3. */
const STILL = { width: 960, height: 720 };
const NOISES = [0, 5, 8];
/** Sides of the code with its quiet zone, by the height of the still. */
const SIZES = [0.45, 0.6, 0.75, 0.9];
const ANGLES = [-15, -7, 0, 7, 15];
const GOAL = { noise: 8, share: 0.95 };
/** Points to a side of each pixel at which the code is looked up. */
const POINTS = 3;
/** Ink and paper as a camera shows them. */
const DARK = 40;
const LIGHT = 215;

type Look = (typeof LOOKS)[number];

interface Trial {
  readonly code: string;
  readonly noise: number;
  readonly size: number;
  readonly angle: number;
  /** By the first still, raw, as apps do that know one look. */
  readonly isReadRaw: boolean;
  /** By one of three stills, each with a look of its own. */
  readonly isRead: boolean;
}

const codes = await issueCodes('https://bank.example/ocra/check_t');
const issuer = { name: 'Musterbank eG', logo: issuerLogo() };
const TEXTS = {
  'first of a roll-out': codes.init,
  payment: codes.request(),
  'second of a roll-out': codes.nonce(),
  'second, with a logo': codes.nonce({ issuer }),
};

const trials = Object.entries(TEXTS).flatMap(([code, text]) => tryCode(code, text));
const goalTrials = trials.filter(({ noise }) => noise === GOAL.noise);
const isPassed = shareOf(goalTrials, 'isRead') >= GOAL.share;
await publishResults({
  name: 'picture-reading',
  title: 'Codes read by the camera',
  command: benchCommand('bench:pictures'),
  measures:
    'Stills of codes as screens show them (the least error correction), turned, of several sizes, and with Gaussian noise (standard deviation of 255), read by jsQR as the app does: one still raw, the next smoothed, the third halved.',
  sections: [
    `${trials.length} pictures of ${STILL.width} × ${STILL.height} pixels: sizes ${SIZES.join(', ')} of the height, turned by ${ANGLES.join(', ')} degrees. Read by the first still alone, and by one of three in turn.`,
    tableOf('noise', NOISES),
    `At noise ${GOAL.noise}:`,
    tableOf('size', SIZES, goalTrials),
    tableOf('angle', ANGLES, goalTrials),
    tableOf('code', Object.keys(TEXTS), goalTrials),
    `- ${isPassed ? 'PASS' : 'FAIL'}: at least ${100 * GOAL.share} % at noise ${GOAL.noise}`,
  ],
});
process.exitCode = isPassed ? 0 : 1;

function tryCode(code: string, text: string): readonly Trial[] {
  const modules = encodeQR(text, 'raw', { ecc: 'low', border: 4 });
  return SIZES.flatMap((size) =>
    ANGLES.flatMap((angle) => {
      const grey = draw(modules, size * STILL.height, (angle * Math.PI) / 180);
      return NOISES.map((noise) => {
        const isReadBy = (look: Look): boolean => read(withNoise(grey, noise), look) === text;
        const isReadRaw = isReadBy('raw');
        const isRead = isReadRaw || isReadBy('smooth') || isReadBy('half');
        return { code, noise, size, angle, isReadRaw, isRead };
      });
    }),
  );
}

/** @returns the brightness of each pixel of a still that has the code, turned, in its middle */
function draw(modules: readonly (readonly boolean[])[], side: number, angle: number): Float32Array {
  const scale = modules.length / side;
  const [cos, sin] = [Math.cos(angle) * scale, Math.sin(angle) * scale];
  const offsets = Array.from({ length: POINTS }, (_, point) => (point + 0.5) / POINTS);
  return Float32Array.from({ length: STILL.width * STILL.height }, (_, place) => {
    const left = (place % STILL.width) - STILL.width / 2;
    const top = Math.floor(place / STILL.width) - STILL.height / 2;
    let dark = 0;
    for (const x of offsets) {
      for (const y of offsets) {
        const column = (left + x) * cos + (top + y) * sin + modules.length / 2;
        const row = (top + y) * cos - (left + x) * sin + modules.length / 2;
        dark += modules[Math.floor(row)]?.[Math.floor(column)] === true ? 1 : 0;
      }
    }
    return LIGHT - ((LIGHT - DARK) * dark) / POINTS ** 2;
  });
}

function withNoise(grey: Float32Array, noise: number): PixelImage {
  const pixels = new Uint8ClampedArray(4 * grey.length).fill(255);
  grey.forEach((value, place) => {
    pixels.fill(value + noise * gaussian(), 4 * place, 4 * place + 3);
  });
  return { pixels, ...STILL };
}

/** Box and Muller's, of a standard deviation of 1. */
function gaussian(): number {
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
}

function read(still: PixelImage, look: Look): string | undefined {
  const { pixels, width, height } = { raw: (given: PixelImage) => given, smooth: smoothImage, half }[look](
    still,
  );
  return jsqr.default(pixels, width, height, { inversionAttempts: 'attemptBoth' })?.data;
}

/** As a canvas draws it: the mean of 2×2 pixels. */
function half({ pixels, width, height }: PixelImage): PixelImage {
  const halved = new Uint8ClampedArray(pixels.length / 4).fill(255);
  for (let place = 0; place < halved.length / 4; place += 1) {
    const [x, y] = [place % (width / 2), Math.floor((2 * place) / width)];
    const corner = 4 * (2 * y * width + 2 * x);
    const four = [corner, corner + 4, corner + 4 * width, corner + 4 * width + 4];
    const mean = four.reduce((sum, at) => sum + (pixels[at] ?? 0), 0) / 4;
    halved.fill(mean, 4 * place, 4 * place + 3);
  }
  return { pixels: halved, width: width / 2, height: height / 2 };
}

function shareOf(tried: readonly Trial[], what: 'isReadRaw' | 'isRead'): number {
  return tried.filter((trial) => trial[what]).length / tried.length;
}

function tableOf(
  by: 'noise' | 'size' | 'angle' | 'code',
  values: readonly (string | number)[],
  tried: readonly Trial[] = trials,
): ResultTable {
  return {
    head: [by, 'pictures', 'raw alone, %', 'in turn, %'],
    rows: values.map((value) => {
      const group = tried.filter((trial) => trial[by] === value);
      const percent = (what: 'isReadRaw' | 'isRead'): string => (100 * shareOf(group, what)).toFixed(0);
      return [value, group.length, percent('isReadRaw'), percent('isRead')];
    }),
  };
}
