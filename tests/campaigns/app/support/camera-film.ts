import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { PNG } from 'pngjs';

/** The format of a film, in pixels (both even) and pictures. */
export interface FilmFormat {
  readonly width: number;
  readonly height: number;
  readonly frames: number;
}

const FRAMES_PER_SECOND = 10;
/** The paper around the picture. */
const WHITE = 235;
const BLACK = 16;
/** Blue and red difference of a grey. */
const NO_COLOUR = 128;

/**
 * Writes a film for Chromium's fake camera: a picture, held still in the middle of a white background. Chromium opens the
 * file anew at each start of the camera, and repeats it.
 * @param file a name that ends in `.y4m`
 * @param picture a PNG, scaled to whole multiples so that it fills the frame as far as it can
 * @throws Error if the picture is larger than the frame
 */
export async function writeCameraFilm(file: string, picture: Buffer, format: FilmFormat): Promise<void> {
  const { width, height, frames } = format;
  const luma = lumaOf(PNG.sync.read(picture), format);
  const chroma = Buffer.alloc((width * height) / 2, NO_COLOUR);
  const stream = createWriteStream(file);
  stream.write(`YUV4MPEG2 W${width} H${height} F${FRAMES_PER_SECOND}:1 Ip A1:1 C420jpeg\n`);
  for (let frame = 0; frame < frames; frame += 1) {
    stream.write('FRAME\n');
    stream.write(luma);
    stream.write(chroma);
  }
  stream.end();
  await once(stream, 'finish');
}

/** Chromium's arguments for a camera that shows the film, without a question to the user. */
export function cameraArguments(file: string): readonly string[] {
  return [
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-video-capture=${file}`,
  ];
}

function lumaOf(picture: PNG, { width, height }: FilmFormat): Buffer {
  const scale = Math.min(Math.floor(width / picture.width), Math.floor(height / picture.height));
  if (scale < 1) {
    throw new Error(
      `A picture of ${picture.width} × ${picture.height} pixels does not fit ${width} × ${height}`,
    );
  }
  const luma = Buffer.alloc(width * height, WHITE);
  const left = Math.floor((width - scale * picture.width) / 2);
  const top = Math.floor((height - scale * picture.height) / 2);
  for (let y = 0; y < scale * picture.height; y += 1) {
    for (let x = 0; x < scale * picture.width; x += 1) {
      const pixel = 4 * (Math.floor(y / scale) * picture.width + Math.floor(x / scale));
      luma[(top + y) * width + left + x] = brightness(picture.data, pixel);
    }
  }
  return luma;
}

/** ITU-R BT.601. Transparent pixels let the white background through. */
function brightness(data: Buffer, pixel: number): number {
  const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(pixel, pixel + 4);
  const grey = (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
  const share = alpha / 255;
  return Math.round(WHITE * (1 - share) + share * (BLACK + (WHITE - BLACK) * grey));
}
