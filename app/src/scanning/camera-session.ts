import { cameraFault, type CameraFault, closeCamera, hasCameraAccess, lampOf, openCamera } from './camera.ts';
import { openQrReader, type QrReader } from './qr-reader.ts';
import { LOOKS } from './smooth-image.ts';

/** The reports of a camera session to its screen. */
export interface CameraEvents {
  onStarted(lamp: ((isOn: boolean) => Promise<void>) | undefined): void;
  onFault(fault: CameraFault | 'reader'): void;
  /** Called once: the session has ended then. */
  onCode(text: string): void;
}

const MAX_SIDE = 960;
/** Between two looks: a phone stays cool, and a code is found within the blink of an eye. */
const PAUSE_MS = 120;

/**
 * Shows the camera in the video element and looks for a QR code until one is found.
 * @returns a function that ends the session and switches the camera off
 */
export function startCameraSession(video: HTMLVideoElement, events: CameraEvents): () => void {
  const ending = new AbortController();
  run(video, events, ending).catch((error: unknown) => {
    if (!ending.signal.aborted) {
      ending.abort();
      events.onFault(error instanceof DOMException ? cameraFault(error) : 'reader');
    }
  });
  return () => {
    ending.abort();
  };
}

async function run(video: HTMLVideoElement, events: CameraEvents, ending: AbortController): Promise<void> {
  if (!hasCameraAccess()) {
    events.onFault('unsupported');
    return;
  }
  const { signal } = ending;
  const stream = await openCamera();
  const release = (): void => {
    closeCamera(stream);
    video.srcObject = null;
  };
  if (signal.aborted) {
    release();
    return;
  }
  signal.addEventListener('abort', release);
  // A camera that is taken away ends its track.
  stream.getVideoTracks()[0]?.addEventListener('ended', () => {
    if (!signal.aborted) {
      ending.abort();
      events.onFault('busy');
    }
  });
  video.srcObject = stream;
  await video.play();
  const reader = await openQrReader();
  try {
    events.onStarted(lampOf(stream));
    const text = await firstCode(video, reader, signal);
    if (text !== null) {
      ending.abort();
      events.onCode(text);
    }
  } finally {
    reader.close();
  }
}

/** @returns the first code that the camera sees; null if the session ends before */
async function firstCode(
  video: HTMLVideoElement,
  reader: QrReader,
  signal: AbortSignal,
): Promise<string | null> {
  for (let turn = 0; !signal.aborted; turn += 1) {
    const { videoWidth: width, videoHeight: height } = video;
    const look = LOOKS[turn % LOOKS.length];
    const longestSide = look === 'half' ? MAX_SIDE / 2 : MAX_SIDE;
    const section = { x: 0, y: 0, width, height, longestSide, isSmooth: look === 'smooth' };
    const text = width === 0 ? null : await reader.read(video, section);
    if (text !== null) {
      // The page may have been left while the reader worked.
      return isEnded(signal) ? null : text;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return null;
}

function isEnded({ aborted }: AbortSignal): boolean {
  return aborted;
}
