import type { PixelImage } from './smooth-image.ts';

/** An image for the worker. */
export interface ReadOrder extends PixelImage {
  /** True: it is smoothed before it is read (`smoothImage`). */
  readonly isSmooth: boolean;
}

/** The result of the worker for an image. */
export interface ReadAnswer {
  readonly text: string | null;
}

/** A drawn image: a still of the camera, or a picture. */
export type Drawable = HTMLVideoElement | ImageBitmap;

/** A part of a drawing, in its pixels, and the longest side to which it is scaled down. */
export interface Section {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly longestSide: number;
  /** True for a look at the smoothed section; the browser's own reader copes with noise. */
  readonly isSmooth: boolean;
}

/** Reads QR codes. One read at a time. */
export interface QrReader {
  /** @returns the text of the QR code in the section; null if none is found */
  read(source: Drawable, section: Section): Promise<string | null>;
  close(): void;
}

/** The part of the Shape Detection API that is used here; TypeScript does not know it. */
interface BarcodeDetector {
  detect(image: HTMLCanvasElement): Promise<readonly { readonly rawValue: string }[]>;
}
interface BarcodeDetectorClass {
  new (options: { formats: readonly string[] }): BarcodeDetector;
  getSupportedFormats(): Promise<readonly string[]>;
}

/** @returns the browser's own reader where it has one; else jsQR, loaded now */
export async function openQrReader(): Promise<QrReader> {
  const detector = await browserDetector();
  const drawing = document.createElement('canvas');
  if (detector !== undefined) {
    return new DetectorReader(drawing, detector);
  }
  return new WorkerReader(drawing);
}

async function browserDetector(): Promise<BarcodeDetector | undefined> {
  const { BarcodeDetector: Detector } = globalThis as { BarcodeDetector?: BarcodeDetectorClass };
  try {
    return Detector !== undefined && (await Detector.getSupportedFormats()).includes('qr_code')
      ? new Detector({ formats: ['qr_code'] })
      : undefined;
  } catch {
    return undefined;
  }
}

class DetectorReader implements QrReader {
  readonly #drawing: HTMLCanvasElement;
  readonly #detector: BarcodeDetector;

  constructor(drawing: HTMLCanvasElement, detector: BarcodeDetector) {
    this.#drawing = drawing;
    this.#detector = detector;
  }

  async read(source: Drawable, section: Section): Promise<string | null> {
    draw(this.#drawing, source, section);
    const found = await this.#detector.detect(this.#drawing);
    return found.find(({ rawValue }) => rawValue !== '')?.rawValue ?? null;
  }

  close(): void {
    this.#drawing.width = 0;
  }
}

class WorkerReader implements QrReader {
  readonly #drawing: HTMLCanvasElement;
  readonly #worker = new Worker(new URL('./qr-worker.ts', import.meta.url), { type: 'module' });

  constructor(drawing: HTMLCanvasElement) {
    this.#drawing = drawing;
  }

  read(source: Drawable, section: Section): Promise<string | null> {
    const context = draw(this.#drawing, source, section);
    const { width, height } = this.#drawing;
    const { isSmooth } = section;
    const pixels = context.getImageData(0, 0, width, height).data;
    return new Promise((resolve, reject) => {
      this.#worker.onmessage = ({ data }: MessageEvent<ReadAnswer>) => {
        resolve(data.text);
      };
      this.#worker.onerror = () => {
        reject(new Error('The reader of QR codes does not start'));
      };
      this.#worker.postMessage({ pixels, width, height, isSmooth } satisfies ReadOrder, [pixels.buffer]);
    });
  }

  close(): void {
    this.#worker.terminate();
    this.#drawing.width = 0;
  }
}

function draw(drawing: HTMLCanvasElement, source: Drawable, section: Section): CanvasRenderingContext2D {
  const { x, y, width, height, longestSide } = section;
  const scale = Math.min(1, longestSide / Math.max(width, height));
  drawing.width = Math.max(1, Math.round(width * scale));
  drawing.height = Math.max(1, Math.round(height * scale));
  const context = drawing.getContext('2d', { willReadFrequently: true });
  if (context === null) {
    throw new Error('The browser gives no canvas');
  }
  // Transparent parts of a picture are white, as where it is shown.
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, drawing.width, drawing.height);
  context.drawImage(source, x, y, width, height, 0, 0, drawing.width, drawing.height);
  return context;
}
