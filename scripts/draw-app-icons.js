// Draws the app's icons from one geometric mark into app/public/: the corners of a QR code around a keyhole.
//
//   node scripts/draw-app-icons.js
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PNG } from 'pngjs';

const FOLDER = join(import.meta.dirname, '../app/public');
/** The mark lies on a square of 64 units, also in app/src/shell/frame.tsx. */
const GRID = 64;
const GROUND = [0x0b, 0x57, 0xa4];
const WHITE = [0xff, 0xff, 0xff];
const CORNER_RADIUS = 14;
/** Samples per pixel and direction. */
const SAMPLES = 6;
/** A mask may cut off all but a circle of 80 % (W3C Web App Manifest, maskable icons). */
const MASKABLE_SCALE = 0.78;

write('icon-192.png', drawIcon(192, { scale: 1, isRounded: true }));
write('icon-512.png', drawIcon(512, { scale: 1, isRounded: true }));
write('icon-maskable-512.png', drawIcon(512, { scale: MASKABLE_SCALE, isRounded: false }));

function write(name, picture) {
  writeFileSync(join(FOLDER, name), PNG.sync.write(picture, { deflateLevel: 9 }));
}

/** @returns a picture of `size` by `size` pixels */
function drawIcon(size, { scale, isRounded }) {
  const picture = new PNG({ width: size, height: size });
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      picture.data.set(pixel(x, y, size, { scale, isRounded }), 4 * (y * size + x));
    }
  }
  return picture;
}

function pixel(x, y, size, { scale, isRounded }) {
  let ground = 0;
  let white = 0;
  for (let sample = 0; sample < SAMPLES * SAMPLES; sample += 1) {
    const u = ((x + ((sample % SAMPLES) + 0.5) / SAMPLES) / size) * GRID;
    const v = ((y + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES) / size) * GRID;
    if (!isRounded || inRoundedSquare(u, v)) {
      ground += 1;
      const centre = GRID / 2;
      white += inMark(centre + (u - centre) / scale, centre + (v - centre) / scale) ? 1 : 0;
    }
  }
  const share = ground === 0 ? 0 : white / ground;
  const colour = GROUND.map((channel, place) => Math.round(channel + share * (WHITE[place] - channel)));
  return [...colour, Math.round((255 * ground) / (SAMPLES * SAMPLES))];
}

function inRoundedSquare(u, v) {
  const beyond = (value) => Math.max(CORNER_RADIUS - value, value - (GRID - CORNER_RADIUS), 0);
  return Math.hypot(beyond(u), beyond(v)) <= CORNER_RADIUS;
}

function inMark(u, v) {
  return (
    inCorners(u, v) ||
    Math.hypot(u - 32, v - 28) <= 7 ||
    (v >= 28 && v <= 44 && Math.abs(u - 32) <= ((v - 28) * 6) / 16)
  );
}

/** Four brackets, five units thick. */
function inCorners(u, v) {
  const [a, b] = [Math.abs(u - 32), Math.abs(v - 32)];
  const isOnFrame = Math.max(a, b) >= 15.5 && Math.max(a, b) <= 20.5;
  return isOnFrame && Math.min(a, b) >= 3.5;
}
