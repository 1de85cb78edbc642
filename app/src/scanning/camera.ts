/** The reason why there is no picture of the camera. `unsupported`: the browser has no access to cameras at all. */
export type CameraFault = 'denied' | 'missing' | 'busy' | 'unsupported';

/** @returns the stream of the camera on the back of a phone, or of the only one */
export function openCamera(): Promise<MediaStream> {
  return navigator.mediaDevices.getUserMedia({
    audio: false,
    video: { facingMode: { ideal: 'environment' }, width: { ideal: 1280 }, height: { ideal: 960 } },
  });
}

/** @returns true if the page may ask for a camera */
export function hasCameraAccess(): boolean {
  // In an insecure context the property is missing, whatever the types say.
  return 'mediaDevices' in navigator && 'getUserMedia' in navigator.mediaDevices;
}

/** @param error of `openCamera` (Media Capture and Streams §10.2.1) */
export function cameraFault(error: unknown): CameraFault {
  switch (error instanceof DOMException ? error.name : '') {
    case 'NotAllowedError':
    case 'SecurityError':
      return 'denied';
    case 'NotFoundError':
    case 'OverconstrainedError':
      return 'missing';
    default:
      return 'busy';
  }
}

export function closeCamera(stream: MediaStream): void {
  for (const track of stream.getTracks()) {
    track.stop();
  }
}

/** The lamp beside the camera (MediaStream Image Capture §5), which TypeScript does not know. */
interface LampCapabilities extends MediaTrackCapabilities {
  readonly torch?: boolean;
}
interface LampConstraint extends MediaTrackConstraintSet {
  readonly torch: boolean;
}

/** @returns a switch for the lamp; undefined if the camera has none */
export function lampOf(stream: MediaStream): ((isOn: boolean) => Promise<void>) | undefined {
  const [track] = stream.getVideoTracks();
  // Firefox has no getCapabilities.
  const capabilities: LampCapabilities | undefined = (
    track as Partial<MediaStreamTrack> | undefined
  )?.getCapabilities?.call(track);
  return track !== undefined && capabilities?.torch === true
    ? (isOn) => track.applyConstraints({ advanced: [lampConstraint(isOn)] })
    : undefined;
}

function lampConstraint(torch: boolean): LampConstraint {
  return { torch };
}
