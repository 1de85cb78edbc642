import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../design/button.tsx';
import { Icon } from '../design/icon.tsx';
import { Notice } from '../design/notice.tsx';
import { useTexts } from '../language/language.ts';
import type { CameraFault } from './camera.ts';
import { startCameraSession } from './camera-session.ts';
import { scanTexts } from './scan-texts.ts';

/** Without a code. */
const ADVICE_MS = 10_000;

type Lamp = (isOn: boolean) => Promise<void>;
type CameraState =
  | { readonly kind: 'starting' | 'hidden' }
  | { readonly kind: 'running'; readonly lamp: Lamp | undefined }
  | { readonly kind: 'fault'; readonly fault: CameraFault | 'reader' };

/** The picture of the camera, which is off while the page is hidden. Reports the first code, once. */
export function CameraView({ onCode }: { onCode: (text: string) => void }): JSX.Element {
  const texts = useTexts(scanTexts);
  const video = useRef<HTMLVideoElement>(null);
  const [state, setState] = useCamera(video, onCode);
  const isSlow = useDelay(state.kind === 'running', ADVICE_MS);
  if (state.kind === 'fault') {
    return (
      <Notice kind="warning">
        <p>{texts.faults[state.fault]}</p>
        {state.fault !== 'unsupported' && (
          <Button
            onPress={() => {
              setState({ kind: 'starting' });
            }}
          >
            {texts.again}
          </Button>
        )}
      </Notice>
    );
  }
  return (
    <>
      <div class="camera">
        <video ref={video} muted playsInline aria-label={texts.camera} />
        <div class="camera-frame" />
        {state.kind === 'running' && state.lamp !== undefined && <LampButton lamp={state.lamp} />}
      </div>
      <p class="muted" role="status">
        {state.kind !== 'running' ? texts.starting : isSlow ? texts.advice : texts.searching}
      </p>
    </>
  );
}

/** Runs a camera session from `starting` on, until a code, a fault, or the end of the component. */
function useCamera(
  video: { readonly current: HTMLVideoElement | null },
  onCode: (text: string) => void,
): [CameraState, (state: CameraState) => void] {
  const [state, setState] = useState<CameraState>({ kind: 'starting' });
  const isWanted = state.kind === 'starting' || state.kind === 'running';
  useEffect(() => {
    if (!isWanted || video.current === null) {
      return undefined;
    }
    return startCameraSession(video.current, {
      onCode,
      onStarted: (lamp) => {
        setState({ kind: 'running', lamp });
      },
      onFault: (fault) => {
        setState({ kind: 'fault', fault });
      },
    });
  }, [isWanted]);
  useEffect(() => {
    const change = (): void => {
      setState((current) => afterVisibility(current, document.visibilityState));
    };
    document.addEventListener('visibilitychange', change);
    return () => {
      document.removeEventListener('visibilitychange', change);
    };
  }, []);
  return [state, setState];
}

/** @returns true once it has run for that long */
function useDelay(isRunning: boolean, milliseconds: number): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    setOver(false);
    const timer = isRunning ? setTimeout(setOver, milliseconds, true) : undefined;
    return () => {
      clearTimeout(timer);
    };
  }, [isRunning]);
  return isOver;
}

function afterVisibility(state: CameraState, visibility: DocumentVisibilityState): CameraState {
  if (state.kind === 'fault') {
    return state;
  }
  if (visibility === 'hidden') {
    return { kind: 'hidden' };
  }
  return state.kind === 'hidden' ? { kind: 'starting' } : state;
}

function LampButton({ lamp }: { lamp: Lamp }): JSX.Element {
  const texts = useTexts(scanTexts);
  const [isOn, setOn] = useState(false);
  return (
    <button
      class="icon-button camera-light"
      type="button"
      aria-pressed={isOn}
      onClick={() => {
        // A lamp that refuses stays as it is.
        lamp(!isOn).then(
          () => {
            setOn(!isOn);
          },
          () => undefined,
        );
      }}
    >
      <Icon name="light" />
      {isOn ? texts.lampOff : texts.lampOn}
    </button>
  );
}
