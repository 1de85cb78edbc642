import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { drawQrCode } from '../../component/qr-drawing.ts';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { Notice } from '../design/notice.tsx';
import { useTexts } from '../language/language.ts';
import { Form } from '../vault-screens/form.tsx';
import { type AccountApi, isPassing } from './account-api.ts';
import { accountTexts } from './account-texts.ts';
import { useWork } from './work.tsx';

const POLL_MS = 2_000;

/** A QR code for the app. */
export function QrCode({ code, label }: { code: string; label: string }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const drawn = drawQrCode(code);
    place.current?.replaceChildren(...(drawn === undefined ? [] : [drawn]));
  }, [code]);
  return <div class="account-code" role="img" aria-label={label} ref={place} />;
}

interface PanelProps {
  /** The content of the QR code; undefined: an authenticator app shows its digits without one, and sends nothing. */
  readonly code: string | undefined;
  /** The words for the code; default: those of a challenge. */
  readonly label?: string;
  /**
   * Ends what is asked.
   * @param response undefined: asks whether the app has sent it
   * @returns false for a response that is not right, or not there yet
   */
  readonly onAnswer: (response?: string) => Promise<boolean>;
  /** Receives the failure that ends what is asked. */
  readonly onFailure: (error: unknown) => void;
}

/** Shows a challenge until the app has answered it, or its digits were typed. */
export function ChallengePanel({ code, label, onAnswer, onFailure }: PanelProps): JSX.Element {
  const texts = useTexts(accountTexts);
  const [response, setResponse] = useState('');
  const [isWrong, setWrong] = useState(false);
  const { run, isBusy, notice } = useWork();
  const answer = useTurns(onAnswer, code);
  usePolling(() => answer(), onFailure, code);
  const words =
    code === undefined
      ? { label: texts.appCode, hint: texts.appCodeHint }
      : { label: texts.response, hint: texts.responseHint };
  return (
    <>
      {code !== undefined && <AppCode code={code} label={label ?? texts.code} />}
      {notice}
      <Form
        onSubmit={() => {
          const typed = response.replace(/\s/g, '');
          if (typed !== '') {
            run(async () => {
              try {
                setWrong(!(await answer(typed)));
                setResponse('');
              } catch (error) {
                if (isPassing(error)) {
                  throw error;
                }
                onFailure(error);
              }
            });
          }
        }}
      >
        <Field
          {...words}
          value={response}
          onValue={setResponse}
          autocomplete="one-time-code"
          error={isWrong ? texts.faults.wrong : undefined}
        />
        <Button kind="primary" type="submit" busy={isBusy}>
          {texts.confirm}
        </Button>
      </Form>
    </>
  );
}

/** The way of a code into the app on this device. */
export function OpenInApp({ code }: { code: string }): JSX.Element {
  const texts = useTexts(accountTexts);
  return (
    <p>
      <a href={`./#link=${encodeURIComponent(code)}`} target="_blank" rel="noreferrer">
        {texts.openApp}
      </a>
    </p>
  );
}

/** Minutes and seconds until a moment of the server, which count down. */
export function TimeLeft({ api, until }: { api: AccountApi; until: string }): JSX.Element {
  const texts = useTexts(accountTexts);
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const look = (): void => {
      setSeconds(Math.floor(api.timeUntil(until) / 1_000));
    };
    look();
    const timer = setInterval(look, 1_000);
    return () => {
      clearInterval(timer);
    };
  }, []);
  return (
    <p class="muted" role="timer">
      {texts.timeLeft}: {Math.floor(seconds / 60)}:{`${seconds % 60}`.padStart(2, '0')}
    </p>
  );
}

/** A QR code that the app answers by itself, also on this device. */
function AppCode({ code, label }: { code: string; label: string }): JSX.Element {
  const texts = useTexts(accountTexts);
  return (
    <>
      <QrCode code={code} label={label} />
      <OpenInApp code={code} />
      <Notice kind="info">{texts.waiting}</Notice>
    </>
  );
}

/**
 * Lets one answer end the subject: a look that finds typed digits accepted would take what they have opened, and they
 * would be told that it has ended.
 */
function useTurns(
  ask: (response?: string) => Promise<boolean>,
  subject: string | undefined,
): (response?: string) => Promise<boolean> {
  const last = useRef(Promise.resolve(false));
  useEffect(() => {
    last.current = Promise.resolve(false);
  }, [subject]);
  return (response) => {
    const next = last.current.then((isOver) => isOver || ask(response));
    last.current = next.catch(() => false);
    return next;
  };
}

/**
 * Asks every two seconds until the answer is there, one at a time. A lost request or a busy server ends nothing.
 * @param subject undefined: nothing answers by itself
 */
function usePolling(
  ask: () => Promise<boolean>,
  onFailure: (error: unknown) => void,
  subject: string | undefined,
): void {
  const latest = useRef({ ask, onFailure });
  latest.current = { ask, onFailure };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isGone = false;
    const look = async (): Promise<void> => {
      try {
        if (!(await latest.current.ask())) {
          again();
        }
      } catch (error) {
        if (isPassing(error)) {
          again();
        } else if (!isGone) {
          latest.current.onFailure(error);
        }
      }
    };
    const again = (): void => {
      if (!isGone) {
        timer = setTimeout(() => void look(), POLL_MS);
      }
    };
    if (subject !== undefined) {
      again();
    }
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [subject]);
}
